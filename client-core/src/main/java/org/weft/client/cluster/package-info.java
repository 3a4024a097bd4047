/**
 * What a client or a manager knows of the cluster: the versioned table of OSDs, managers and
 * volumes that any SysMgr member hands out, and the links over which SysMgr and managers are
 * called.
 *
 * <p>State here is confined to the <em>home</em>, a serial executor that the caller owns and hands
 * in; lookups in the table are thread-safe and never wait. The design's section 6, "SysMgr".
 */
package org.weft.client.cluster;
