/**
 * What is missing, or lies on OSDs that are lost for good, and how it comes to be on others (P 5.8,
 * 6.4, 6.8). Tables are live state; {@link org.weft.metadata.repair.VolumeRepairs} looks for what
 * is to be done and has it done, file by file, of its own accord. Runs on the volume's thread.
 */
package org.weft.metadata.repair;
