/**
 * Files by their numbers, for gateways: every operation names a node by its volume and object, or a
 * directory by these and a name in it, and says on behalf of which user it is asked. Links are
 * never followed. A client may ask for them whose sessions are trusted, since it has the cluster's
 * join token (docs/protocols.md 6.5c).
 *
 * <p>Replies say what each node that was touched was before, and is after, the record that changed
 * it, as NFS's weak cache consistency (RFC 1813 2.6) wants to be told.
 */
package org.weft.client.ids;
