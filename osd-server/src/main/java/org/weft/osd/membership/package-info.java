/**
 * An OSD's place in its cluster (P 5.8): joining SysMgr with the join token, taking keys,
 * partitions and fence epochs before anyone is served, heartbeats, and leaving.
 *
 * <p>{@link org.weft.osd.membership.MembershipMachine} decides and does nothing; {@link
 * org.weft.osd.membership.MembershipService} calls SysMgr and the store on its own serial executor
 * and tells the machine how it went.
 */
package org.weft.osd.membership;
