/**
 * The gateway as a process: it joins a cluster, follows what SysMgr says is exported, and serves
 * it. It keeps nothing on a disk: a gateway that starts asks SysMgr.
 */
package org.weft.nfs.daemon;
