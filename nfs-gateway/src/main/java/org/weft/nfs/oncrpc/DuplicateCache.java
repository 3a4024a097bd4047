package org.weft.nfs.oncrpc;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Knows the latest calls that must not be carried out twice, and their replies. Clients repeat a
 * call on a new connection when the old one broke before the reply came. A repeat of a call that is
 * still under way waits for its reply, too. A client over TCP repeats seldom. It would wait long if
 * the repeat were dropped and the first reply lost.
 *
 * <p>A repeat is recognised by its number and a digest of procedure, user and arguments. Numbers
 * alone are used again after a client's restart, and other users of a client may guess them. Of the
 * client only the address counts, since a new connection may have another port. Thread-safe.
 */
final class DuplicateCache {
  /** Identity of a call and its repeats. */
  record Key(InetAddress client, int xid, long high, long low) {
    static Key of(RpcCall call) {
      return new Key(call.client().getAddress(), call.xid(), call.mark().high(), call.mark().low());
    }
  }

  /** A reply without its head, to be sent any number of times. */
  private record Kept(byte[] result) implements OncReply {
    @Override
    public void write(XdrWriter out) {
      out.fixedOpaque(result);
    }
  }

  private final int mostKept;
  private final RpcCounters counters;
  private final Map<Key, CompletableFuture<Kept>> underWay = new HashMap<>();

  /** In the order in which they were answered. */
  private final Map<Key, Kept> kept = new LinkedHashMap<>();

  DuplicateCache(int mostKept, RpcCounters counters) {
    this.mostKept = mostKept;
    this.counters = counters;
  }

  /**
   * Carries the call out, unless it is a repeat. Replies must have no payload.
   *
   * @param first carries it out; called at most once, on this thread
   * @param isRepeat called if it is not carried out
   */
  CompletionStage<OncReply> once(
      Key key, boolean keep, Supplier<CompletionStage<OncReply>> first, Runnable isRepeat) {
    CompletableFuture<Kept> mine = new CompletableFuture<>();
    CompletableFuture<Kept> earlier;
    synchronized (this) {
      Kept reply = kept.get(key);
      earlier =
          reply != null
              ? CompletableFuture.completedFuture(reply)
              : underWay.putIfAbsent(key, mine);
    }
    if (earlier != null) {
      counters.repeated();
      isRepeat.run();
      return earlier.thenApply(reply -> reply);
    }
    CompletionStage<OncReply> stage;
    try {
      stage = first.get();
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedFuture(e);
    }
    var unused =
        stage
            .thenApply(reply -> new Kept(XdrWriter.bytes(reply::write)))
            .whenComplete((reply, failure) -> ended(key, keep, mine, reply, failure));
    return mine.thenApply(reply -> reply);
  }

  private void ended(
      Key key, boolean keep, CompletableFuture<Kept> mine, Kept reply, Throwable failure) {
    synchronized (this) {
      underWay.remove(key);
      if (failure == null && keep && mostKept > 0) {
        if (kept.size() == mostKept) {
          Iterator<Key> eldest = kept.keySet().iterator();
          eldest.next();
          eldest.remove();
        }
        kept.put(key, reply);
      }
    }
    if (failure == null) {
      mine.complete(reply);
    } else {
      mine.completeExceptionally(failure);
    }
  }

  /** Replies that are kept. */
  synchronized int size() {
    return kept.size();
  }
}
