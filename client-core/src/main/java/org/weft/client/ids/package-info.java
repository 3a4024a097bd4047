/**
 * Files by their numbers, for gateways. Every operation names a node by its volume and object, or a
 * directory by these and a name in it. It also says on behalf of which user it is asked. Links are
 * never followed. A client may ask for them whose sessions are trusted, since it has the cluster's
 * join token (docs/protocols.md 6.5c).
 *
 * <p>Replies say of each node that was touched what it was before the record that changed it, and
 * what it is after. NFS's weak cache consistency (RFC 1813 2.6) asks for that.
 */
package org.weft.client.ids;
