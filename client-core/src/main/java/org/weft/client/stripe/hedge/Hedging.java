package org.weft.client.stripe.hedge;

import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Keeps what all readers of a client know of late answers (DESIGN 5). It says when one is late,
 * whether there is budget to do without it, and which OSDs are late all the time. Thread-safe.
 */
public final class Hedging {
  private final HedgeLimits options;
  private final ReadLatencies latencies = new ReadLatencies();
  private final HedgeBudget budget;
  private final SlowOsds slow;

  /** By size, so that what is watched later is late later. */
  private final LateWatch[] watches = new LateWatch[ReadLatencies.SIZES];

  private final LongAdder begun = new LongAdder();
  private final LongAdder won = new LongAdder();
  private final LongAdder refused = new LongAdder();

  /**
   * For one client.
   *
   * @param executor runs what is done once a read is late
   */
  public Hedging(HedgeLimits options, Ticker ticker, Scheduler scheduler, Executor executor) {
    this.options = options;
    this.budget = new HedgeBudget(options.budgetPercent());
    this.slow = new SlowOsds(ticker);
    Arrays.setAll(watches, size -> new LateWatch(ticker, scheduler, executor));
  }

  public boolean isEnabled() {
    return options.enabled();
  }

  /** Runs {@code late} if a read whose longest request has that many bytes takes too long. */
  public LateWatch.Watched watch(long bytes, Runnable late) {
    return watches[ReadLatencies.sizeOf(bytes)].watch(lateNanos(bytes), late);
  }

  /** After how long an answer is late. */
  long lateNanos(long bytes) {
    long usualNanos = latencies.usualNanos(bytes);
    long mostNanos = TimeUnit.MILLISECONDS.toNanos(options.mostMillis());
    return usualNanos < 0
        ? mostNanos
        : Math.min(
            mostNanos, Math.max(usualNanos, TimeUnit.MILLISECONDS.toNanos(options.leastMillis())));
  }

  /** A request was sent, and not for a hedge. */
  public void asked(long bytes) {
    budget.earn(HedgeBudget.cost(1, bytes));
  }

  public void answered(OsdId osd, long bytes, long nanos) {
    latencies.took(osd, bytes, nanos);
    if (nanos <= lateNanos(bytes)) {
      slow.answered(osd);
    }
  }

  /** It was not waited for any longer. */
  public void outrun(OsdId osd, long bytes, long nanos) {
    latencies.took(osd, bytes, nanos);
    slow.outrun(osd);
  }

  /** True if there is budget left for so much more. */
  public boolean begin(long requests, long bytes) {
    boolean paid = budget.spend(HedgeBudget.cost(requests, bytes));
    (paid ? begun : refused).increment();
    return paid;
  }

  public void won() {
    won.increment();
  }

  /** True if the OSD was late again and again, and there is budget to go around it. */
  public boolean isAvoided(OsdId osd) {
    return options.enabled() && slow.isAvoided(osd);
  }

  /** False if no OSD can be avoided. */
  public boolean avoidsAny() {
    return options.enabled() && slow.avoidsAny();
  }

  /** Pays for going around an OSD from the start. */
  public boolean goAround(long requests, long bytes) {
    return budget.spend(HedgeBudget.cost(requests, bytes));
  }

  public HedgeCounts counts() {
    return new HedgeCounts(begun.sum(), won.sum(), refused.sum());
  }
}
