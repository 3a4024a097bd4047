/**
 * The wire in a daemon or a client: {@link org.weft.protocol.seam.Transport} on Netty. Netty's
 * types stay inside. Each connection belongs to one event loop, which alone touches its state;
 * other threads leave messages in its inbox.
 */
package org.weft.protocol.transport;
