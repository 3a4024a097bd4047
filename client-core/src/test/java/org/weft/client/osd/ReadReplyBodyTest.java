package org.weft.client.osd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.BlockRun;
import org.weft.protocol.wire.ReadReply;
import org.weft.protocol.wire.Stamp;

/** A body means what protobuf says, however it is taken apart. */
class ReadReplyBodyTest {
  private static ReadReply reply(Random random) {
    ReadReply.Builder reply = ReadReply.newBuilder();
    if (random.nextBoolean()) {
      reply.setEof(random.nextLong()).setTruncationNumber(random.nextInt());
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      reply.addRuns(
          BlockRun.newBuilder()
              .setFirstBlock(random.nextLong())
              .setBlockCount(random.nextInt(1000)));
    }
    for (int i = random.nextInt(300); i > 0; i--) {
      reply.addBlockCrc(random.nextInt());
    }
    if (random.nextBoolean()) {
      reply.setPending(true).setMapGeneration(random.nextInt());
      reply.addStamps(Stamp.newBuilder().setGrant(random.nextLong()).setSeq(random.nextInt(9)));
    }
    return reply.build();
  }

  /** Both ways give the same, or both refuse. */
  private static boolean compare(byte[] body) throws InvalidProtocolBufferException {
    ReadReply right;
    try {
      right = ReadReply.parseFrom(body);
    } catch (InvalidProtocolBufferException e) {
      WeftException refusal =
          assertThrows(WeftException.class, () -> ReadReplyBody.of(ByteBuffer.wrap(body)));
      assertEquals(ErrorCode.MALFORMED, refusal.code());
      return false;
    }
    ReadReplyBody parts;
    try {
      // In a frame something stands before it and behind.
      ByteBuffer frame = ByteBuffer.allocate(body.length + 12).put(7, body);
      parts = ReadReplyBody.of(frame.position(7).limit(7 + body.length).asReadOnlyBuffer());
    } catch (WeftException e) {
      throw new AssertionError("protobuf reads it", e);
    }
    List<Integer> crcs = new ArrayList<>();
    for (int i = 0; i < parts.crcs().count(); i++) {
      crcs.add(parts.crcs().at(i));
    }
    assertEquals(right.getBlockCrcList(), crcs);
    assertEquals(right.toBuilder().clearBlockCrc().build(), parts.rest());
    return true;
  }

  @ParameterizedTest
  @ValueSource(longs = {95_830_000, 95_830_001, 95_830_002, 95_830_003})
  void anyBodyReadsAsProtobufReadsIt(long seed) throws InvalidProtocolBufferException {
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      assertTrue(compare(reply(random).toByteArray()));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {95_830_010, 95_830_011, 95_830_012, 95_830_013})
  void aDamagedBodyReadsAsProtobufReadsIt(long seed) throws InvalidProtocolBufferException {
    Random random = new Random(seed);
    int read = 0;
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] body = reply(random).toByteArray();
      for (int flips = 1 + random.nextInt(3); flips > 0 && body.length > 0; flips--) {
        // Most of a body are checksums: what stands before them is met as often.
        int most = random.nextBoolean() ? body.length : Math.min(body.length, 60);
        body[random.nextInt(most)] = (byte) random.nextInt();
      }
      int length = random.nextInt(4) == 0 ? random.nextInt(body.length + 1) : body.length;
      boolean isRead = compare(Arrays.copyOf(body, length));
      read += isRead ? 1 : 0;
      refused += isRead ? 0 : 1;
    }
    assertTrue(read > 1_000 && refused > 1_000, read + " were read and " + refused + " refused");
  }

  /** As OSDs answer, whether the blocks are few or many. */
  @ParameterizedTest
  @ValueSource(ints = {1, 16, 31, 32, 256, 4_096, 70_000})
  void aReadReplyIsParsedWithoutReadingItsChecksums(int blocks)
      throws InvalidProtocolBufferException {
    ReadReply.Builder reply =
        ReadReply.newBuilder().setEof(1L << 40).setTruncationNumber(3).setMapGeneration(900);
    reply.addRuns(BlockRun.newBuilder().setFirstBlock(1L << 20).setBlockCount(blocks));
    for (int block = 0; block < blocks; block++) {
      reply.addBlockCrc(block * 0x9E3779B9);
    }
    byte[] body = reply.build().toByteArray();
    ReadReplyBody apart = ReadReplyBody.apart(body);
    assertNotNull(apart);
    assertEquals(blocks, apart.crcs().count());
    assertTrue(compare(body));
    // Without blocks there is nothing to leave unread.
    assertNull(ReadReplyBody.apart(reply.clearBlockCrc().build().toByteArray()));
  }

  @Test
  void checksumsInSeveralPiecesOrUnpackedAreThereAsWell() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.writeUInt64(ReadReply.EOF_FIELD_NUMBER, 5);
    out.writeFixed32(ReadReply.BLOCK_CRC_FIELD_NUMBER, 11);
    out.writeByteArray(ReadReply.BLOCK_CRC_FIELD_NUMBER, new byte[] {1, 0, 0, 0, 2, 0, 0, 0});
    out.writeByteArray(ReadReply.BLOCK_CRC_FIELD_NUMBER, new byte[] {3, 0, 0, 0});
    out.writeUInt32(1_000, 7);
    out.flush();
    assertTrue(compare(bytes.toByteArray()));
  }
}
