/**
 * NFS gateways that die under clients of hard mounts: {@code it/nfs-kills}. Programs of such a
 * mount wait while a gateway is away, and see no error; every byte that was committed is there.
 */
package org.weft.it.nfs;
