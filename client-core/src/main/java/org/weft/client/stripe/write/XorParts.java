package org.weft.client.stripe.write;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.weft.client.osd.DeltaResult;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.PayloadBlocks;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.Zeros;
import org.weft.client.stripe.commit.ComponentOrder;
import org.weft.client.stripe.commit.UnitBuffer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.XorReadWriteReply;
import org.weft.protocol.wire.XorReadWriteRequest;
import org.weft.protocol.wire.XorWriteRequest;

/**
 * What an XOR write sends (P 5.3): new bytes to one data unit, to each parity its multiple of δ =
 * old ⊕ new. All under one id, and the same however often it is sent.
 *
 * <p>Its memory is given back when neither its owner, nor a call, nor the transport holds on to it
 * any more.
 */
final class XorParts {
  private final StripeContext context;
  private final StripeSpan span;
  private final Layout layout;
  private final int unit;
  private final ErasureCode code;
  private final long eofBytes;
  private final boolean durable;
  private final int dataComponent;
  private final List<Integer> parityComponents;
  private final ColumnBuffers memory;
  private final UnitBuffer changed;
  private final ByteBuffer delta;
  private final ByteBuffer[] multiples;
  private volatile List<UnitBuffer> deltas = List.of();

  /**
   * Parts that own a copy of the bytes.
   *
   * @param span inside one data unit
   * @param data its new bytes, from the buffer's position on; null for zeros
   * @param eofBytes length of the file with them
   * @param durable on stable storage before it is acknowledged
   * @param freed runs once the memory is not needed any more: at most that of a stripe; also if
   *     there is none to be had
   */
  XorParts(
      StripeContext context,
      StripeSpan span,
      ByteBuffer data,
      ErasureCode code,
      long eofBytes,
      boolean durable,
      Runnable freed) {
    this.context = context;
    this.span = span;
    this.layout = span.layout();
    this.unit = span.fromBytes() / layout.unitBytes();
    this.code = code;
    this.eofBytes = eofBytes;
    this.durable = durable;
    this.dataComponent = layout.dataComponent(span.stripe(), unit);
    this.parityComponents =
        IntStream.range(0, layout.parityUnits())
            .mapToObj(j -> layout.parityComponent(span.stripe(), j))
            .toList();
    this.memory = new ColumnBuffers(span, context.pool(), freed);
    try {
      this.changed = new UnitBuffer(changed(data));
      changed.computeChecksums(span.fromBytes() % BlockChecksums.BLOCK_BYTES);
      this.delta = memory.take();
      this.multiples = memory.take(layout.parityUnits());
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
  }

  private ByteBuffer changed(ByteBuffer data) {
    int count = span.toBytes() - span.fromBytes();
    ByteBuffer bytes = memory.take().slice(0, count);
    if (data == null) {
      Zeros.fill(bytes, 0, count);
    } else {
      bytes.put(0, data, data.position(), count);
    }
    return bytes;
  }

  int dataComponent() {
    return dataComponent;
  }

  List<Integer> parityComponents() {
    return parityComponents;
  }

  List<Integer> all() {
    List<Integer> all = new ArrayList<>(parityComponents);
    all.add(dataComponent);
    return all;
  }

  long eofBytes() {
    return eofBytes;
  }

  /** Each component has its part on stable storage before it acknowledges it. */
  boolean isDurable() {
    return durable;
  }

  /** True once δ is known. */
  boolean isDeltaKnown() {
    return !deltas.isEmpty();
  }

  /** Says that there were zeros before: δ is the new bytes. */
  void overZeros() {
    Zeros.fill(delta, 0, delta.capacity());
    delta.put(
        span.fromBytes() % layout.unitBytes() - span.columnsStart(),
        changed.bytes(),
        0,
        changed.bytes().remaining());
    multiply();
  }

  /** For the old bytes of the columns, as far as they are stored; behind them zeros. */
  ByteBuffer old(int storedBytes) {
    Zeros.fill(delta, storedBytes, delta.capacity() - storedBytes);
    return delta.slice(0, storedBytes);
  }

  /** Says that these have been read: δ is what differs from them. */
  void overOld() {
    int from = span.fromBytes() % layout.unitBytes() - span.columnsStart();
    int to = from + changed.bytes().remaining();
    code.add(delta.slice(from, to - from), changed.bytes());
    Zeros.fill(delta, 0, from);
    Zeros.fill(delta, to, delta.capacity() - to);
    multiply();
  }

  /**
   * Sends a component its part. The data unit's OSD answers with δ, or that the id is complete and
   * forgotten already.
   *
   * @param deltaAnswered looks at δ, if it has come; what it throws fails the attempt
   */
  CompletableFuture<?> attempt(
      ComponentOrder.Try attempt, Consumer<DeltaResult<XorReadWriteReply>> deltaAnswered) {
    if (attempt.component() != dataComponent) {
      return add(attempt);
    }
    // Until the answer has been worked on; the call may be over before, if the writing fails.
    retain();
    return replace(attempt)
        .thenAccept(
            result -> {
              try {
                if (!result.reply().getComplete()) {
                  deltaAnswered.accept(result);
                }
              } finally {
                result.payload().release();
              }
            })
        .whenComplete((nothing, thrown) -> release());
  }

  private CompletableFuture<DeltaResult<XorReadWriteReply>> replace(ComponentOrder.Try attempt) {
    XorReadWriteRequest.Builder request =
        XorReadWriteRequest.newBuilder()
            .setObjectId(attempt.terms().file().name().object().value())
            .setOffset(
                layout.componentOffsetBytes(span.stripe())
                    + span.fromBytes()
                    - (long) unit * layout.unitBytes())
            .setGrant(attempt.terms().grant().number())
            .setSeq(attempt.firstSeq())
            .addAllParticipants(all())
            .setEof(eofBytes)
            .setTruncationNumber(attempt.terms().grant().truncationNumber())
            .setCompleteUpTo(attempt.completeUpTo())
            .setDurable(durable);
    changed.eachCrc(request::addBlockCrc);
    return context.osds().xorReadWrite(attempt.target(), request, payload(changed));
  }

  /** Takes δ out of an answer, while its checksums are verified. */
  void take(DeltaResult<XorReadWriteReply> result) {
    ByteBuffer into = delta.duplicate();
    blocksOf(result).forEach(into::put);
    multiply();
  }

  /** True if an answer has the δ that is known already; its checksums are verified. */
  boolean isSame(DeltaResult<XorReadWriteReply> result) {
    ByteBuffer known = delta.duplicate();
    for (ByteBuffer block : blocksOf(result)) {
      known.limit(known.position() + block.remaining());
      if (!known.equals(block)) {
        return false;
      }
      known.position(known.limit());
    }
    return true;
  }

  /** Blocks of δ, where they lie in the answer. */
  private List<ByteBuffer> blocksOf(DeltaResult<XorReadWriteReply> result) {
    int count = span.columnsBytes() / BlockChecksums.BLOCK_BYTES;
    if (result.payload().lengthBytes() != span.columnsBytes()
        || result.reply().getBlockCrcCount() != count) {
      throw wrong("δ is %d bytes long".formatted(result.payload().lengthBytes()));
    }
    PayloadBlocks from = new PayloadBlocks(result.payload().buffers());
    List<ByteBuffer> blocks = new ArrayList<>(count);
    for (int block = 0; block < count; block++) {
      if (from.next() != result.reply().getBlockCrc(block)) {
        throw wrong("block " + block + " of δ does not match its CRC");
      }
      blocks.add(from.buffer().slice(from.index(), BlockChecksums.BLOCK_BYTES));
    }
    return blocks;
  }

  private static CompletionException wrong(String what) {
    return new CompletionException(
        new WeftException(ErrorCode.BAD_CHECKSUM, "the reply to an XOR write: " + what));
  }

  /** δ as each parity needs it: what it would be if all other data units were zeros. */
  private void multiply() {
    ByteBuffer[] data = new ByteBuffer[layout.dataUnits()];
    for (int i = 0; i < data.length; i++) {
      data[i] = i == unit ? delta : ByteBuffer.allocate(0);
    }
    code.encode(data, multiples);
    List<UnitBuffer> forParities = new ArrayList<>();
    for (ByteBuffer each : multiples) {
      UnitBuffer multiple = new UnitBuffer(each);
      multiple.computeChecksums();
      forParities.add(multiple);
    }
    deltas = forParities;
  }

  /** Sends a parity its multiple of δ, which is known. */
  private CompletableFuture<?> add(ComponentOrder.Try attempt) {
    UnitBuffer mine = deltas.get(parityComponents.indexOf(attempt.component()));
    XorWriteRequest.Builder request =
        XorWriteRequest.newBuilder()
            .setObjectId(attempt.terms().file().name().object().value())
            .setOffset(layout.componentOffsetBytes(span.stripe()) + span.columnsStart())
            .setGrant(attempt.terms().grant().number())
            .setSeq(attempt.firstSeq())
            .addAllParticipants(all())
            .setEof(eofBytes)
            .setTruncationNumber(attempt.terms().grant().truncationNumber())
            .setCompleteUpTo(attempt.completeUpTo())
            .setDurable(durable);
    mine.eachCrc(request::addBlockCrc);
    return context.osds().xorWrite(attempt.target(), request, payload(mine));
  }

  /** The transport may hold on to the bytes longer than the call lasts. */
  private Payload payload(UnitBuffer unit) {
    retain();
    return Payload.of(List.of(unit.bytes().duplicate()), this::release);
  }

  void retain() {
    memory.retain();
  }

  void release() {
    memory.release();
  }
}
