/**
 * The way of an OSD out of its quarantine, as far as one volume decides it (P 5.8, 5.9). What lags
 * there is caught up, and what maps call missing there is removed. Where writes may be lost, the
 * components are given up. Then SysMgr is told. Pure but for its timer; runs on the volume's
 * thread.
 */
package org.weft.metadata.readmission;
