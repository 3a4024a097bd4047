/**
 * A client's session with the manager of a volume: opened, renewed and, when nothing is lost by it,
 * replaced. Its requests run in its reply slots. Each is repeated with the same number, over lost
 * connections and restarts of the manager, until it is answered or its deadline passes (P 6.4,
 * 6.5).
 *
 * <p>All state is confined to the home executor, a serial one that the client owns.
 */
package org.weft.client.volume;
