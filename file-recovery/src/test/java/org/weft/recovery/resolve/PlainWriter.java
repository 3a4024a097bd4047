package org.weft.recovery.resolve;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.weft.client.osd.OsdTarget;
import org.weft.client.raid.Coefficient;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.CompleteRequest;
import org.weft.protocol.wire.WriteRequest;
import org.weft.protocol.wire.XorReadWriteRequest;
import org.weft.protocol.wire.XorWriteRequest;

/**
 * Writes to a file by the commands themselves, stripe writes and XOR writes beside each other, each
 * stripe one after another (P 5.3): no class of the engine takes part.
 */
final class PlainWriter {
  private static final int BLOCK = Layout.BLOCK_BYTES;
  private static final long PAUSE_NANOS = 1_000_000L;

  /** One write id: all of it or nothing. */
  static final class Op {
    final long seq;
    final int position;
    final byte[] before;
    final byte[] after;
    boolean acknowledged;

    Op(long seq, int position, byte[] before, byte[] after) {
      this.seq = seq;
      this.position = position;
      this.before = before;
      this.after = after;
    }
  }

  private final StripeWorld world;
  private final WriteTerms terms;
  private final Layout layout;
  private final ErasureCode code;
  private final byte[] model;
  private final SortedMap<Long, Boolean> ended = new TreeMap<>();
  private final SortedMap<Integer, CompletableFuture<Void>> lastOfStripe = new TreeMap<>();
  private long lastSeq;
  private long completeUpTo;
  private boolean dead;
  final List<Op> ops = new ArrayList<>();

  /** A writer of a file that holds these bytes, whole stripes. */
  PlainWriter(StripeWorld world, WriteTerms terms, byte[] content) {
    this.world = world;
    this.terms = terms;
    this.layout = terms.file().layout();
    this.code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
    this.model = content.clone();
  }

  void die() {
    dead = true;
  }

  /** Begins a random write, which waits for those before it on its stripe. */
  void begin() {
    int stripe = world.random.nextInt(model.length / (int) layout.stripeBytes());
    CompletableFuture<Void> before =
        lastOfStripe.getOrDefault(stripe, CompletableFuture.completedFuture(null));
    lastOfStripe.put(
        stripe,
        before.thenCompose(
            nothing -> {
              if (dead) {
                return new CompletableFuture<>();
              }
              return world.random.nextBoolean() ? stripeWrite(stripe) : xorWrite(stripe);
            }));
  }

  /** A random component hears what is complete. */
  void tellSome() {
    int component = world.random.nextInt(layout.width());
    if (!terms.file().map().isMissing(component)) {
      var unused =
          world
              .context
              .osds()
              .complete(
                  target(component),
                  CompleteRequest.newBuilder()
                      .setObjectId(objectId())
                      .setGrant(grant())
                      .setCompleteUpTo(completeUpTo))
              .exceptionally(thrown -> null);
    }
  }

  private Op op(int position, byte[] after) {
    byte[] before = Arrays.copyOfRange(model, position, position + after.length);
    Op op = new Op(++lastSeq, position, before, after);
    ops.add(op);
    return op;
  }

  private void acknowledged(Op op) {
    op.acknowledged = true;
    System.arraycopy(op.after, 0, model, op.position, op.after.length);
    ended.put(op.seq, true);
    while (ended.containsKey(completeUpTo + 1)) {
      completeUpTo++;
    }
  }

  /** Some consecutive data units, whole, and all parities. */
  private CompletableFuture<Void> stripeWrite(int stripe) {
    int first = world.random.nextInt(layout.dataUnits());
    int count = 1 + world.random.nextInt(layout.dataUnits() - first);
    int unit = layout.unitBytes();
    int start = stripe * (int) layout.stripeBytes();
    Op op = op(start + first * unit, world.bytes(count * unit));
    byte[] after = model.clone();
    System.arraycopy(op.after, 0, after, op.position, op.after.length);
    ByteBuffer[] data = new ByteBuffer[layout.dataUnits()];
    for (int i = 0; i < data.length; i++) {
      data[i] = ByteBuffer.wrap(after, start + i * unit, unit).slice();
    }
    ByteBuffer[] parity = new ByteBuffer[layout.parityUnits()];
    Arrays.setAll(parity, j -> ByteBuffer.allocate(unit));
    code.encode(data, parity);
    SortedMap<Integer, ByteBuffer> units = new TreeMap<>();
    for (int i = first; i < first + count; i++) {
      units.put(layout.dataComponent(stripe, i), data[i]);
    }
    for (int j = 0; j < parity.length; j++) {
      units.put(layout.parityComponent(stripe, j), parity[j]);
    }
    List<Integer> participants = List.copyOf(units.keySet());
    return CompletableFuture.allOf(
            units.entrySet().stream()
                .map(each -> write(stripe, op, participants, each.getKey(), each.getValue()))
                .toArray(CompletableFuture<?>[]::new))
        .thenRun(() -> acknowledged(op));
  }

