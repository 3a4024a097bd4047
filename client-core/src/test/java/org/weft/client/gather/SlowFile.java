package org.weft.client.gather;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;

/**
 * A file in memory whose writes take as long as the test says. The bytes come into it when a write
 * ends; two writes of the same bytes must not be under way at once.
 */
final class SlowFile implements GatherTarget {
  final byte[] content;
  final List<Writing> underWay = new ArrayList<>();
  final List<String> failures = new ArrayList<>();
  final List<Alarm> timers = new ArrayList<>();

  /** A call that asks for a range is let in when this is done. */
  CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

  boolean sideBySide = true;

  /** Thrown once by the next question for the time. */
  Error error;

  /** Thrown once when it is told of a failure. */
  Error errorWhenTold;

  private long nowNanos = 5;

  record Alarm(long atNanos, Runnable task) {}

  SlowFile(int bytes) {
    this.content = new byte[bytes];
  }

  @Override
  public boolean writesSideBySide() {
    return sideBySide;
  }

  /** A write that has begun. */
  final class Writing {
    private final ByteRange range;
    private final List<ByteBuffer> data;
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    private Writing(ByteRange range, List<ByteBuffer> data) {
      this.range = range;
      this.data = data;
    }

    void succeed() {
      underWay.remove(this);
      int at = (int) range.from();
      for (ByteBuffer each : data) {
        int count = each.remaining();
        each.get(content, at, count);
        at += count;
      }
      done.complete(null);
    }

    void fail(ErrorCode code) {
      underWay.remove(this);
      done.completeExceptionally(new WeftException(code, "made to fail"));
    }

    private String name() {
      return range.from() + "+" + (range.to() - range.from());
    }
  }

  /** Those under way, in the order in which they began. */
  List<String> names() {
    return underWay.stream().map(Writing::name).toList();
  }

  Writing next() {
    return underWay.get(0);
  }

  /** One of them ends well; false if there is none. */
  boolean any(RandomGenerator random) {
    if (underWay.isEmpty()) {
      return false;
    }
    underWay.get(random.nextInt(underWay.size())).succeed();
    return true;
  }

  boolean isUnderWayIn(ByteRange range) {
    return underWay.stream().anyMatch(each -> each.range.overlaps(range));
  }

  void pass(long nanos) {
    nowNanos += nanos;
    List<Alarm> ripe =
        timers.stream()
            .filter(each -> each.atNanos() <= nowNanos)
            .sorted(Comparator.comparingLong(Alarm::atNanos))
            .toList();
    timers.removeAll(ripe);
    ripe.forEach(each -> each.task().run());
  }

  @Override
  public CompletableFuture<Void> enter(ByteRange range, Supplier<CompletableFuture<Void>> writes) {
    return gate.thenCompose(nothing -> writes.get());
  }

  @Override
  public CompletableFuture<Void> write(ByteRange range, List<ByteBuffer> data) {
    if (data.stream().mapToLong(ByteBuffer::remaining).sum() != range.to() - range.from()) {
      throw new AssertionError("other bytes than those of " + range);
    }
    if (isUnderWayIn(range)) {
      throw new AssertionError(range + " is under way already");
    }
    Writing writing = new Writing(range, data);
    underWay.add(writing);
    return writing.done;
  }

  @Override
  public void failed(WeftException why) {
    failures.add(why.getMessage());
    if (errorWhenTold != null) {
      Error thrown = errorWhenTold;
      errorWhenTold = null;
      throw thrown;
    }
  }

  @Override
  public void later(long delayNanos, Runnable task) {
    timers.add(new Alarm(nowNanos + delayNanos, task));
  }

  @Override
  public long nowNanos() {
    if (error != null) {
      Error thrown = error;
      error = null;
      throw thrown;
    }
    return nowNanos;
  }
}
