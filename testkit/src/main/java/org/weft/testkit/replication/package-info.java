/**
 * A replicated log in memory: {@link org.weft.testkit.replication.FakeReplication} is the agreed
 * list of commands, and gives each member its {@link org.weft.protocol.seam.ReplicatedLog}. Tests
 * and the simulator use it in place of Ratis (P 8.1); one contract test holds both.
 */
package org.weft.testkit.replication;
