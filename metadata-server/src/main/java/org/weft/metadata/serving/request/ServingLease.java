package org.weft.metadata.serving.request;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How long this manager may serve (P 6.2). It counts from the sending of the last heartbeat that
 * SysMgr renewed, on the monotonic clock. It is checked before each reply. Thread-safe.
 */
public final class ServingLease {
  private volatile long endNanos;
  private volatile boolean given;
  private volatile boolean revoked;
  private final Optional<ServingLease> ofManager;

  public ServingLease() {
    this(Optional.empty());
  }

  private ServingLease(Optional<ServingLease> ofManager) {
    this.ofManager = ofManager;
  }

  /** One that holds while this one does, and is revoked apart: of a single volume. */
  public ServingLease ofVolume() {
    return new ServingLease(Optional.of(this));
  }

  /** SysMgr answered what was sent at that time. An older answer than the last changes nothing. */
  public synchronized void renewed(long sentNanos, int leaseMillis) {
    long end = sentNanos + TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    if (!given || end - endNanos > 0) {
      endNanos = end;
      given = true;
    }
  }

  /** Another manager has taken over, or this one stops: no renewal helps any more. */
  public void revoke() {
    revoked = true;
  }

  public boolean isRevoked() {
    return revoked || ofManager.filter(ServingLease::isRevoked).isPresent();
  }

  public boolean holds(long nowNanos) {
    if (ofManager.isPresent()) {
      return !revoked && ofManager.get().holds(nowNanos);
    }
    return given && !revoked && nowNanos - endNanos < 0;
  }
}
