/**
 * {@link org.weft.protocol.seam.ReplicatedLog} on Apache Ratis (DESIGN section 6, "SysMgr"): the
 * same code for 1, 3 and 5 members. Ratis' types, threads and clock stay in this package; its
 * thread that applies entries is the one that drives the machine.
 */
package org.weft.sysmgr.replication.ratis;
