/**
 * What the configuration says of OSDs and managers: identity, addresses and liveness, and the
 * quarantine of an OSD (P 5.8). It also says what was heard of a node's last start (P 5.10). The
 * rules of {@code configuration} make each next value. Uses none of the packages beside it.
 * Immutable.
 */
package org.weft.sysmgr.configuration.node;
