package org.weft.nfs.oncrpc;

import java.net.InetSocketAddress;

/**
 * A call as its header states it (RFC 5531 section 9).
 *
 * @param xid the caller's number for the call; a repeat has the same one
 * @param client where the call came from
 * @param server the address here that it came to
 * @param mark distinguishes a repeat from another call with the same number; {@link CallMark#NONE}
 *     where repeats are executed like any other call
 */
public record RpcCall(
    int xid,
    int program,
    int version,
    int procedure,
    RpcCredential credential,
    InetSocketAddress client,
    InetSocketAddress server,
    CallMark mark) {
  RpcCall marked(CallMark newMark) {
    return new RpcCall(xid, program, version, procedure, credential, client, server, newMark);
  }
}