  private CompletableFuture<Void> write(
      int stripe, Op op, List<Integer> participants, int component, ByteBuffer unit) {
    return again(
        () -> {
          WriteRequest.Builder request =
              WriteRequest.newBuilder()
                  .setObjectId(objectId())
                  .setOffset(layout.componentOffsetBytes(stripe))
                  .setGrant(grant())
                  .setFirstSeq(op.seq)
                  .setSeqCount(1)
                  .addAllParticipants(participants)
                  .setEof(model.length)
                  .setCompleteUpTo(completeUpTo);
          for (int crc : BlockChecksums.of(unit)) {
            request.addBlockCrc(crc);
          }
          return world
              .context
              .osds()
              .write(target(component), request, Payload.of(unit.duplicate()));
        });
  }

  /** Some blocks of one data unit. */
  private CompletableFuture<Void> xorWrite(int stripe) {
    int i = world.random.nextInt(layout.dataUnits());
    int from = world.random.nextInt(layout.unitBytes() / BLOCK) * BLOCK;
    int length = BLOCK * (1 + world.random.nextInt((layout.unitBytes() - from) / BLOCK));
    int start = stripe * (int) layout.stripeBytes() + i * layout.unitBytes() + from;
    Op op = op(start, world.bytes(length));
    int component = layout.dataComponent(stripe, i);
    List<Integer> participants = new ArrayList<>(List.of(component));
    for (int j = 0; j < layout.parityUnits(); j++) {
      participants.add(layout.parityComponent(stripe, j));
    }
    byte[] delta = new byte[length];
    for (int index = 0; index < length; index++) {
      delta[index] = (byte) (op.before[index] ^ op.after[index]);
    }
    long offset = layout.componentOffsetBytes(stripe) + from;
    return again(() -> change(op, participants, component, offset))
        .thenCompose(
            changed -> {
              List<CompletableFuture<?>> added = new ArrayList<>();
              for (int parity : participants.subList(1, participants.size())) {
                Coefficient factor = Coefficient.of(i, layout.roleOf(stripe, parity));
                ByteBuffer product = factor.times(ByteBuffer.wrap(delta));
                added.add(again(() -> add(op, participants, parity, offset, product)));
              }
              return CompletableFuture.allOf(added.toArray(CompletableFuture<?>[]::new));
            })
        .thenRun(() -> acknowledged(op));
  }

  private CompletableFuture<?> change(
      Op op, List<Integer> participants, int component, long offset) {
    XorReadWriteRequest.Builder request =
        XorReadWriteRequest.newBuilder()
            .setObjectId(objectId())
            .setOffset(offset)
            .setGrant(grant())
            .setSeq(op.seq)
            .addAllParticipants(participants)
            .setEof(model.length)
            .setCompleteUpTo(completeUpTo);
    for (int crc : BlockChecksums.of(ByteBuffer.wrap(op.after))) {
      request.addBlockCrc(crc);
    }
    return world
        .context
        .osds()
        .xorReadWrite(target(component), request, Payload.of(ByteBuffer.wrap(op.after)))
        .thenAccept(answer -> answer.payload().release());
  }

  private CompletableFuture<?> add(
      Op op, List<Integer> participants, int component, long offset, ByteBuffer product) {
    XorWriteRequest.Builder request =
        XorWriteRequest.newBuilder()
            .setObjectId(objectId())
            .setOffset(offset)
            .setGrant(grant())
            .setSeq(op.seq)
            .addAllParticipants(participants)
            .setEof(model.length)
            .setCompleteUpTo(completeUpTo);
    for (int crc : BlockChecksums.of(product)) {
      request.addBlockCrc(crc);
    }
    return world
        .context
        .osds()
        .xorWrite(target(component), request, Payload.of(product.duplicate()));
  }

  /** Until it is acknowledged, or the writer is dead. */
  private CompletableFuture<Void> again(java.util.function.Supplier<CompletableFuture<?>> attempt) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    once(attempt, done);
    return done;
  }

  private void once(
      java.util.function.Supplier<CompletableFuture<?>> attempt, CompletableFuture<Void> done) {
    if (dead) {
      return;
    }
    var unused =
        attempt
            .get()
            .whenComplete(
                (reply, thrown) -> {
                  if (thrown == null) {
                    // A dead writer does not hear it.
                    if (!dead) {
                      done.complete(null);
                    }
                  } else if (WeftException.of(thrown).code() != ErrorCode.FENCED) {
                    world.time.after(PAUSE_NANOS, () -> once(attempt, done));
                  }
                });
  }

  private OsdTarget target(int component) {
    return terms.file().target(component, 500);
  }

  private long objectId() {
    return terms.file().name().object().value();
  }

  private long grant() {
    return terms.grant().number();
  }

  /** What the file holds if only acknowledged writes count. */
  byte[] acknowledgedBytes() {
    return model;
  }
}
