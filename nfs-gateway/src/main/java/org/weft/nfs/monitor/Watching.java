package org.weft.nfs.monitor;

import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;

/** Has hosts recorded before they are given locks. Thread-safe. */
public interface Watching {
  /** What becomes of a host that wants a lock. */
  enum Verdict {
    /** It is recorded, durably. */
    WATCHED,

    /** The host gets no notice, and may have locks all the same. */
    UNWATCHED,

    /** It cannot be recorded now. */
    LATER,

    /** There are as many as there may be. */
    TOO_MANY
  }

  /** Records nothing. */
  Watching NONE =
      new Watching() {
        @Override
        public CompletableFuture<Verdict> watched(MonitoredClient client) {
          return CompletableFuture.completedFuture(Verdict.UNWATCHED);
        }

        @Override
        public boolean serves(InetAddress server) {
          return true;
        }
      };

  /** Never fails, and is answered within seconds. */
  CompletableFuture<Verdict> watched(MonitoredClient client);

  /** The address is one of this gateway's host. */
  boolean serves(InetAddress server);
}
