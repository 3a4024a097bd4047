package org.weft.recovery.resolve;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.weft.client.osd.DeltaResult;
import org.weft.client.raid.Coefficient;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.wire.ReadDeltaReply;
import org.weft.recovery.plan.WriteDecision;

/**
 * Applies an XOR write that is kept to the components that lack it (P 5.5). Any component that has
 * it knows its δ, which differs from that of another by a coefficient only.
 */
final class DeltaApply {
  private final StripedFile file;
  private final ResolveCalls calls;
  private final Layout layout;
  private final WriteDecision write;
  private final long agreedUpTo;
  private final int dataUnit;
  private final long stripe;

  /** What a component has of a write. */
  private record Delta(int component, long offsetBytes, ByteBuffer bytes) {}

  /**
   * A write to be carried on.
   *
   * @param agreedUpTo everything of its grant up to there is the same everywhere
   */
  DeltaApply(StripedFile file, ResolveCalls calls, WriteDecision write, long agreedUpTo) {
    this.file = file;
    this.calls = calls;
    this.layout = file.layout();
    this.write = write;
    this.agreedUpTo = agreedUpTo;
    int group = write.participants().first() / layout.width();
    this.stripe = layout.stripeAt(group, write.fromBytes() / layout.unitBytes());
    this.dataUnit =
        write.participants().stream()
            .mapToInt(component -> layout.roleOf(stripe, component))
            .max()
            .getAsInt();
  }

  CompletableFuture<Void> carryOut() {
    if (write.targets().isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    if (dataUnit < 0) {
      return CompletableFuture.failedFuture(
          new WeftException(
              ErrorCode.INTERNAL,
              "a change of %s names no data unit among %s"
                  .formatted(file.name(), write.participants())));
    }
    return read(new ArrayList<>(write.sources())).thenCompose(this::apply);
  }

  /** Asks one after another, until one can read it. */
  private CompletableFuture<Delta> read(List<Integer> holders) {
    int holder = holders.remove(0);
    return calls
        .delta(holder, write.id())
        .thenApply(answer -> checked(holder, answer))
        .exceptionallyCompose(
            thrown -> {
              WeftException failure = WeftException.of(thrown);
              if (!failure.code().isDamage()) {
                return CompletableFuture.failedFuture(failure);
              }
              return holders.isEmpty()
                  ? CompletableFuture.failedFuture(
                      new WriteUnreadable(write.id(), failure.getMessage()))
                  : read(holders);
            });
  }

  private Delta checked(int holder, DeltaResult<ReadDeltaReply> answer) {
    try {
      int length = answer.payload().lengthBytes();
      ByteBuffer bytes = ByteBuffer.allocate(length);
      answer.payload().buffers().forEach(part -> bytes.put(part.duplicate()));
      bytes.flip();
      int[] crcs = BlockChecksums.of(bytes);
      boolean right = crcs.length == answer.reply().getBlockCrcCount();
      for (int block = 0; right && block < crcs.length; block++) {
        right = crcs[block] == answer.reply().getBlockCrc(block);
      }
      if (!right || length == 0) {
        throw new CompletionException(
            new WeftException(
                ErrorCode.BAD_CHECKSUM,
                "what %s changed arrived damaged".formatted(file.describe(holder))));
      }
      return new Delta(holder, answer.reply().getOffset(), bytes);
    } finally {
      answer.payload().release();
    }
  }

  private CompletableFuture<Void> apply(Delta delta) {
    List<CompletableFuture<?>> applied = new ArrayList<>();
    for (int target : write.targets()) {
      Coefficient factor = coefficient(target).dividedBy(coefficient(delta.component()));
      applied.add(
          calls
              .add(target, write, delta.offsetBytes(), factor.times(delta.bytes()), agreedUpTo)
              .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(refused(thrown))));
    }
    return CompletableFuture.allOf(applied.toArray(CompletableFuture<?>[]::new));
  }

  /** What is to be changed there is damaged, and does not take a change any more. */
  private Throwable refused(Throwable thrown) {
    WeftException failure = WeftException.of(thrown);
    return failure.code().isDamage()
        ? new WriteUnreadable(write.id(), failure.getMessage())
        : thrown;
  }

  private Coefficient coefficient(int component) {
    return Coefficient.of(dataUnit, layout.roleOf(stripe, component));
  }
}
