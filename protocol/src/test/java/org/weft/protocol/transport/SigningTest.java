package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.protocol.transport.TestWire.failure;
import static org.weft.protocol.transport.TestWire.get;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.BatchSigning;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.RpcError;

/**
 * P 5.7 over real sockets: which requests are signed, what is bound, and that a captured frame is
 * worth nothing.
 */
@Timeout(60)
class SigningTest {
  private static final byte[] SECRET = "the secret".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] OTHER = "another secret".getBytes(StandardCharsets.US_ASCII);

  /** Wants frames signed with SECRET, and items of batches signed with it each. */
  private static void check(InboundRequest request) {
    try {
      if (request.opcodeNumber() == Opcode.BATCH.number()) {
        request.reply(checkItems(request, request.parse(BatchRequest.parser())));
      } else if (request.signedWith(SECRET)) {
        request.reply(Empty.getDefaultInstance());
      } else {
        request.fail(ErrorCode.CAPABILITY_INVALID, "the signature is not right");
      }
    } catch (WeftException e) {
      request.fail(e);
    }
  }

  private static BatchReply checkItems(InboundRequest request, BatchRequest batch) {
    BatchReply.Builder reply = BatchReply.newBuilder();
    for (int i = 0; i < batch.getItemsCount(); i++) {
      BatchItem item = batch.getItems(i);
      boolean good =
          request.itemSignedWith(
              SECRET,
              i,
              item.getOpcode(),
              item.getBody().asReadOnlyByteBuffer(),
              item.getMac().toByteArray());
      reply.addItems(
          BatchItemReply.newBuilder().setError(good ? 0 : ErrorCode.CAPABILITY_INVALID.number()));
    }
    return reply.build();
  }

  private static RpcError body() {
    return RpcError.newBuilder().setMessage("write this").build();
  }

  private static BatchRequest batch(int items) {
    BatchRequest.Builder batch = BatchRequest.newBuilder();
    for (int i = 0; i < items; i++) {
      batch.addItems(
          BatchItem.newBuilder()
              .setOpcode(Opcode.REMOVE.number())
              .setBody(ByteString.copyFromUtf8("item " + i)));
    }
    return batch.build();
  }

  private static List<Integer> errors(BatchReply reply) {
    return reply.getItemsList().stream().map(BatchItemReply::getError).toList();
  }

  @Test
  void rightSecretPassesAndWrongOrNoneDoesNot() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(SigningTest::check)) {
      RpcConnection connection = wire.connect(listener);
      for (int i = 0; i < 20; i++) {
        get(connection.call(RpcRequest.signed(Opcode.WRITE, body(), 5_000, SECRET)))
            .payload()
            .release();
      }
      failure(
          ErrorCode.CAPABILITY_INVALID,
          connection.call(RpcRequest.signed(Opcode.WRITE, body(), 5_000, OTHER)));
      failure(
          ErrorCode.CAPABILITY_INVALID,
          connection.call(RpcRequest.unsigned(Opcode.WRITE, body(), 5_000)));
    }
  }

  @Test
  void aProvenAnswerCountsWhetherGoodOrBad() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener =
            wire.listen(
                request -> {
                  assertTrue(request.signedWith(SECRET));
                  if (request.opcodeNumber() == Opcode.WRITE.number()) {
                    request.reply(body());
                  } else {
                    request.fail(ErrorCode.NO_SPACE, "full");
                  }
                })) {
      RpcConnection connection = wire.connect(listener);
      for (int i = 0; i < 20; i++) {
        assertEquals(
            body(),
            get(connection.call(RpcRequest.proven(Opcode.WRITE, body(), 5_000, SECRET)))
                .parse(RpcError.parser()));
      }
      failure(
          ErrorCode.NO_SPACE,
          connection.call(RpcRequest.proven(Opcode.PUNCH, body(), 5_000, SECRET)));
    }
  }

  @Test
  void answersOfAServerWithoutTheSecretDoNotCount() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener =
            wire.listen(
                request -> {
                  switch (Opcode.of(request.opcodeNumber()).orElseThrow()) {
                    case WRITE -> request.reply(body());
                    case PUNCH -> request.fail(ErrorCode.NO_SPACE, "full");
                    case READ -> {
                      // A secret that it took from elsewhere helps it no more.
                      assertFalse(request.signedWith(OTHER));
                      request.reply(body());
                    }
                    default -> request.fail(ErrorCode.UNAUTHENTICATED, "other secret");
                  }
                })) {
      RpcConnection connection = wire.connect(listener);
      for (Opcode opcode : List.of(Opcode.WRITE, Opcode.PUNCH, Opcode.READ)) {
        failure(
            ErrorCode.UNAVAILABLE,
            connection.call(RpcRequest.proven(opcode, body(), 5_000, SECRET)));
      }
      failure(
          ErrorCode.UNAUTHENTICATED,
          connection.call(RpcRequest.proven(Opcode.REMOVE, body(), 5_000, SECRET)));
      assertTrue(connection.isOpen());
    }
  }

  /** The MAC covers no payload, so a proven answer has none. */
  @Test
  void aPayloadBehindAProvenAnswerDoesNotCount() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener =
            wire.listen(
                request -> {
                  assertTrue(request.signedWith(SECRET));
                  request.reply(body(), Payload.of(ByteBuffer.allocate(10)));
                })) {
      RpcConnection connection = wire.connect(listener);
      failure(
          ErrorCode.UNAVAILABLE,
          connection.call(RpcRequest.proven(Opcode.WRITE, body(), 5_000, SECRET)));
    }
  }

  /** What a server signed once, on a connection with the same nonce of the server's. */
  @Test
  void aRecordedAnswerIsWorthNothingOnAnotherConnection() throws Exception {
    RpcRequest request = RpcRequest.proven(Opcode.WRITE, body(), 5_000, SECRET);
    // No socket of the machine, which would lead past the recording.
    TransportOptions options = TestWire.options(false, 1 << 20, 5_000, 10_000);
    try (TestWire wire = new TestWire(options);
        RpcListener listener = wire.listen(SigningTest::check);
        Recording recording = Recording.of(listener.address())) {
      RpcConnection genuine = wire.connect(recording.address());
      get(genuine.call(request)).payload().release();
      genuine.close();
      recording.replay();
      RpcConnection deceived = wire.connect(recording.address());
      failure(ErrorCode.UNAVAILABLE, deceived.call(request));
    }
  }

  @Test
  void everyItemOfABatchIsSignedOnItsOwn() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(SigningTest::check)) {
      RpcConnection connection = wire.connect(listener);
      List<byte[]> secrets = new ArrayList<>(List.of(SECRET, OTHER, SECRET));
      BatchReply reply =
          get(connection.call(RpcRequest.batch(batch(3), secrets, 5_000)))
              .parse(BatchReply.parser());
      int invalid = ErrorCode.CAPABILITY_INVALID.number();
      assertEquals(List.of(0, invalid, 0), errors(reply));
    }
  }

  @Test
  void itemsAtOtherPlacesAreNotSigned() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(SigningTest::check);
        RawClient raw = RawClient.greeted(listener.address())) {
      List<byte[]> secrets = List.of(SECRET, SECRET);
      int invalid = ErrorCode.CAPABILITY_INVALID.number();
      BatchRequest good = BatchSigning.sign(batch(2), secrets, raw.nonce(), 40, raw.nextCounter());
      assertEquals(List.of(0, 0), errors(send(raw, 40, good)));
      // The same items in the next frame.
      assertEquals(List.of(invalid, invalid), errors(send(raw, 41, good)));
      // In the frame they were signed for, but at each other's index.
      BatchRequest signed =
          BatchSigning.sign(batch(2), secrets, raw.nonce(), 42, raw.nextCounter());
      BatchRequest swapped =
          BatchRequest.newBuilder()
              .addItems(signed.getItems(1))
              .addItems(signed.getItems(0))
              .build();
      assertEquals(List.of(invalid, invalid), errors(send(raw, 42, swapped)));
    }
  }

  private static BatchReply send(RawClient raw, long requestId, BatchRequest batch)
      throws Exception {
    raw.send(raw.request(Opcode.BATCH, requestId, batch, new byte[0], null));
    return BatchReply.parseFrom(raw.read().body());
  }

  @Test
  void frameForgedOnTheWayIsNotSigned() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(SigningTest::check);
        RawClient raw = RawClient.greeted(listener.address())) {
      raw.send(raw.request(Opcode.WRITE, 1, body(), new byte[0], SECRET));
      assertEquals(0, raw.read().body().length);
      // Opcode, deadline and body, changed after signing.
      for (int at : new int[] {7, 31, 60}) {
        byte[] frame = raw.request(Opcode.WRITE, 2 + at, body(), new byte[0], SECRET);
        frame[at] ^= 1;
        raw.send(frame);
        assertEquals(
            ErrorCode.CAPABILITY_INVALID.number(), raw.read().error().getCode(), "byte " + at);
      }
    }
  }

  @Test
  void capturedFrameIsWorthNothingOnAnotherConnection() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(SigningTest::check);
        RawClient victim = RawClient.greeted(listener.address());
        RawClient thief = RawClient.greeted(listener.address())) {
      byte[] captured = victim.request(Opcode.WRITE, 1, body(), new byte[0], SECRET);
      victim.send(captured);
      assertEquals(0, victim.read().body().length);
      thief.send(captured);
      assertEquals(ErrorCode.CAPABILITY_INVALID.number(), thief.read().error().getCode());
    }
  }

  @Test
  void frameSentTwiceEndsTheConnection() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(SigningTest::check);
        RawClient raw = RawClient.greeted(listener.address())) {
      byte[] frame = raw.request(Opcode.WRITE, 1, body(), new byte[0], SECRET);
      raw.send(frame);
      assertEquals(0, raw.read().body().length);
      raw.send(frame);
      RpcError error = raw.read().error();
      assertEquals(ErrorCode.MALFORMED.number(), error.getCode());
      assertTrue(error.getMessage().contains("repeated"), error.getMessage());
      assertTrue(raw.endedByServer());
    }
  }
}
