package org.weft.nfs.monitor;

import java.net.InetAddress;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Knows the hosts that have locks. Thread-safe. */
public interface LockUse {
  /** Those that hold something or wait for it; never fails. */
  CompletableFuture<Set<MonitoredClient>> inUse();

  /** The address is no more one of this gateway's host: its clients are another one's. */
  void lost(InetAddress server);
}
