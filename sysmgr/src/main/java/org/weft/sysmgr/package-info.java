/**
 * The system manager: one page that puts a member together ({@link org.weft.sysmgr.SysmgrDaemon}).
 * The rules stand in {@code configuration} and {@code liveness}, and are pure. {@code service}
 * answers requests, and {@code rest} shows the state to people and programs. {@code replication}
 * keeps it alike on all members.
 */
package org.weft.sysmgr;
