package org.weft.client.stripe.base;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.osd.OsdClient;
import org.weft.client.osd.OsdConnections;
import org.weft.client.stripe.hedge.Hedging;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetAttributesRequest;

/**
 * What all streams of a client share: connections, memory, the executor of their work, and which
 * OSDs failed or were late. It begins no stream. Thread-safe.
 */
public final class StripeContext {
  /** Of what OSDs, or the manager for their sake, have refused or not answered. */
  public static final Backoff RETRIES =
      Backoff.spread(TimeUnit.MILLISECONDS.toNanos(20), TimeUnit.SECONDS.toNanos(1));

  private static final Logger LOG = LoggerFactory.getLogger(StripeContext.class);

  private static final long ROOM_POLL_NANOS = 1_000_000;
  private static final int MAX_ROOM_POLLS = 2_000;

  private final OsdClient osds;
  private final Predicate<OsdId> near;
  private final Scheduler scheduler;
  private final Ticker ticker;
  private final RandomGenerator random;
  private final Executor executor;
  private final StripeOptions options;
  private final UnitPool pool;
  private final RecentFailures suspects;
  private final Hedging hedging;
  private final BadBlockReports badBlocks;

  /** Retries that wait for their time. */
  private final Set<Pause> pauses = ConcurrentHashMap.newKeySet();

  private volatile boolean ended;

  /**
   * For one client or manager.
   *
   * @param executor may refuse tasks: the caller does them then
   * @param pool memory of all streams
   * @param reports false: OSDs hear of no bad block
   */
  public StripeContext(
      Environment environment,
      OsdConnections connections,
      Executor executor,
      StripeOptions options,
      UnitPool pool,
      boolean reports) {
    this.osds = new OsdClient(connections, executor);
    this.near = connections::isNear;
    this.scheduler = environment.scheduler();
    this.ticker = environment.ticker();
    this.random = environment.random();
    this.executor = executor;
    this.options = options;
    this.pool = pool;
    this.suspects = new RecentFailures(ticker, random, options.suspicionMillis());
    this.hedging = new Hedging(options.hedges(), ticker, scheduler, this::executeElsewhere);
    this.badBlocks = new BadBlockReports(osds, ticker, reports);
  }

  public OsdClient osds() {
    return osds;
  }

  /** True for an OSD of this process's own host. */
  public boolean isNear(OsdId osd) {
    return near.test(osd);
  }

  public Ticker ticker() {
    return ticker;
  }

  public RandomGenerator random() {
    return random;
  }

  public StripeOptions options() {
    return options;
  }

  public UnitPool pool() {
    return pool;
  }

  public RecentFailures suspects() {
    return suspects;
  }

  public Hedging hedging() {
    return hedging;
  }

  public BadBlockReports badBlocks() {
    return badBlocks;
  }

  /** What the OSD of a component says of it, its eof and truncation number among that. */
  public CompletableFuture<GetAttributesReply> attributesOf(StripedFile file, int component) {
    return osds.getAttributes(
        file.target(component, options.readAttemptMillis()),
        GetAttributesRequest.newBuilder().setObjectId(file.name().object().value()));
  }

  /** Runs it on the executor, or here if that is full. */
  public void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  /**
   * Runs it on the executor, later if that is full: for what a thread of the transport sets off.
   */
  public void executeElsewhere(Runnable task) {
    executeElsewhere(task, MAX_ROOM_POLLS);
  }

  private void executeElsewhere(Runnable task, int pollsLeft) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      if (pollsLeft == 0 || ended) {
        // Ended, or full for two seconds: the task must not be lost, and finds out which.
        task.run();
      } else {
        var unused =
            scheduler.schedule(
                ROOM_POLL_NANOS, Runnable::run, () -> executeElsewhere(task, pollsLeft - 1));
      }
    }
  }

  /**
   * Retries on the executor after a pause.
   *
   * @param over runs in its place, with CANCELLED, if the client is closed before that
   */
  public void pause(long delayNanos, Runnable retry, Consumer<WeftException> over) {
    Pause pause = new Pause(retry, over);
    pauses.add(pause);
    if (ended) {
      pause.end();
    } else {
      after(delayNanos, pause);
    }
  }

  /** The client is closed: what waits for a retry fails, now and from now on. */
  public void end() {
    ended = true;
    for (Pause pause : pauses) {
      try {
        pause.end();
      } catch (RuntimeException e) {
        LOG.warn("a retry that was waited for could not be ended", e);
      }
    }
  }

  /** One retry, until it begins. */
  private final class Pause implements Runnable {
    private final Runnable retry;
    private final Consumer<WeftException> over;

    Pause(Runnable retry, Consumer<WeftException> over) {
      this.retry = retry;
      this.over = over;
    }

    @Override
    public void run() {
      if (pauses.remove(this)) {
        retry.run();
      }
    }

    void end() {
      if (pauses.remove(this)) {
        over.accept(new WeftException(ErrorCode.CANCELLED, "the client was closed"));
      }
    }
  }

  /** Runs it on the executor after a pause. */
  public void after(long delayNanos, Runnable task) {
    var unused = scheduler.schedule(delayNanos, this::executeElsewhere, task);
  }
}
