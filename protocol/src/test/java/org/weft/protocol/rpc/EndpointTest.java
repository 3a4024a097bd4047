package org.weft.protocol.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.Empty;

class EndpointTest {
  @ParameterizedTest
  @CsvSource({
    "localhost:7300, localhost, 7300",
    "10.1.2.3:0, 10.1.2.3, 0",
    "[::1]:7400, ::1, 7400",
    "host.example.org:65535, host.example.org, 65535"
  })
  void parsedEndpointPrintsAsItCame(String text, String host, int port) {
    Endpoint endpoint = Endpoint.parse(text);
    assertEquals(new Endpoint(host, port), endpoint);
    assertEquals(text, endpoint.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "host", ":7300", "host:", "host:x", "host:-1", "host:65536", "[]:5", " :1"})
  void nonsenseIsRefused(String text) {
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> Endpoint.parse(text));
    assertTrue(refusal.getMessage().length() > 10);
  }

  @ParameterizedTest
  @EnumSource(Opcode.class)
  void opcodeIsFoundByItsNumber(Opcode opcode) {
    assertEquals(opcode, Opcode.of(opcode.number()).orElseThrow());
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void errorCodeIsFoundByItsNumber(ErrorCode code) {
    assertEquals(code, ErrorCode.of(code.number()));
  }

  @Test
  void unknownNumbersAreTold() {
    assertTrue(Opcode.of(0x7fff).isEmpty());
    assertEquals(ErrorCode.INTERNAL, ErrorCode.of(9_999));
  }

  @Test
  void failureBehindAFutureIsFound() {
    WeftException inner = new WeftException(ErrorCode.BUSY, "wait");
    assertEquals(inner, WeftException.of(new CompletionException(new CompletionException(inner))));
    assertEquals(ErrorCode.INTERNAL, WeftException.of(new IllegalStateException()).code());
  }

  @Test
  void payloadIsReleasedOnceAndItsBuffersStay() {
    AtomicInteger released = new AtomicInteger();
    ByteBuffer buffer = ByteBuffer.allocate(10).position(3);
    Payload payload =
        Payload.of(List.of(buffer, ByteBuffer.allocate(5)), released::incrementAndGet);
    assertEquals(12, payload.lengthBytes());
    payload.buffers().get(0).get();
    assertEquals(7, payload.buffers().get(0).remaining());
    assertTrue(payload.buffers().get(0).isReadOnly());
    payload.release();
    payload.release();
    assertEquals(1, released.get());
  }

  @Test
  void batchNeedsASecretForEachItem() {
    BatchRequest batch =
        BatchRequest.newBuilder().addItems(BatchItem.newBuilder().setOpcode(1)).build();
    assertEquals(1, RpcRequest.batch(batch, List.of(new byte[1]), 10).itemSecrets().size());
    assertThrows(
        IllegalArgumentException.class,
        () -> RpcRequest.batch(batch, List.of(new byte[1], new byte[1]), 10));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new RpcRequest(
                Opcode.READ,
                Empty.getDefaultInstance(),
                Payload.EMPTY,
                10,
                null,
                List.of(new byte[1]),
                false));
    assertThrows(
        IllegalArgumentException.class,
        () -> RpcRequest.proven(Opcode.READ, Empty.getDefaultInstance(), 10, null));
    assertThrows(
        IllegalArgumentException.class,
        () -> RpcRequest.unsigned(Opcode.READ, Empty.getDefaultInstance(), 0));
  }
}
