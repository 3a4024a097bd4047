/**
 * What SysMgr says to a volume, and hears of it. It has the volume's row and keys, and the states
 * of its OSDs by the newest table (P 5.8). Here the volume reports what it has carried out. Uses
 * none of the packages beside it.
 */
package org.weft.metadata.serving.sysmgr;
