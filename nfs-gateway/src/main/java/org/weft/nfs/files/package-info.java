/**
 * What serves files, without knowledge of any version of NFS. Every operation names a file by its
 * id, or by a directory's id and a name. Operations are asynchronous and act for the caller that
 * each request states. Links are never followed. Replies carry the attributes of all nodes that
 * were touched, before and after. So a protocol's weak cache consistency comes from one record.
 * Nodes and their attributes are values of {@link org.weft.client.ids}.
 */
package org.weft.nfs.files;
