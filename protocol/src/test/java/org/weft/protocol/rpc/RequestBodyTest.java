package org.weft.protocol.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.OpenSessionRequest;

/** What bodies become in memory. */
class RequestBodyTest {
  private static final int MAX_BYTES = ListenOptions.MAX_BODY_BYTES;
  private static final byte ITEMS_TAG = (byte) (BatchRequest.ITEMS_FIELD_NUMBER << 3 | 2);

  private static <T extends MessageLite> T parse(Parser<T> parser, byte[] body)
      throws WeftException {
    return RequestBody.parse(parser, ByteBuffer.wrap(body).asReadOnlyBuffer(), "a test");
  }

  /** Refused as malformed; less memory was taken meanwhile than a few copies of the body. */
  private static void assertRefusedCheaply(Parser<? extends MessageLite> parser, byte[] body) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    WeftException refusal = assertThrows(WeftException.class, () -> parse(parser, body));
    long taken = threads.getCurrentThreadAllocatedBytes() - before;
    assertEquals(ErrorCode.MALFORMED, refusal.code(), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("parts"), refusal.getMessage());
    assertTrue(taken < 3L * MAX_BYTES, "it took " + taken + " bytes");
  }

  @Test
  void millionsOfItemsAreCountedBeforeTheyAreMade() {
    byte[] body = new byte[MAX_BYTES];
    for (int at = 0; at < body.length; at += 2) {
      body[at] = ITEMS_TAG;
    }
    assertRefusedCheaply(BatchRequest.parser(), body);
  }

  @Test
  void partsOfPartsAreCounted() {
    byte[] unknown = new byte[MAX_BYTES - 100];
    for (int at = 0; at < unknown.length; at += 2) {
      unknown[at] = 15 << 3;
    }
    ByteString item = ByteString.copyFrom(unknown);
    ByteString body =
        ByteString.copyFrom(new byte[] {ITEMS_TAG}).concat(varint(item.size())).concat(item);
    assertRefusedCheaply(BatchRequest.parser(), body.toByteArray());
  }

  private static ByteString varint(int value) {
    ByteString.Output out = ByteString.newOutput();
    try {
      CodedOutputStream coded = CodedOutputStream.newInstance(out);
      coded.writeUInt32NoTag(value);
      coded.flush();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return out.toByteString();
  }

  private static byte[] distinctUnknownFields(int count) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    for (int number = 1_000; number < 1_000 + count; number++) {
      out.writeUInt32(number, 1);
    }
    out.flush();
    return bytes.toByteArray();
  }

  @Test
  void unknownFieldsAreNotKept() throws Exception {
    for (int count : new int[] {1, 3_000, 50_000}) {
      Empty parsed = parse(Empty.parser(), distinctUnknownFields(count));
      assertTrue(parsed.getUnknownFields().asMap().isEmpty(), count + " unknown fields");
    }
    assertRefusedCheaply(Empty.parser(), distinctUnknownFields(900_000));
  }

  @Test
  void stringsThatTakeNoBytesAreCounted() {
    byte[] body = new byte[1 << 20];
    for (int at = 0; at < body.length; at += 2) {
      body[at] = OpenSessionRequest.GROUPS_FIELD_NUMBER << 3 | 2;
    }
    assertRefusedCheaply(OpenSessionRequest.parser(), body);
  }

  @Test
  void theLargestBatchIsParsedAsItWasSent() throws Exception {
    BatchRequest.Builder batch = BatchRequest.newBuilder();
    for (int index = 0; index < 4_096; index++) {
      batch.addItems(
          BatchItem.newBuilder()
              .setOpcode(index)
              .setBody(ByteString.copyFrom(new byte[400]))
              .setPayload(ByteString.copyFrom(new byte[500]))
              .setMac(ByteString.copyFrom(new byte[16])));
    }
    BatchRequest sent = batch.build();
    assertEquals(sent, parse(BatchRequest.parser(), sent.toByteArray()));
  }

  @Test
  void aTruncatedBodyIsMalformed() {
    byte[] sent =
        BatchRequest.newBuilder()
            .addItems(BatchItem.newBuilder().setPayload(ByteString.copyFrom(new byte[40_000])))
            .build()
            .toByteArray();
    for (int bytes : new int[] {2, 20_000, 39_999}) {
      WeftException refusal =
          assertThrows(
              WeftException.class, () -> parse(BatchRequest.parser(), Arrays.copyOf(sent, bytes)));
      assertEquals(ErrorCode.MALFORMED, refusal.code());
    }
  }
}
