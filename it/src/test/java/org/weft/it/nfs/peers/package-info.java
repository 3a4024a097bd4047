/** Programs and libraries that others wrote, on an NFS gateway of a real cluster. */
package org.weft.it.nfs.peers;
