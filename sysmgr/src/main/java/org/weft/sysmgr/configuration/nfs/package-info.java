/**
 * What the configuration says of NFS: exports, names of users and groups, and the hosts that have
 * locks by way of a gateway (P 6.5f). The rules of {@code configuration} make each next value. Uses
 * {@code cluster}, for secrets. Immutable.
 */
package org.weft.sysmgr.configuration.nfs;
