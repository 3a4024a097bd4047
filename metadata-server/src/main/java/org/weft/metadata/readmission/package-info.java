/**
 * The way of an OSD out of its quarantine, as far as one volume has a say in it (P 5.8, 5.9): what
 * lags there is caught up, what maps call missing there is removed, and where writes may be lost
 * their components are given up. Then SysMgr is told. Pure but for its timer; runs on the volume's
 * thread.
 */
package org.weft.metadata.readmission;
