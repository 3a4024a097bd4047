/**
 * ONC RPC: XDR (RFC 4506), record marking and messages (RFC 5531), a server and a client over TCP.
 * The one package of this module that knows Netty. Each connection lives on the event loop that
 * took it; programs are called there and answer from any thread.
 */
package org.weft.nfs.oncrpc;
