/**
 * An OSD's place in its cluster (P 5.8). It joins SysMgr with the join token, and takes keys,
 * partitions and fence epochs before any client is served. Then it sends heartbeats, and at the end
 * it leaves.
 *
 * <p>{@link org.weft.osd.membership.MembershipMachine} decides and does nothing; {@link
 * org.weft.osd.membership.MembershipService} calls SysMgr and the store on its own serial executor
 * and tells the machine how it went.
 */
package org.weft.osd.membership;
