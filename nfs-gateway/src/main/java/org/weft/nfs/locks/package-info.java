/**
 * Serves byte-range locks to clients of NFS version 3: the Network Lock Manager (program 100021,
 * version 4) on the locks of Weft's client, and of the status monitor what tells that a client has
 * started again. All state is of one serial executor; nothing blocks.
 */
package org.weft.nfs.locks;
