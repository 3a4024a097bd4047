/** {@code weft nfs}: what NFS gateways serve, and which hosts use it. The gateway is a daemon. */
package org.weft.cli.nfs;
