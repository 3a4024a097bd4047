package org.weft.nfs.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordDecoderTest {
  private static final int ROUNDS = 1_000 * Integer.getInteger("weft.times", 1);
  private static final int MAX_BYTES = 64;

  /** Takes everything unless it is told that there is no room. */
  private static final class Sink implements RecordSink {
    private final List<String> records = new ArrayList<>();
    private final List<String> malformed = new ArrayList<>();
    private int room = Integer.MAX_VALUE;
    private boolean isShortInTheMidst;
    private int taken;
    private int mostTaken;

    @Override
    public boolean take(int bytes, boolean first) {
      if (room == 0 && (first || isShortInTheMidst)) {
        return false;
      }
      room -= first ? 1 : 0;
      taken += bytes;
      mostTaken = Math.max(mostTaken, taken);
      return true;
    }

    @Override
    public void give(int bytes) {
      taken -= bytes;
    }

    @Override
    public void arrived(ByteBuf record) {
      taken -= record.readableBytes();
      byte[] bytes = new byte[record.readableBytes()];
      record.readBytes(bytes);
      records.add(HexFormat.of().formatHex(bytes));
      assertEquals(1, record.refCnt());
      record.release();
    }

    @Override
    public void malformed(String why) {
      malformed.add(why);
    }
  }

  private long nowNanos;
  private final Sink sink = new Sink();
  private final RecordDecoder decoder = new RecordDecoder(sink, MAX_BYTES, () -> nowNanos);
  private final EmbeddedChannel channel = new EmbeddedChannel(decoder);

  private ByteBuf feed(String hex) {
    ByteBuf bytes = Unpooled.directBuffer().writeBytes(HexFormat.of().parseHex(hex));
    channel.writeInbound(bytes);
    return bytes;
  }

  @Test
  void fragmentsOfARecordAreJoined() {
    feed("00000004" + "01020304" + "00000001" + "05" + "80000003" + "060708" + "80000001" + "ff");
    assertEquals(List.of("0102030405060708", "ff"), sink.records);
  }

  @Test
  void anEmptyLastFragmentEndsARecord() {
    feed("00000002" + "0102" + "80000000" + "80000001" + "03");
    assertEquals(List.of("0102", "03"), sink.records);
  }

  @Test
  void recordsArriveInPiecesOfAnySize() {
    String stream = "00000004" + "01020304" + "80000003" + "060708" + "80000002" + "aabb";
    byte[] bytes = HexFormat.of().parseHex(stream);
    for (int one = 0; one <= bytes.length; one++) {
      for (int two = one; two <= bytes.length; two++) {
        sink.records.clear();
        feed(stream.substring(0, 2 * one));
        feed(stream.substring(2 * one, 2 * two));
        feed(stream.substring(2 * two));
        assertEquals(List.of("01020304060708", "aabb"), sink.records, one + " " + two);
      }
    }
    assertEquals(0, sink.taken);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "80000041", // one byte too many
        "ffffffff",
        "7fffffff",
        "00000040" // 64 bytes, then one more
            + "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
            + "000000000000000000000000000000000000000000000000"
            + "80000001",
        "00000000" // a fragment of nothing, for ever
      })
  void oversizedRecordIsRefusedBeforeMemoryIsTaken(String hex) {
    ByteBuf fed = feed(hex + "00");
    assertEquals(1, sink.malformed.size());
    assertEquals(List.of(), sink.records);
    assertTrue(sink.mostTaken <= MAX_BYTES);
    assertEquals(0, sink.taken);
    assertEquals(0, fed.refCnt());
    feed("80000001" + "01");
    assertEquals(List.of(), sink.records, "nothing is decoded any more");
  }

  @Test
  void decoderStopsReadingWithoutRoom() {
    sink.room = 2;
    feed("80000001" + "01" + "80000001" + "02" + "80000001" + "03" + "80000001" + "04");
    assertEquals(List.of("01", "02"), sink.records);
    assertFalse(channel.config().isAutoRead());
    feed("80000001" + "05");
    sink.room = 1;
    decoder.resume();
    assertEquals(List.of("01", "02", "03"), sink.records);
    assertFalse(channel.config().isAutoRead());
    sink.room = 10;
    decoder.resume();
    assertEquals(List.of("01", "02", "03", "04", "05"), sink.records);
    assertTrue(channel.config().isAutoRead());
  }

  @Test
  void waitCountsUnlessItHoldsNoMemory() {
    sink.room = 0;
    sink.isShortInTheMidst = true;
    feed("00000001" + "01");
    nowNanos = 100;
    assertEquals(0, decoder.partialNanos(nowNanos), "no memory is held");
    sink.room = 1;
    decoder.resume();
    feed("80000001");
    assertFalse(channel.config().isAutoRead());
    nowNanos = 150;
    decoder.resume();
    assertEquals(50, decoder.partialNanos(nowNanos), "since it began to hold memory");
    sink.room = 1;
    decoder.resume();
    feed("02");
    assertEquals(List.of("0102"), sink.records);
    assertEquals(0, decoder.partialNanos(nowNanos));
  }

  @Test
  void heldMemoryIsReleasedWhenTheConnectionEnds() {
    ByteBuf partial = feed("00000004" + "01020304" + "80000009" + "0506");
    assertEquals(13, sink.taken);
    sink.room = 0;
    channel.finishAndReleaseAll();
    assertEquals(0, sink.taken);
    assertEquals(0, partial.refCnt());
  }

  @Test
  void aLargeFragmentIsReadIntoItsPlace() {
    int length = 100_000;
    Sink large = new Sink();
    RecordDecoder lending = new RecordDecoder(large, 1 << 20, () -> 0);
    EmbeddedChannel to = new EmbeddedChannel(lending);
    byte[] bytes = new byte[length];
    new Random(1).nextBytes(bytes);
    to.writeInbound(Unpooled.directBuffer().writeInt(length | 1 << 31).writeBytes(bytes, 0, 10));
    int at = 10;
    while (at < length) {
      ByteBuf lent = lending.lend();
      if (lent == null) {
        to.writeInbound(Unpooled.directBuffer().writeBytes(bytes, at, length - at));
        break;
      }
      int count = Math.min(30_000, lent.writableBytes());
      lent.writeBytes(bytes, at, count);
      to.writeInbound(lent);
      at += count;
    }
    assertEquals(List.of(HexFormat.of().formatHex(bytes)), large.records);
    assertEquals(0, large.taken);
  }

  /** Random streams, cut and damaged: never an exception, never more memory than the limit. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void arbitraryBytesDoNoHarm(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      Sink any = new Sink();
      any.room = random.nextInt(8);
      RecordDecoder anyDecoder = new RecordDecoder(any, MAX_BYTES, () -> 0);
      EmbeddedChannel to = new EmbeddedChannel(anyDecoder);
      List<ByteBuf> fed = new ArrayList<>();
      for (int i = random.nextInt(6); i >= 0; i--) {
        ByteBuf bytes = Unpooled.directBuffer();
        for (int j = random.nextInt(6); j > 0; j--) {
          int length = random.nextInt(random.nextInt(20) == 0 ? 200 : 20);
          bytes.writeInt(random.nextInt(30) == 0 ? random.nextInt() : length | 1 << 31);
          bytes.writeZero(random.nextInt(10) == 0 ? random.nextInt(20) : length);
        }
        fed.add(bytes);
        to.writeInbound(bytes);
        any.room += random.nextInt(2);
        anyDecoder.resume();
      }
      to.checkException();
      assertTrue(any.mostTaken <= MAX_BYTES, "took " + any.mostTaken);
      to.finishAndReleaseAll();
      assertEquals(0, any.taken);
      for (ByteBuf bytes : fed) {
        assertEquals(0, bytes.refCnt());
      }
    }
  }
}
