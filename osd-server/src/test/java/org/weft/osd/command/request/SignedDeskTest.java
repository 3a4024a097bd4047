package org.weft.osd.command.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.weft.osd.harness.FakeInbound;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.wire.Empty;
import org.weft.testkit.rpc.FakePeer;

/** Peers with the join token get a reply, others do not; other requests are handed on. */
class SignedDeskTest implements RpcService {
  private final List<Integer> handedOn = new ArrayList<>();
  private int connections;
  private int answered;
  private final SignedDesk desk =
      new SignedDesk(this, Opcode.SCRUB_NOW, new byte[32]) {
        @Override
        protected void answer(InboundRequest request) {
          answered++;
          request.reply(Empty.getDefaultInstance());
        }
      };

  @Override
  public void handle(InboundRequest request) {
    handedOn.add(request.opcodeNumber());
  }

  @Override
  public void connected(RpcPeer peer) {
    connections++;
  }

  @Override
  public void disconnected(RpcPeer peer) {
    connections--;
  }

  private static FakeInbound request(Opcode opcode, boolean signed) {
    return new FakeInbound(opcode.number(), new byte[0], new byte[0], signed);
  }

  @Test
  void aSignedRequestIsAnswered() {
    FakeInbound request = request(Opcode.SCRUB_NOW, true);
    desk.handle(request);
    assertEquals(Empty.getDefaultInstance(), request.answer().join());
    assertEquals(List.of(), handedOn);
  }

  @Test
  void anUnsignedOneIsRefusedByItsName() {
    FakeInbound request = request(Opcode.SCRUB_NOW, false);
    desk.handle(request);
    WeftException refused =
        WeftException.of(assertThrows(CompletionException.class, request.answer()::join));
    assertEquals(ErrorCode.UNAUTHENTICATED, refused.code());
    assertTrue(refused.getMessage().startsWith("SCRUB_NOW must be signed"), refused.getMessage());
    assertEquals(0, answered);
  }

  @Test
  void otherRequestsAndConnectionsArePassedOn() {
    desk.handle(request(Opcode.READ, false));
    assertEquals(List.of(Opcode.READ.number()), handedOn);
    RpcPeer peer = FakePeer.client();
    desk.connected(peer);
    assertEquals(1, connections);
    desk.disconnected(peer);
    assertEquals(0, connections);
  }
}
