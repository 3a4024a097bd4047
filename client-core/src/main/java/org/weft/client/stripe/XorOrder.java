package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.weft.client.osd.DeltaResult;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.XorReadWriteReply;
import org.weft.protocol.wire.XorReadWriteRequest;
import org.weft.protocol.wire.XorWriteRequest;

/**
 * A change inside one data unit whose old bytes nobody here knows (P 5.3): its OSD replaces them
 * and answers with δ = old ⊕ new; then every parity is sent its multiple of δ, all at the same
 * time. Complete when all parities have acknowledged. Each step is repeated under the same id: an
 * OSD that has executed it says so, or says δ again, also after it has started anew (P 5.4).
 *
 * <p>Ends with the grant: the manager finishes or drops what is half done (P 5.5), and only then
 * may anybody look at the old bytes again. Not for a stripe with a missing component.
 *
 * <p>What is durable when: once it is complete, as a stripe write; until then it is as long in the
 * components' pending lists as they have it, so that a manager can finish it from any one of them.
 *
 * <p>Its memory is given back when neither its giver, nor a call, nor the transport holds on to it
 * any more.
 */
final class XorOrder implements ComponentOrder {
  private final StripeEngine engine;
  private final StripeSpan span;
  private final Layout layout;
  private final int unit;
  private final ErasureCode code;
  private final long eofBytes;
  private final Undurable undurable;
  private final int dataComponent;
  private final List<Integer> parityComponents;
  private final ColumnBuffers memory;
  private final UnitBuffer changed;
  private final ByteBuffer delta;
  private final ByteBuffer[] multiples;
  private volatile List<UnitBuffer> deltas = List.of();

  // Guarded by the sender's monitor.
  private boolean followed;

  /**
   * An order that owns a copy of the bytes.
   *
   * @param span inside one data unit
   * @param data its new bytes, from the buffer's position on; null for zeros
   * @param eofBytes length that the file has already
   * @param freed runs once nobody needs the memory any more: at most that of a stripe; also if
   *     there is none to be had
   */
  XorOrder(
      StripeEngine engine,
      StripeSpan span,
      ByteBuffer data,
      ErasureCode code,
      long eofBytes,
      Undurable undurable,
      Runnable freed) {
    this.engine = engine;
    this.span = span;
    this.layout = span.layout();
    this.unit = span.fromBytes() / layout.unitBytes();
    this.code = code;
    this.eofBytes = eofBytes;
    this.undurable = undurable;
    this.dataComponent = layout.dataComponent(span.stripe(), unit);
    this.parityComponents =
        IntStream.range(0, layout.parityUnits())
            .mapToObj(j -> layout.parityComponent(span.stripe(), j))
            .toList();
    this.memory = new ColumnBuffers(span, engine.pool(), freed);
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

  @Override
  public List<Integer> participants() {
    return List.of(dataComponent);
  }

  @Override
  public List<Integer> nextPhase() {
    // Without δ the id was complete before: then the parities have theirs.
    boolean last = followed || deltas.isEmpty();
    followed = true;
    return last ? List.of() : parityComponents;
  }

  @Override
  public boolean fits(WriteTerms terms, boolean again) {
    return !again && FileComponents.isWhole(terms.file(), span.stripe());
  }

  @Override
  public boolean isAbortable() {
    return true;
  }

  @Override
  public int seqCount() {
    return 1;
  }

  @Override
  public CompletableFuture<?> attempt(Try attempt) {
    return attempt.component() == dataComponent ? replace(attempt) : add(attempt);
  }

  private List<Integer> all() {
    List<Integer> all = new ArrayList<>(parityComponents);
    all.add(dataComponent);
    return all;
  }

  private CompletableFuture<?> replace(Try attempt) {
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
            .setCompleteUpTo(attempt.completeUpTo());
    changed.eachCrc(request::addBlockCrc);
    Payload payload = payload(changed);
    // Until the answer has been worked on; the call may be over before, if the writing fails.
    retain();
    return engine
        .osds()
        .xorReadWrite(attempt.target(), request, payload)
        .thenAccept(this::replaced)
        .whenComplete((nothing, thrown) -> release());
  }

  /** What has changed, for each parity. */
  private void replaced(DeltaResult<XorReadWriteReply> result) {
    try {
      if (!result.reply().getComplete()) {
        verify(result);
        deltas = multiply();
      }
    } finally {
      result.payload().release();
    }
  }

  /** Copies δ while its checksums are verified. */
  private void verify(DeltaResult<XorReadWriteReply> result) {
    int blocks = span.columnsBytes() / BlockChecksums.BLOCK_BYTES;
    if (result.payload().lengthBytes() != span.columnsBytes()
        || result.reply().getBlockCrcCount() != blocks) {
      throw wrong("δ is %d bytes long".formatted(result.payload().lengthBytes()));
    }
    PayloadBlocks from = new PayloadBlocks(result.payload().buffers());
    for (int block = 0; block < blocks; block++) {
      if (from.next() != result.reply().getBlockCrc(block)) {
        throw wrong("block " + block + " of δ does not match its CRC");
      }
      delta.put(
          block * BlockChecksums.BLOCK_BYTES,
          from.buffer(),
          from.index(),
          BlockChecksums.BLOCK_BYTES);
    }
  }

  private static CompletionException wrong(String what) {
    return new CompletionException(
        new RpcException(ErrorCode.BAD_CHECKSUM, "the answer to an XOR write: " + what));
  }

  /** δ as each parity needs it: what it would be if all other data units were zeros. */
  private List<UnitBuffer> multiply() {
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
    return forParities;
  }

  private CompletableFuture<?> add(Try attempt) {
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
            .setCompleteUpTo(attempt.completeUpTo());
    mine.eachCrc(request::addBlockCrc);
    return engine.osds().xorWrite(attempt.target(), request, payload(mine));
  }

  /** The transport may hold on to the bytes longer than the call lasts. */
  private Payload payload(UnitBuffer unit) {
    retain();
    return Payload.of(List.of(unit.bytes().duplicate()), this::release);
  }

  @Override
  public void acknowledged(int component) {
    undurable.acknowledged(component);
  }

  @Override
  public void retain() {
    memory.retain();
  }

  @Override
  public void release() {
    memory.release();
  }
}
