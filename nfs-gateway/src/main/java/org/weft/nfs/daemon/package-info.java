/**
 * The gateway as a process: it joins a cluster, follows what SysMgr says is exported, and serves
 * it. Nothing of it is kept on a disk: a gateway that starts anew asks SysMgr.
 */
package org.weft.nfs.daemon;
