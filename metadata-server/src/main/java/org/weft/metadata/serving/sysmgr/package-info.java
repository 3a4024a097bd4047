/**
 * What SysMgr says to a volume, and hears of it: the volume's row and keys, the states of its OSDs
 * by the newest table (P 5.8), and where the volume reports what it has carried out. Uses none of
 * the packages beside it.
 */
package org.weft.metadata.serving.sysmgr;
