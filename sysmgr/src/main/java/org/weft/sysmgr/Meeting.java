package org.weft.sysmgr;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.wire.EnlistMemberReply;

/**
 * Asks where SysMgr's members are now, for a process with a number that was started again before it
 * was added (P 6.2a.12). It asks on a thread of its own. The process listens meanwhile, and can be
 * stopped. Thread-safe.
 */
final class Meeting implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Meeting.class);

  /**
   * Then a log that was opened before is opened all the same. Of two members the second may have
   * been added just before it was killed, and without it no leader could answer.
   */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private interface Question {
    EnlistMemberReply ask() throws IOException;
  }

  private final Thread thread;
  private boolean asking = true;
  private boolean closed;

  private Meeting(Question question, Consumer<List<ReplicatedLog.Member>> then) {
    thread = new Thread(() -> meet(question, then), "weft-sysmgr-meeting");
    thread.setDaemon(true);
  }

  /**
   * Asks, and does the rest on the thread that has asked, unless it is closed before.
   *
   * @param patienceNanos how long it asks
   * @param then takes the members, or none if there was no answer
   */
  static Meeting begin(
      SysmgrOptions options,
      int memberId,
      Environment environment,
      long patienceNanos,
      Consumer<List<ReplicatedLog.Member>> then) {
    SysmgrOptions.JoinPlan plan = options.join().orElseThrow();
    Meeting meeting =
        new Meeting(
            () -> Enlistment.enlist(plan, memberId, options.self(), environment, patienceNanos),
            then);
    meeting.thread.start();
    return meeting;
  }

  private void meet(Question question, Consumer<List<ReplicatedLog.Member>> then) {
    List<ReplicatedLog.Member> met = List.of();
    try {
      met = Enlistment.members(question.ask());
    } catch (IOException e) {
      LOG.warn(
          "this process waits to be added, and does not know SysMgr's members: {}", e.getMessage());
    }
    if (hasAsked()) {
      then.accept(met);
    }
  }

  private synchronized boolean hasAsked() {
    asking = false;
    return !closed;
  }

  /** Asks no more; waits until what follows has ended if that has begun. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true;
      if (asking) {
        thread.interrupt();
      }
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a process that waits to be added is stopped", e);
    }
  }
}
