/**
 * What serves files, without knowledge of any version of NFS: every operation by a file's id or a
 * directory's id and a name, asynchronous, on behalf of a caller that each request states, links
 * never followed. Replies carry the attributes of all nodes that were touched, before and after, so
 * that a protocol's weak cache consistency is told from one record. Nodes and their attributes are
 * values of {@link org.weft.client.ids}.
 */
package org.weft.nfs.files;
