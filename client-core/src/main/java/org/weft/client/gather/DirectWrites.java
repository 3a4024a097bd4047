package org.weft.client.gather;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.weft.protocol.layout.ByteRange;

/**
 * Ranges that are not copied, and wait for what was gathered before them, in the order in which
 * they came. Whole stripes that follow each other are written together. Where a writer has several
 * under way, the third waits for one of those before it, and those behind it join it. Guarded by
 * the gathering.
 */
final class DirectWrites {
  /** Of one stream of writes, before the next one waits for more. */
  private static final int MAX_OF_STREAM = 2;

  /** What is written together at most, unless one range is longer. */
  private static final long MAX_BYTES = 4 << 20;

  /**
   * A range, in its caller's memory.
   *
   * @param number of what came before it smaller, of what came later larger
   */
  record Direct(ByteRange range, ByteBuffer data, long number, CompletableFuture<Void> done) {}

  /** Ranges that follow each other; one at least. */
  record Batch(List<Direct> directs) {
    ByteRange range() {
      Direct last = directs.get(directs.size() - 1);
      return new ByteRange(directs.get(0).range().from(), last.range().to());
    }

    /** Of the one that came first. */
    long number() {
      return directs.stream().mapToLong(Direct::number).min().orElseThrow();
    }

    List<ByteBuffer> data() {
      return directs.stream().map(Direct::data).toList();
    }

    void over(Throwable thrown) {
      for (Direct each : directs) {
        if (thrown == null) {
          each.data().position(each.data().limit());
          each.done().complete(null);
        } else {
          each.done().completeExceptionally(thrown);
        }
      }
    }
  }

  private final long stripeBytes;
  private final List<Direct> waiting = new ArrayList<>();

  DirectWrites(long stripeBytes) {
    this.stripeBytes = stripeBytes;
  }

  void add(Direct direct) {
    waiting.add(direct);
  }

  /**
   * Takes what is to be written next.
   *
   * @param mayGo nothing is in its way
   * @param underWay whole stripes
   */
  Optional<Batch> next(Predicate<Direct> mayGo, List<ByteRange> underWay) {
    for (Direct each : waiting) {
      boolean waits = underWay.size() >= MAX_OF_STREAM && goesOn(each, underWay);
      if (!waits && isNext(each) && mayGo.test(each)) {
        Batch batch = batch(each, mayGo);
        waiting.removeAll(batch.directs());
        return Optional.of(batch);
      }
    }
    return Optional.empty();
  }

  /** It begins where another one ends that is written, or waits. */
  private boolean goesOn(Direct direct, List<ByteRange> underWay) {
    long from = direct.range().from();
    return underWay.stream().anyMatch(each -> each.to() == from)
        || waiting.stream().anyMatch(each -> each.range().to() == from);
  }

  /** Nothing that came before it waits for the same stripes. */
  private boolean isNext(Direct direct) {
    ByteRange stripes = direct.range().alignedTo(stripeBytes);
    return waiting.stream()
        .noneMatch(each -> each.number() < direct.number() && each.range().overlaps(stripes));
  }

  private Batch batch(Direct first, Predicate<Direct> mayGo) {
    List<Direct> batch = new ArrayList<>();
    Optional<Direct> next = Optional.of(first);
    while (next.isPresent()) {
      batch.add(next.get());
      long end = next.get().range().to();
      long mostEnd = first.range().from() + MAX_BYTES;
      next =
          waiting.stream()
              .filter(each -> each.range().from() == end && end % stripeBytes == 0)
              .filter(each -> each.range().isAlignedTo(stripeBytes))
              .filter(each -> each.range().to() <= mostEnd)
              .filter(this::isNext)
              .filter(mayGo)
              .findFirst();
    }
    return new Batch(batch);
  }

  /** Something of the range waits that came no later than that number. */
  boolean has(ByteRange range, long upToNumber) {
    return waiting.stream()
        .anyMatch(each -> each.number() <= upToNumber && each.range().overlaps(range));
  }

  /**
   * Takes out all that wait.
   *
   * @return their futures, for the caller to complete
   */
  List<CompletableFuture<Void>> clear() {
    List<CompletableFuture<Void>> all = waiting.stream().map(Direct::done).toList();
    waiting.clear();
    return all;
  }
}
