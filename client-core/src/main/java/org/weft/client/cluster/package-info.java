/**
 * What a client or a manager knows of the cluster: the versioned table of OSDs, managers and
 * volumes. Any SysMgr member hands it out. The links over which SysMgr and managers are called are
 * here, too.
 *
 * <p>State here is confined to the <em>home</em>, a serial executor that the caller owns and hands
 * in. Lookups in the table are thread-safe and never wait. The design's section 6, "SysMgr".
 */
package org.weft.client.cluster;
