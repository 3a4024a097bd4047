package org.weft.bench.micro;

import com.google.common.util.concurrent.ExecutionSequencer;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.SettableFuture;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.HashedWheelTimer;
import io.netty.util.ReferenceCounted;
import io.netty.util.Timeout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.weft.client.file.CallSequencer;
import org.weft.client.stripe.base.Countdown;
import org.weft.client.stripe.base.References;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.system.SystemEnvironment;

/** What goes with each call of a client, beside a library's: turns, counts, deadlines. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KeptCallsBenchmark {
  private static final int ANSWERS = 4;
  private static final int WAITING = 16;
  private static final Executor DIRECT = MoreExecutors.directExecutor();

  private final CallSequencer calls = new CallSequencer();
  private final ExecutionSequencer guavaCalls = ExecutionSequencer.create();
  private long ended;

  /** A call that is over at once. */
  @Benchmark
  public CompletableFuture<Integer> turnWeft() {
    return calls.take(() -> CompletableFuture.completedFuture(1));
  }

  @Benchmark
  public ListenableFuture<Integer> turnGuava() {
    return guavaCalls.submitAsync(() -> Futures.immediateFuture(1), DIRECT);
  }

  /** Calls that wait behind one that is under way. */
  @Benchmark
  @OperationsPerInvocation(WAITING)
  public CompletableFuture<Integer> turnsWaitWeft() {
    CompletableFuture<Integer> first = new CompletableFuture<>();
    CompletableFuture<Integer> last = calls.take(() -> first);
    for (int call = 1; call < WAITING; call++) {
      last = calls.take(() -> CompletableFuture.completedFuture(1));
    }
    first.complete(1);
    return last;
  }

  @Benchmark
  @OperationsPerInvocation(WAITING)
  public ListenableFuture<Integer> turnsWaitGuava() {
    SettableFuture<Integer> first = SettableFuture.create();
    ListenableFuture<Integer> last = guavaCalls.submitAsync(() -> first, DIRECT);
    for (int call = 1; call < WAITING; call++) {
      last = guavaCalls.submitAsync(() -> Futures.immediateFuture(1), DIRECT);
    }
    first.set(1);
    return last;
  }

  private static CompletableFuture<?>[] asked() {
    CompletableFuture<?>[] asked = new CompletableFuture<?>[ANSWERS];
    for (int answer = 0; answer < ANSWERS; answer++) {
      asked[answer] = new CompletableFuture<Integer>();
    }
    return asked;
  }

  private static void answer(CompletableFuture<?>[] asked) {
    for (CompletableFuture<?> each : asked) {
      each.complete(null);
    }
  }

  /** What four components have answered goes on when the last answer is there. */
  @Benchmark
  public long countdownWeft() {
    CompletableFuture<?>[] asked = asked();
    Countdown countdown = new Countdown(ANSWERS, () -> ended++);
    for (CompletableFuture<?> each : asked) {
      var unused = each.whenComplete((value, thrown) -> countdown.one());
    }
    answer(asked);
    return ended;
  }

  @Benchmark
  public long countdownAllOf() {
    CompletableFuture<?>[] asked = asked();
    var unused = CompletableFuture.allOf(asked).whenComplete((value, thrown) -> ended++);
    answer(asked);
    return ended;
  }

  /** As a read ends that hands out no future: it calls what it was told to call. */
  @Benchmark
  public long callbacksWeft() {
    Countdown countdown = new Countdown(ANSWERS, () -> ended++);
    for (int answer = 0; answer < ANSWERS; answer++) {
      countdown.one();
    }
    return ended;
  }

  @Benchmark
  public long callbacksAllOf() {
    CompletableFuture<?>[] asked = asked();
    var unused = CompletableFuture.allOf(asked).thenRun(() -> ended++);
    answer(asked);
    return ended;
  }

  /** Memory that one more holder takes, and both give back. */
  @Benchmark
  public long referencesWeft() {
    References references = new References(() -> ended++);
    references.retain();
    references.release();
    references.release();
    return ended;
  }

  @Benchmark
  public long referencesNetty() {
    AbstractReferenceCounted references = new CountedMemory(() -> ended++);
    references.retain();
    references.release();
    references.release();
    return ended;
  }

  /** What Netty's class needs to give memory back. */
  private static final class CountedMemory extends AbstractReferenceCounted {
    private final Runnable freed;

    CountedMemory(Runnable freed) {
      this.freed = freed;
    }

    @Override
    protected void deallocate() {
      freed.run();
    }

    @Override
    public ReferenceCounted touch(Object hint) {
      return this;
    }
  }

  /** Deadlines of a connection's calls: nearly every call is answered long before its own. */
  @State(Scope.Thread)
  public static class Deadlines {
    private static final String QUEUE = "org.weft.protocol.transport.DeadlineQueue";
    private static final MethodHandle NEW =
        KeptMethod.constructor(
            QUEUE, Scheduler.class, Ticker.class, Executor.class, Consumer.class);
    private static final MethodHandle ADD =
        KeptMethod.of(QUEUE, "add", void.class, long.class, Object.class);
    private static final MethodHandle REMOVE =
        KeptMethod.of(QUEUE, "remove", void.class, long.class, Object.class);
    private static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long APART_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final int STEP_MILLIS = 8;

    @Param({"0", "10000"})
    public int underWay;

    private final SystemEnvironment system = SystemEnvironment.create();
    private final Object call = new Object();
    private Object queue;
    private HashedWheelTimer wheel;

    @Setup
    public void open() throws Throwable {
      Consumer<Object> expired =
          each -> {
            throw new IllegalStateException("no call ends late here");
          };
      queue =
          (Object)
              NEW.invokeExact(
                  system.environment().scheduler(), system.environment().ticker(), DIRECT, expired);
      wheel = new HashedWheelTimer(STEP_MILLIS, TimeUnit.MILLISECONDS);
      long farNanos = TimeUnit.HOURS.toNanos(1);
      for (int other = 0; other < underWay; other++) {
        long nanos = farNanos + other * APART_NANOS;
        ADD.invokeExact(queue, System.nanoTime() + nanos, new Object());
        wheel.newTimeout(timeout -> {}, nanos, TimeUnit.NANOSECONDS);
      }
    }

    @TearDown
    public void close() {
      system.close();
      wheel.stop();
    }
  }

  /** A call begins and is answered. */
  @Benchmark
  public void deadlineWeft(Deadlines deadlines) throws Throwable {
    long deadlineNanos = System.nanoTime() + Deadlines.CALL_NANOS;
    Deadlines.ADD.invokeExact(deadlines.queue, deadlineNanos, deadlines.call);
    Deadlines.REMOVE.invokeExact(deadlines.queue, deadlineNanos, deadlines.call);
  }

  @Benchmark
  public boolean deadlineNetty(Deadlines deadlines) {
    Timeout timeout =
        deadlines.wheel.newTimeout(each -> {}, Deadlines.CALL_NANOS, TimeUnit.NANOSECONDS);
    return timeout.cancel();
  }
}
