package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameLimits;
import org.weft.protocol.transport.memory.PayloadMemory;

/**
 * Good and damaged streams of frames, cut anywhere. A stream yields frames, then at most one
 * refusal, then nothing; it never throws, holds no more memory than one frame may have, and gives
 * all of it back.
 */
class FrameDecoderFuzzTest {
  private static final FrameLimits LIMITS = new FrameLimits(400, 60_000);
  private static final List<FrameKind> KINDS = List.of(FrameKind.values());
  private static final int CASES_PER_SEED = 6_000;

  @BeforeAll
  static void watchLeaks() {
    LeakWatch.on();
  }

  @AfterAll
  static void nothingLeaked() {
    assertEquals(List.of(), LeakWatch.found());
  }

  /** A decoder under test, and all that came out of it. */
  private static final class Stream extends ChannelInboundHandlerAdapter {
    final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
    final FrameDecoder decoder =
        new FrameDecoder(TransportMetrics.NONE, new PayloadMemory(memory, 0));
    final List<InboundFrame> frames = new ArrayList<>();
    final List<byte[]> payloads = new ArrayList<>();
    final List<RefusedFrame> refusals = new ArrayList<>();
    final EmbeddedChannel channel;

    Stream() {
      decoder.limit(LIMITS);
      channel = new EmbeddedChannel();
      channel.config().setAllocator(memory);
      channel.pipeline().addLast(decoder, this);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      assertEquals(List.of(), refusals, "a frame after a refusal");
      InboundFrame frame = (InboundFrame) message;
      assertTrue(frame.body().remaining() <= LIMITS.maxBodyBytes());
      assertTrue(frame.payload().lengthBytes() <= LIMITS.maxPayloadBytes());
      frames.add(frame);
      byte[] payload = new byte[frame.payload().lengthBytes()];
      ByteBuffer target = ByteBuffer.wrap(payload);
      frame.payload().buffers().forEach(target::put);
      payloads.add(payload);
      frame.payload().release();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      refusals.add((RefusedFrame) event);
    }

    /** Feeds the bytes in pieces, into lent memory where the decoder lends some. */
    void feed(byte[] bytes, SplittableRandom random) {
      int at = 0;
      while (at < bytes.length) {
        int count = 1 + random.nextInt(Math.min(bytes.length - at, 1 + random.nextInt(30_000)));
        ByteBuf lent = random.nextInt(4) > 0 ? decoder.lend() : null;
        ByteBuf piece = lent != null ? lent : Unpooled.buffer(count);
        int taken = Math.min(count, piece.writableBytes());
        piece.writeBytes(bytes, at, taken);
        at += taken;
        channel.pipeline().fireChannelRead(piece);
        assertTrue(memory.metric().usedDirectMemory() <= LIMITS.maxPayloadBytes());
      }
    }

    void end() {
      channel.checkException();
      channel.finishAndReleaseAll();
      channel.checkException();
      assertTrue(refusals.size() <= 1);
      assertEquals(0, memory.metric().usedDirectMemory());
    }
  }

  private static SentFrame randomFrame(SplittableRandom random, long counter) {
    FrameKind kind = KINDS.get(random.nextInt(KINDS.size()));
    boolean bodied = kind != FrameKind.PING && kind != FrameKind.CANCEL;
    boolean loaded = kind == FrameKind.REQUEST || kind == FrameKind.RESPONSE;
    byte[] body = new byte[bodied && random.nextInt(3) > 0 ? random.nextInt(401) : 0];
    byte[] payload =
        new byte[loaded && random.nextInt(3) > 0 ? random.nextInt(1 + random.nextInt(60_001)) : 0];
    random.nextBytes(body);
    random.nextBytes(payload);
    FrameHeader header =
        new FrameHeader(
            kind,
            random.nextInt(1 << 16),
            0,
            random.nextLong(),
            counter,
            random.nextInt() & Integer.MAX_VALUE,
            body.length,
            payload.length);
    return new SentFrame(header, body, payload);
  }

  private static List<SentFrame> randomFrames(SplittableRandom random) {
    List<SentFrame> frames = new ArrayList<>();
    long counter = 0;
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      counter += 1 + random.nextInt(3);
      frames.add(randomFrame(random, counter));
    }
    return frames;
  }

  private static byte[] joined(List<SentFrame> frames) {
    java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
    frames.forEach(frame -> bytes.writeBytes(frame.bytes()));
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void wholeFramesArriveAsTheyWereSent(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < CASES_PER_SEED / 4; i++) {
      List<SentFrame> sent = randomFrames(random);
      Stream stream = new Stream();
      stream.feed(joined(sent), random);
      stream.end();
      assertEquals(sent.size(), stream.frames.size());
      for (int f = 0; f < sent.size(); f++) {
        assertEquals(sent.get(f).header(), stream.frames.get(f).header());
        assertEquals(ByteBuffer.wrap(sent.get(f).body()), stream.frames.get(f).body());
        assertArrayEquals(sent.get(f).payload(), stream.payloads.get(f));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 4, 5, 6})
  void damagedStreamsAreRefusedAndHarmNothing(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int refused = 0;
    for (int i = 0; i < CASES_PER_SEED; i++) {
      byte[] bytes = joined(randomFrames(random));
      damage(bytes, random);
      Stream stream = new Stream();
      stream.feed(bytes, random);
      stream.end();
      refused += stream.refusals.size();
    }
    assertTrue(refused > CASES_PER_SEED / 10, "only " + refused + " streams were refused");
  }

  /** Flips bits, mostly in the first head, where they hurt. */
  private static void damage(byte[] bytes, SplittableRandom random) {
    int flips = 1 + random.nextInt(4);
    for (int i = 0; i < flips; i++) {
      int reach = random.nextInt(3) > 0 ? Math.min(bytes.length, FrameHeader.BYTES) : bytes.length;
      bytes[random.nextInt(reach)] ^= (byte) (1 << random.nextInt(8));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 8})
  void randomBytesAreRefused(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < CASES_PER_SEED; i++) {
      byte[] bytes = new byte[FrameHeader.BYTES + random.nextInt(2_000)];
      random.nextBytes(bytes);
      Stream stream = new Stream();
      stream.feed(bytes, random);
      stream.end();
      assertEquals(0, stream.frames.size());
      assertEquals(1, stream.refusals.size());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {9})
  void repeatedOrReorderedFramesAreRefused(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 1_000; i++) {
      int counter = 1 + random.nextInt(100);
      long next = random.nextInt(counter + 1);
      List<SentFrame> sent = List.of(randomFrame(random, counter), randomFrame(random, next));
      Stream stream = new Stream();
      stream.feed(joined(sent), random);
      stream.end();
      assertEquals(1, stream.frames.size());
      assertEquals(ErrorCode.MALFORMED, stream.refusals.get(0).failure().code());
    }
  }
}
