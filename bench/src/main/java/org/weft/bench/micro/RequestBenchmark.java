package org.weft.bench.micro;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameLimits;
import org.weft.protocol.frame.FrameMac;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;

/** What each request costs beside its system calls: frame, capability, checksums, arithmetic. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RequestBenchmark {
  private static final int BODY_BYTES = 160;

  private final byte[] key = new byte[32];
  private final byte[] nonce = new byte[FrameMac.NONCE_BYTES];
  private final Capability capability =
      new Capability(
          new ObjectName(new PartitionId(1), new ObjectId(70_000)),
          3,
          1,
          1L << 40,
          1L << 40,
          Long.MAX_VALUE,
          Long.MAX_VALUE,
          7,
          1,
          0);
  private final SignedCapability signed = SignedCapability.sign(capability, key);
  private final ByteBuffer head = ByteBuffer.allocate(FrameHeader.BYTES);
  private final ByteBuffer body = ByteBuffer.allocate(BODY_BYTES);
  private final ByteBuffer unit = ByteBuffer.allocateDirect(Layout.DEFAULT_UNIT_BYTES);
  private final CRC32C crc = new CRC32C();
  private final Layout layout = Layout.of(4, 1);
  private final FrameHeader header =
      new FrameHeader(FrameKind.REQUEST, Opcode.READ.number(), 0, 1, 2, 1_000, BODY_BYTES, 0);
  private long offsetBytes;

  /** A header on its way out. */
  @Benchmark
  public ByteBuffer encodeHeader() {
    head.clear();
    header.encode(head);
    return head.flip();
  }

  /** A header out and in again, with its checks. */
  @Benchmark
  public FrameHeader decodeHeader() throws WeftException {
    head.clear();
    header.encode(head);
    return FrameHeader.decode(head.flip(), FrameLimits.MAX);
  }

  /** The MAC of a frame: made by the sender, checked by the receiver. */
  @Benchmark
  public byte[] frameMac() {
    return FrameMac.ofFrame(signed.secret(), nonce, head.clear(), body.clear());
  }

  /** A capability as an OSD meets it for the first time. */
  @Benchmark
  public boolean checkCapability() throws WeftException {
    Capability decoded = Capability.decode(signed.encoded().asReadOnlyByteBuffer());
    byte[] secret = SignedCapability.sign(decoded, key).secret();
    return Hmac.same(secret, signed.secret()) && decoded.covers(capability.object());
  }

  /** The checksums of a stripe unit, block by block. */
  @Benchmark
  public long checksumsOfUnit() {
    long sum = 0;
    for (int block = 0; block < unit.capacity(); block += Layout.BLOCK_BYTES) {
      crc.reset();
      crc.update(unit.limit(block + Layout.BLOCK_BYTES).position(block));
      sum += crc.getValue();
    }
    unit.clear();
    return sum;
  }

  /** Where a byte of a file lies. */
  @Benchmark
  public long locate() {
    offsetBytes += 7_919 * 4_096L;
    long stripe = layout.stripeOf(offsetBytes);
    int component = layout.dataComponent(stripe, layout.unitOf(offsetBytes));
    return layout.componentOffsetBytes(stripe) + component;
  }
}
