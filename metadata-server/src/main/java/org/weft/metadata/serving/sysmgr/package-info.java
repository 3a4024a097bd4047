/**
 * What SysMgr tells a volume, and what the volume reports. It has the volume's row and keys, and
 * the states of its OSDs by the newest table (P 5.8). The volume reports through this package what
 * it has carried out. Uses none of the packages beside it.
 */
package org.weft.metadata.serving.sysmgr;
