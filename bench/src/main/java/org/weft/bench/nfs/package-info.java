/** The same loads on any server of NFS version 3, by a client in user space, for comparisons. */
package org.weft.bench.nfs;
