package org.weft.nfs.oncrpc;

import java.net.InetSocketAddress;

/**
 * A call as its header states it (RFC 5531 section 9).
 *
 * @param xid the caller's number for the call; a repeat has the same one
 * @param client where the call came from
 * @param server the address here that it came to
 * @param checksum over procedure, credential, verifier and the first bytes of the arguments, to
 *     tell a repeat from another call that was given the same number
 */
public record RpcCall(
    int xid,
    int program,
    int version,
    int procedure,
    RpcCredential credential,
    InetSocketAddress client,
    InetSocketAddress server,
    int checksum) {}
