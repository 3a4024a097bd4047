package org.weft.nfs.weft;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Bounds how many calls of a client, and how many bytes, wait for a volume that does not answer.
 * They share a connection with calls for other volumes, and a connection has bounds of calls and
 * bytes under way. Further calls are told to ask later before anything is done for them.
 * Thread-safe.
 */
final class HeldCalls {
  /** Less than half of what a connection may have under way. */
  static final int MAX = 48;

  /** Of calls with data: a small part of what a connection may have under way. */
  static final int MAX_BYTES = 2 << 20;

  /**
   * A volume is away if its oldest call waits for so long, and none was answered for so long. One
   * call may wait for a lock or for an OSD.
   */
  private static final long AWAY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private record Key(InetAddress client, PartitionId volume) {}

  /** Calls under way; guarded by itself. */
  private static final class Held {
    /** When each call began, the oldest first. */
    private final Map<Object, Long> beganNanos = new LinkedHashMap<>();

    private long answeredNanos;
    private long dataBytes;
    private boolean gone;

    private Held(long nowNanos) {
      this.answeredNanos = nowNanos;
    }

    private boolean isAway(long nowNanos) {
      return !beganNanos.isEmpty()
          && nowNanos - beganNanos.values().iterator().next() > AWAY_NANOS
          && nowNanos - answeredNanos > AWAY_NANOS;
    }
  }

  private final Scheduler scheduler;
  private final Ticker ticker;
  private final Map<Key, Held> byKey = new ConcurrentHashMap<>();

  HeldCalls(Scheduler scheduler, Ticker ticker) {
    this.scheduler = scheduler;
    this.ticker = ticker;
  }

  /** Carries a call out, unless as many wait for the volume as may. */
  <T> CompletableFuture<T> carryOut(
      InetAddress client, PartitionId volume, Supplier<CompletableFuture<T>> call) {
    Key key = new Key(client, volume);
    Object mine = new Object();
    if (!enter(key, mine, 0)) {
      return refused(volume);
    }
    return call.get().whenComplete((result, failure) -> leave(key, mine, 0, failure));
  }

  /**
   * Carries a call out that holds memory for data. It is refused at once where the volume is away.
   * Where more than {@link #MAX_BYTES} wait it is given up soon: it must not have changed anything.
   *
   * @param late gets a result that came after the call was given up
   */
  <T> CompletableFuture<T> carryOut(
      InetAddress client,
      PartitionId volume,
      int dataBytes,
      Supplier<CompletableFuture<T>> call,
      Consumer<T> late) {
    Key key = new Key(client, volume);
    CompletableFuture<T> mine = new CompletableFuture<>();
    if (!enter(key, mine, dataBytes)) {
      return refused(volume);
    }
    var unusedToo = mine.whenComplete((result, failure) -> leave(key, mine, dataBytes, failure));
    var unused =
        call.get()
            .whenComplete(
                (result, failure) -> {
                  if (failure != null) {
                    mine.completeExceptionally(failure);
                  } else if (!mine.complete(result)) {
                    late.accept(result);
                  }
                });
    if (!mine.isDone() && isMuchHeld(key)) {
      lookLater(key, mine);
    }
    return mine;
  }

  private static <T> CompletableFuture<T> refused(PartitionId volume) {
    return CompletableFuture.failedFuture(
        NfsFailures.later("as many calls as may wait for volume " + volume));
  }

  /** Where it is not, nothing is given up, and a call needs no timer. */
  private boolean isMuchHeld(Key key) {
    Held held = byKey.get(key);
    if (held == null) {
      return false;
    }
    synchronized (held) {
      return held.dataBytes > MAX_BYTES;
    }
  }

  private <T> void lookLater(Key key, CompletableFuture<T> mine) {
    Scheduler.Timer timer =
        scheduler.schedule(AWAY_NANOS + 1, Runnable::run, () -> giveUpIfTooMany(key, mine));
    var unused = mine.whenComplete((result, failure) -> timer.cancel());
  }

  private <T> void giveUpIfTooMany(Key key, CompletableFuture<T> mine) {
    Held held = byKey.get(key);
    boolean tooMany;
    if (held == null || mine.isDone()) {
      return;
    }
    synchronized (held) {
      tooMany = held.isAway(ticker.nowNanos()) && held.dataBytes > MAX_BYTES;
    }
    if (tooMany) {
      mine.completeExceptionally(NfsFailures.later("volume " + key.volume() + " does not answer"));
    } else {
      lookLater(key, mine);
    }
  }

  private boolean enter(Key key, Object mine, int dataBytes) {
    while (true) {
      Held held = byKey.computeIfAbsent(key, each -> new Held(ticker.nowNanos()));
      synchronized (held) {
        if (held.gone) {
          continue;
        }
        long now = ticker.nowNanos();
        boolean full = dataBytes > 0 || held.beganNanos.size() >= MAX;
        if (full && held.isAway(now)) {
          return false;
        }
        held.beganNanos.put(mine, now);
        held.dataBytes += dataBytes;
        return true;
      }
    }
  }

  private void leave(Key key, Object mine, int dataBytes, Throwable failure) {
    boolean answered = failure == null || FileException.of(failure).error() != FileError.TRY_LATER;
    Held held = byKey.get(key);
    synchronized (held) {
      if (answered) {
        held.answeredNanos = ticker.nowNanos();
      }
      held.beganNanos.remove(mine);
      held.dataBytes -= dataBytes;
      if (held.beganNanos.isEmpty()) {
        held.gone = true;
        byKey.remove(key, held);
      }
    }
  }
}
