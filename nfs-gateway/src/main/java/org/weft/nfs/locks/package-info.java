/**
 * Serves byte-range locks to clients of NFS version 3 on the locks of Weft's client. It implements
 * the Network Lock Manager (program 100021, version 4). Of the status monitor it implements the
 * notice that a client has started again. All state is of one serial executor; nothing blocks.
 */
package org.weft.nfs.locks;
