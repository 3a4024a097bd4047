package org.weft.sysmgr.configuration.cluster;

import org.weft.protocol.id.ClusterId;

/**
 * What makes this cluster this one; fixed when it is made.
 *
 * @param superuser the user that made it
 * @param createdMillis wall time, to show
 */
public record Cluster(
    ClusterId id, String name, Secret joinToken, String superuser, long createdMillis) {}
