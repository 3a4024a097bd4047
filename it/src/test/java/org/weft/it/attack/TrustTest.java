package org.weft.it.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.weft.it.attack.AttackedManager.Wire;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.GetAttributesOfRequest;
import org.weft.protocol.wire.LookUpNodeRequest;
import org.weft.protocol.wire.NodeRef;
import org.weft.protocol.wire.NodeReply;
import org.weft.protocol.wire.OnBehalfOf;
import org.weft.protocol.wire.OpenSessionReply;
import org.weft.protocol.wire.OpenSessionRequest;
import org.weft.protocol.wire.RequestContext;

/**
 * Only a holder of the join token asks for nodes by their numbers, or on behalf of others (P 6.5c).
 */
class TrustTest {
  private static final long ROOT = 1;

  @TempDir Path folder;
  private AttackedManager manager;

  @BeforeEach
  void aManagerThatServes() throws Exception {
    manager = new AttackedManager(folder);
  }

  @AfterEach
  void end() throws Exception {
    manager.close();
  }

  private static String refused(ErrorCode code, Executable attack) {
    WeftException refusal = assertThrows(WeftException.class, attack);
    assertEquals(code, refusal.code(), refusal.getMessage());
    return refusal.getMessage();
  }

  private static OpenSessionRequest trusted(long nonce) {
    return RawSession.opening("gateway", nonce).toBuilder().setTrusted(true).build();
  }

  private static OpenSessionReply open(Wire wire, long nonce, byte[] secret) throws WeftException {
    return wire.ask(OpenSessionReply.parser(), Opcode.OPEN_SESSION, trusted(nonce), secret);
  }

  private static RequestContext.Builder context(OpenSessionReply session, long sequence) {
    return RequestContext.newBuilder()
        .setVolumeId(AttackedManager.VOLUME)
        .setSessionId(session.getSessionId())
        .setSlotSequence(sequence);
  }

  private static NodeReply look(Wire wire, OpenSessionReply session, long sequence)
      throws WeftException {
    LookUpNodeRequest request =
        LookUpNodeRequest.newBuilder()
            .setContext(
                context(session, sequence)
                    .setOnBehalfOf(OnBehalfOf.newBuilder().setUser("ann").addGroups("makers")))
            .setNodeId(ROOT)
            .build();
    return wire.ask(
        NodeReply.parser(), Opcode.LOOK_UP_NODE, request, session.getSecret().toByteArray());
  }

  @Test
  void aTrustedSessionTakesASignatureByTheJoinToken() throws Exception {
    Wire wire = manager.wire();
    refused(ErrorCode.UNAUTHENTICATED, () -> open(wire, 1, null));
    byte[] others = JoinSecret.of("another".getBytes(StandardCharsets.US_ASCII));
    String said = refused(ErrorCode.UNAUTHENTICATED, () -> open(wire, 2, others));
    assertTrue(said.contains("join token"), said);
    refused(ErrorCode.UNAUTHENTICATED, () -> open(wire, 3, new byte[32]));
    OpenSessionReply session = open(wire, 4, manager.joinSecret());
    assertEquals(ROOT, look(wire, session, 1).getNode().getAfter().getObjectId());
  }

  @Test
  void aSessionThatWasOpenedWithoutItStaysWithoutTrust() throws Exception {
    Wire wire = manager.wire();
    OpenSessionReply plain = RawSession.opened(wire, "weft", 5);
    refused(ErrorCode.UNAUTHENTICATED, () -> look(wire, plain, 1));
    GetAttributesOfRequest forAnother =
        GetAttributesOfRequest.newBuilder()
            .setContext(
                context(plain, 2)
                    .setOnBehalfOf(
                        OnBehalfOf.newBuilder()
                            .setUser("root")
                            .addGroups("root")
                            .setSuperuser(true)))
            .setNode(NodeRef.newBuilder().setPath(""))
            .build();
    refused(
        ErrorCode.UNAUTHENTICATED,
        () ->
            wire.ask(
                AttributesReply.parser(),
                Opcode.GET_ATTRIBUTES_OF,
                forAnother,
                plain.getSecret().toByteArray()));
    // The same nonce with the token opens nothing that was opened without, and the other way round.
    refused(ErrorCode.UNAUTHENTICATED, () -> openAgain(wire));
  }

  private void openAgain(Wire wire) throws WeftException {
    var unused = open(wire, 6, manager.joinSecret());
    var stolen =
        wire.ask(
            OpenSessionReply.parser(), Opcode.OPEN_SESSION, RawSession.opening("gateway", 6), null);
    throw new AssertionError("a stranger was told the secret of session " + stolen.getSessionId());
  }
}
