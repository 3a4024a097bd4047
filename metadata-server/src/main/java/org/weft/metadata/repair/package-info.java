/**
 * How components that are missing, or on OSDs that are lost for good, come to be on other OSDs (P
 * 5.8, 6.4, 6.8). Tables are live state. {@link org.weft.metadata.repair.VolumeRepairs} finds the
 * files and has them repaired, one by one, of its own accord. Runs on the volume's thread.
 */
package org.weft.metadata.repair;
