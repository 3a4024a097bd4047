package org.weft.client.file;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.volume.ControlListener;
import org.weft.client.volume.GrantCalls;
import org.weft.client.volume.SessionGrant;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.ByteRange;

/**
 * Says how long a file is that this client writes, when the manager asks and now and then besides
 * (P 6.5). Most flushes are seen by no other client, and need not wait for the manager. What
 * listings show of it is not much older than a second. Thread-safe; never blocks.
 */
final class LengthAnswers implements ControlListener {
  private static final Logger LOG = LoggerFactory.getLogger(LengthAnswers.class);
  private static final long BEHIND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final GrantCalls calls;
  private final Supplier<SessionGrant> held;
  private final Supplier<CompletableFuture<Void>> tell;
  private final ControlWatch watch;

  // Guarded by this.
  private boolean toldBefore;
  private boolean timed;

  /**
   * @param held the grant now in force
   * @param tell tells the manager what was published, when its turn comes
   */
  LengthAnswers(
      GrantCalls calls, Supplier<SessionGrant> held, Supplier<CompletableFuture<Void>> tell) {
    this.calls = calls;
    this.held = held;
    this.tell = tell;
    this.watch = new ControlWatch(calls);
  }

  /**
   * A length is told to the manager; from the second time on, the manager could as well ask for it.
   */
  synchronized void told() {
    if (!toldBefore) {
      toldBefore = true;
    } else {
      watch.begin(held.get().objectId(), this);
    }
  }

  /** A length was published without a word to the manager. */
  void kept() {
    synchronized (this) {
      if (timed) {
        return;
      }
      timed = true;
    }
    calls.later(BEHIND_NANOS, this::catchUp);
  }

  private void catchUp() {
    synchronized (this) {
      timed = false;
    }
    if (!watch.hasEnded() && calls.isBehind(held.get())) {
      say();
    }
  }

  @Override
  public void recalled(long grant, ByteRange range) {
    // Only a shared file owns ranges, and it listens for itself.
  }

  @Override
  public void lengthWanted(Lsn question) {
    if (calls.lengthWanted(held.get(), question)) {
      say();
    }
  }

  /**
   * A writer that cannot be asked tells its length unasked, before the manager takes it for gone.
   */
  @Override
  public void outOfReach() {
    say();
  }

  /** The manager asks again if it has to; the writer learns of a failure by its next call. */
  private void say() {
    var unused =
        tell.get()
            .whenComplete(
                (nothing, thrown) -> {
                  if (thrown != null) {
                    LOG.debug(
                        "length of object {} not told: {}",
                        held.get().objectId(),
                        WeftException.of(thrown).getMessage());
                  }
                });
  }

  /** The grant is given back: with it goes the last word on the length. */
  void end() {
    watch.end();
  }
}
