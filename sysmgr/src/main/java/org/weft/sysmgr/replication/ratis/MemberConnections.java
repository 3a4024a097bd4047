package org.weft.sysmgr.replication.ratis;

import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.apache.ratis.util.Timestamp;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives up connections to other members that {@link SilentMembers} finds dead. Ratis keeps one for
 * as long as TCP does; votes and entries go by the same one. Giving one up closes it within a few
 * seconds, ends its streams, and has the next vote or entry open another. Nothing that was
 * acknowledged depends on it: what was under way is sent again.
 *
 * <p>Thread-safe. Has a thread that looks, and threads that close, since closing waits: real ones,
 * as Ratis has. The simulator has no Ratis.
 */
final class MemberConnections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemberConnections.class);
  private static final long LOOK_MILLIS = 500;

  /** More than members, each of which may be closed again before the first closing has ended. */
  private static final int MAX_CLOSINGS = 64;

  private static final long IDLE_SECONDS = 60;

  private final Supplier<Optional<SilentMembers.Sight>> sight;
  private final IntConsumer giveUp;
  private final SilentMembers silent = new SilentMembers();
  private final ScheduledExecutorService looks;
  private final ExecutorService closings;

  /**
   * @param sight what the member sees now; empty while it is opened or closed
   * @param giveUp closes the connection to a member, by its number; may wait for seconds
   */
  MemberConnections(
      int memberId, Supplier<Optional<SilentMembers.Sight>> sight, IntConsumer giveUp) {
    this.sight = sight;
    this.giveUp = giveUp;
    looks = new ScheduledThreadPoolExecutor(1, named("weft-member-" + memberId + "-looks"));
    closings =
        new ThreadPoolExecutor(
            0,
            MAX_CLOSINGS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            named("weft-member-" + memberId + "-closings"));
  }

  /** Daemon threads of this name. */
  static ThreadFactory named(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  void start() {
    var unused =
        looks.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    try {
      Optional<SilentMembers.Sight> seen = sight.get();
      if (seen.isPresent()) {
        long nowMillis = TimeUnit.NANOSECONDS.toMillis(Timestamp.currentTimeNanos());
        for (int member : silent.toGiveUp(nowMillis, seen.get())) {
          closings.execute(() -> close(member, seen.get().standing()));
        }
      }
    } catch (RuntimeException e) {
      LOG.warn("connections to other SysMgr members could not be looked at", e);
    }
  }

  private void close(int member, SilentMembers.Standing standing) {
    LOG.debug("{}: gives up the connection to silent SysMgr member {}", standing, member);
    try {
      giveUp.accept(member);
    } catch (RuntimeException e) {
      LOG.warn("the connection to silent SysMgr member {} could not be given up", member, e);
    }
  }

  /** Looks no more; closings under way end by themselves. */
  @Override
  public void close() {
    var unused = looks.shutdownNow();
    closings.shutdown();
  }
}
