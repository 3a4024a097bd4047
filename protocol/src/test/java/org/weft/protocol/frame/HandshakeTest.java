package org.weft.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.wire.Hello;
import org.weft.protocol.wire.HelloReply;

class HandshakeTest {
  private static final ClusterId ONE = new ClusterId("1".repeat(32));
  private static final ClusterId TWO = new ClusterId("2".repeat(32));
  private static final byte[] NONCE = new byte[16];
  private static final Endpoint SERVER = new Endpoint("server", 7400);

  private static ListenOptions server(Optional<ClusterId> cluster) {
    return ListenOptions.of(() -> cluster, "osd-3", 17);
  }

  private static Hello hello(Optional<ClusterId> cluster) {
    return Handshake.hello(VersionRange.SUPPORTED, ConnectOptions.to(cluster, "client-8"), NONCE);
  }

  private static HelloReply accept(Optional<ClusterId> client, Optional<ClusterId> server)
      throws WeftException {
    return Handshake.accept(hello(client), VersionRange.SUPPORTED, server(server), NONCE);
  }

  @Test
  void bothSidesLearnTheIdentityOfTheOther() throws Exception {
    HelloReply reply = accept(Optional.of(ONE), Optional.of(ONE));
    assertEquals(
        new PeerInfo(SERVER, "osd-3", Optional.of(ONE), 17, 2),
        Handshake.serverInfo(
            reply,
            VersionRange.SUPPORTED,
            ConnectOptions.to(Optional.of(ONE), "client-8"),
            SERVER));
    assertEquals(
        new PeerInfo(SERVER, "client-8", Optional.of(ONE), 0, 2),
        Handshake.clientInfo(hello(Optional.of(ONE)), SERVER, reply.getVersion()));
    assertEquals(ListenOptions.MAX_BODY_BYTES, reply.getMaxBodyBytes());
    assertEquals(ListenOptions.MAX_PAYLOAD_BYTES, reply.getMaxPayloadBytes());
  }

  @Test
  void aPeerThatKnowsNoClusterYetPasses() throws Exception {
    assertEquals(ONE.value(), accept(Optional.empty(), Optional.of(ONE)).getClusterId());
    assertEquals("", accept(Optional.of(ONE), Optional.empty()).getClusterId());
    assertEquals("", accept(Optional.empty(), Optional.empty()).getClusterId());
  }

  @Test
  void otherClusterIsRefusedWithBothIds() {
    WeftException refusal =
        assertThrows(WeftException.class, () -> accept(Optional.of(ONE), Optional.of(TWO)));
    assertEquals(ErrorCode.WRONG_CLUSTER, refusal.code());
    assertTrue(refusal.getMessage().contains(ONE.value()), refusal.getMessage());
    assertTrue(refusal.getMessage().contains(TWO.value()), refusal.getMessage());
  }

  @Test
  void aClientRefusesAnotherClusterToo() throws Exception {
    HelloReply reply = accept(Optional.empty(), Optional.of(TWO));
    WeftException refusal =
        assertThrows(
            WeftException.class,
            () ->
                Handshake.serverInfo(
                    reply,
                    VersionRange.SUPPORTED,
                    ConnectOptions.to(Optional.of(ONE), "client"),
                    SERVER));
    assertEquals(ErrorCode.WRONG_CLUSTER, refusal.code());
  }

  @ParameterizedTest
  @CsvSource({"1,1, 1,1, 1", "1,3, 2,5, 3", "2,5, 1,3, 3", "3,9, 1,3, 3", "1,9, 4,4, 4"})
  void highestCommonVersionIsChosen(
      int clientMin, int clientMax, int serverMin, int serverMax, int chosen) throws Exception {
    Hello hello =
        Handshake.hello(
            new VersionRange(clientMin, clientMax),
            ConnectOptions.to(Optional.empty(), "c"),
            NONCE);
    HelloReply reply =
        Handshake.accept(
            hello, new VersionRange(serverMin, serverMax), server(Optional.empty()), NONCE);
    assertEquals(chosen, reply.getVersion());
  }

