/**
 * A replicated log as Raft keeps it, for the simulator. Each member has a log, votes and snapshots
 * of its own, messages take time and get lost, and a majority decides. {@link
 * org.weft.testkit.raft.RaftMember} is one process of a member, {@link
 * org.weft.testkit.raft.RaftDisk} what outlives it. Everything runs on virtual time, in one thread
 * (P 6.2a, P 8.1). Follows D. Ongaro, "Consensus: Bridging Theory and Practice" (2014); section
 * numbers in this package are of that text.
 */
package org.weft.testkit.raft;
