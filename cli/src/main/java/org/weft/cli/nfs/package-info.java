/** {@code weft nfs}: what NFS gateways serve, and who uses it. The gateway is a daemon. */
package org.weft.cli.nfs;
