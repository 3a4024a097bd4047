/**
 * What the configuration says of the cluster itself: its identity and secrets, the members of
 * SysMgr, the events that happened and the alerts that hold. Only {@code configuration} changes
 * these values; SysMgr's service and its status pages read them. Uses none of the packages beside
 * it. Immutable.
 */
package org.weft.sysmgr.configuration.cluster;
