package org.weft.osd.store.engine.state;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.PassingException;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * The problems of a store, and whether it has failed. Problems stay until it is started again.
 * Thread-safe.
 *
 * <p>A store that has failed takes no changes any more. Clients that hear so write around it, and
 * it may be started again before SysMgr calls it down. So its next start has to know, and no caller
 * is told before the {@link FailureNote} is durable. Until then the store is {@link #isSilent
 * silent}, and it stays so if the note cannot be left. It is merely out of reach then. That gives
 * no client the right to go on without it until SysMgr has called it down.
 */
public final class Health {
  private static final Logger LOG = LoggerFactory.getLogger(Health.class);
  private static final int MAX_PROBLEMS = 16;

  /** A bad place on a disk fails one write; so many one after another are no bad places. */
  public static final int MAX_FAILED_WRITES = 8;

  private final Set<String> problems = new LinkedHashSet<>();
  private final FailureNote failureNote;
  private long more;
  private final AtomicInteger failedWrites = new AtomicInteger();
  private volatile String failed;
  private volatile boolean noted;

  /**
   * @param failureNote left when the store fails
   */
  public Health(FailureNote failureNote) {
    this.failureNote = failureNote;
  }

  /** Notes a problem that hurts single commands. */
  public void report(String problem) {
    note(problem, null);
  }

  /** Notes a problem that hurts single commands, and logs its cause. */
  public void report(String problem, Throwable cause) {
    note(problem, cause);
  }

  /**
   * Notes that the tables could not be read, and gives the refusal of the request that met it. What
   * may pass is no damage: others would take what they asked for as lost.
   */
  public WeftException unreadTables(IOException cause) {
    String text = "the store's tables could not be read: ";
    note(text + cause, cause);
    return new WeftException(
        cause instanceof PassingException ? ErrorCode.BUSY : ErrorCode.BAD_MEDIA,
        text + cause.getMessage(),
        cause);
  }

  /**
   * Bytes could not be written, or no room be made for them, though the disk is not full. The store
   * has failed if that happens {@value #MAX_FAILED_WRITES} times and nothing is written between.
   */
  public void writeFailed(String problem, Throwable cause) {
    note(problem, cause);
    if (failedWrites.incrementAndGet() >= MAX_FAILED_WRITES) {
      fail("nothing can be written to the disk: " + problem, cause);
    }
  }

  /** Bytes were written. */
  public void wrote() {
    if (failedWrites.get() != 0) {
      failedWrites.set(0);
    }
  }

  /**
   * The store must not change any more: what is durable is not known. Does IO on this thread; once
   * it returns, {@link #refusal} says what may be said.
   */
  public void fail(String problem, Throwable cause) {
    note(problem, cause);
    synchronized (this) {
      if (failed != null) {
        return;
      }
      failed = problem;
    }
    try {
      failureNote.leave();
      noted = true;
    } catch (Throwable e) {
      // Whatever it is, also an end of the stack: waiting callers have to be told something.
      note(
          "this OSD replies to no request any more: that its store has failed could not be noted for its"
              + " next start ("
              + e
              + "); look at the disk, then start the OSD again",
          e);
    }
  }

  /** Refuses changes of a store that {@link #fail failed}. */
  public void requireWritable() throws WeftException {
    if (failed != null) {
      throw refusal("the store takes no changes since " + failed, null);
    }
  }

  /** The refusal of a request that a failed store cannot carry out. */
  public WeftException refusal(String why, Throwable cause) {
    return noted
        ? new WeftException(
            ErrorCode.STORE_FAILED, why + "; look at the disk, then start the OSD again", cause)
        : new WeftException(
            ErrorCode.UNAVAILABLE, "this OSD is not serving now; try again (" + why + ")", cause);
  }

  /** True if the store takes no changes any more. */
  public boolean isFailed() {
    return failed != null;
  }

  /** Why it takes no changes any more. */
  public Optional<String> failure() {
    return Optional.ofNullable(failed);
  }

  /** It failed, and its next start would not know yet. */
  public boolean isSilent() {
    return failed != null && !noted;
  }

  /** What is wrong, for people; empty if nothing is. */
  public synchronized List<String> problems() {
    List<String> all = new ArrayList<>(problems);
    if (more > 0) {
      all.add(more + " more problems are in the log");
    }
    return all;
  }

  private synchronized void note(String problem, Throwable cause) {
    LOG.error("object store: {}", problem, cause);
    if (problems.size() < MAX_PROBLEMS) {
      problems.add(problem);
    } else if (!problems.contains(problem)) {
      more++;
    }
  }
}
