package org.weft.osd.command.request;

import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcService;

/**
 * Answers one kind of request, for those that have the join token alone, and hands every other
 * request on. It needs no capability, so that it is answered before the OSD knows its cluster.
 */
public abstract class SignedDesk implements RpcService {
  private final RpcService others;
  private final Opcode opcode;
  private final byte[] joinSecret;

  /**
   * @param others answers everything else
   */
  protected SignedDesk(RpcService others, Opcode opcode, byte[] joinSecret) {
    this.others = others;
    this.opcode = opcode;
    this.joinSecret = joinSecret.clone();
  }

  /** Answers a request that is signed as it must be. */
  protected abstract void answer(InboundRequest request);

  @Override
  public final void handle(InboundRequest request) {
    if (request.opcodeNumber() != opcode.number()) {
      others.handle(request);
    } else if (!request.signedWith(joinSecret)) {
      request.fail(
          ErrorCode.UNAUTHENTICATED,
          opcode + " must be signed with the secret made from the join token");
    } else {
      answer(request);
    }
  }

  @Override
  public final void connected(RpcPeer peer) {
    others.connected(peer);
  }

  @Override
  public final void disconnected(RpcPeer peer) {
    others.disconnected(peer);
  }
}