  @ParameterizedTest
  @CsvSource({"1,2, 3,4", "5,6, 3,4"})
  void noCommonVersionIsRefusedWithBothRanges(
      int clientMin, int clientMax, int serverMin, int serverMax) {
    Hello hello =
        Handshake.hello(
            new VersionRange(clientMin, clientMax),
            ConnectOptions.to(Optional.empty(), "c"),
            NONCE);
    WeftException refusal =
        assertThrows(
            WeftException.class,
            () ->
                Handshake.accept(
                    hello,
                    new VersionRange(serverMin, serverMax),
                    server(Optional.empty()),
                    NONCE));
    assertEquals(ErrorCode.VERSION_MISMATCH, refusal.code());
    assertTrue(refusal.getMessage().contains(clientMin + " to " + clientMax), refusal::toString);
    assertTrue(refusal.getMessage().contains(serverMin + " to " + serverMax), refusal::toString);
  }

  @Test
  void nonsenseIsMalformed() {
    Hello good = hello(Optional.empty());
    assertMalformed(good.toBuilder().setMinVersion(0).build());
    assertMalformed(good.toBuilder().setMinVersion(-1).setMaxVersion(-1).build());
    assertMalformed(good.toBuilder().setMinVersion(2).setMaxVersion(1).build());
    assertMalformed(good.toBuilder().setClusterId("not an id").build());
    assertMalformed(good.toBuilder().setBackgroundPercent(101).build());
    assertMalformed(good.toBuilder().setBackgroundPercent(-1).build());
  }

  private static void assertMalformed(Hello hello) {
    WeftException refusal =
        assertThrows(
            WeftException.class,
            () -> Handshake.accept(hello, VersionRange.SUPPORTED, server(Optional.of(ONE)), NONCE));
    assertEquals(ErrorCode.MALFORMED, refusal.code());
  }

  @Test
  void aHandshakeStatesABackgroundShareWhereThereIsOne() throws Exception {
    ConnectOptions usual = ConnectOptions.to(Optional.empty(), "manager-1");
    Hello before = Handshake.hello(VersionRange.SUPPORTED, usual, NONCE);
    assertEquals(0, before.getBackgroundPercent());
    Hello shared = Handshake.hello(VersionRange.SUPPORTED, usual.withBackground(30), NONCE);
    assertEquals(30, Hello.parseFrom(shared.toByteString()).getBackgroundPercent());
    var unused = Handshake.accept(shared, VersionRange.SUPPORTED, server(Optional.of(ONE)), NONCE);
    assertThrows(IllegalArgumentException.class, () -> usual.withBackground(101));
    assertThrows(IllegalArgumentException.class, () -> usual.withBackground(-1));
  }

  @Test
  void replyIsNotBelievedBlindly() throws Exception {
    HelloReply good = accept(Optional.empty(), Optional.empty());
    assertRefused(
        ErrorCode.MALFORMED, good.toBuilder().setNonce(ByteString.copyFrom(new byte[15])).build());
    assertRefused(ErrorCode.MALFORMED, good.toBuilder().setMaxBodyBytes(-5).build());
    assertRefused(ErrorCode.MALFORMED, good.toBuilder().setClusterId("x").build());
    assertRefused(ErrorCode.VERSION_MISMATCH, good.toBuilder().setVersion(1).build());
    assertRefused(ErrorCode.VERSION_MISMATCH, good.toBuilder().setVersion(3).build());
  }

  /** Its messages have arrays where those of this release have nested messages. */
  @Test
  void aPeerOfTheVersionBeforeIsRefusedWithBothNumbers() {
    Hello before =
        Handshake.hello(
            new VersionRange(1, 1), ConnectOptions.to(Optional.of(ONE), "client-8"), NONCE);
    WeftException refusal =
        assertThrows(
            WeftException.class,
            () ->
                Handshake.accept(before, VersionRange.SUPPORTED, server(Optional.of(ONE)), NONCE));
    assertEquals(ErrorCode.VERSION_MISMATCH, refusal.code());
    assertEquals(
        "osd-3 speaks version 2 of the protocol, the caller version 1; upgrade the older of the two",
        refusal.getMessage());
  }

  private static void assertRefused(ErrorCode code, HelloReply reply) {
    WeftException refusal =
        assertThrows(
            WeftException.class,
            () ->
                Handshake.serverInfo(
                    reply,
                    VersionRange.SUPPORTED,
                    ConnectOptions.to(Optional.empty(), "c"),
                    SERVER));
    assertEquals(code, refusal.code());
  }

  @Test
  void namesAreCutAndCleaned() throws Exception {
    Hello hello = hello(Optional.empty()).toBuilder().setCaller("a\nb" + "x".repeat(1_000)).build();
    String name = Handshake.clientInfo(hello, SERVER, 1).name();
    assertEquals("a?b", name.substring(0, 3));
    assertEquals(256, name.length());
  }
}
