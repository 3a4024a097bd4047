package org.weft.protocol.transport.memory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes of requests and replies that all servers of a transport hold. A connection that holds no
 * more than is left may take in more. So a crowd of connections whose replies are not taken comes
 * to rest with equal shares. It leaves as much to one that comes later. See Choudhury and Hahne,
 * "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998. A connection that
 * holds nothing may always begin one request. A request that was begun is always finished, so that
 * no connection waits for ever.
 *
 * <p>Thread-safe.
 */
public final class RequestMemory {
  /** No connection alone may hold more than one of so many shares. */
  private static final int SHARES = 4;

  /** A connection that waits until at least as much is left as it holds. */
  public static final class Waiter {
    private final Runnable wake;
    private long heldBytes;
    private long turn;
    private boolean waits;

    /**
     * @param wake runs on any thread when there may be room; must be quick
     */
    public Waiter(Runnable wake) {
      this.wake = wake;
    }
  }

  private final long limitBytes;
  private final AtomicLong usedBytes = new AtomicLong();

  private final TreeSet<Waiter> waiting =
      new TreeSet<>(
          Comparator.comparingLong((Waiter waiter) -> waiter.heldBytes)
              .thenComparingLong(waiter -> waiter.turn));

  private long turns;
  private volatile boolean anyWaits;

  public RequestMemory(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** May a connection that holds so many bytes take in more? */
  public boolean hasRoomBeside(long heldBytes) {
    return heldBytes <= Math.min(limitBytes - usedBytes.get(), limitBytes / SHARES);
  }

  /** Of all that arrives and leaves. */
  public long usedBytes() {
    return usedBytes.get();
  }

  /** Takes, or with a negative number gives back. */
  public void add(long bytes) {
    usedBytes.addAndGet(bytes);
    if (bytes < 0 && anyWaits) {
      wake();
    }
  }

  /** Takes so many bytes if they are left. */
  public boolean takeIfLeft(int bytes) {
    if (usedBytes.addAndGet(bytes) <= limitBytes) {
      return true;
    }
    add(-bytes);
    return false;
  }

  /**
   * Wakes it once, when there is room beside so many bytes; perhaps at once. One that waits already
   * waits for this from here on.
   */
  public void whenRoom(Waiter waiter, long heldBytes) {
    synchronized (this) {
      if (waiter.waits && waiter.heldBytes == heldBytes) {
        return;
      }
      remove(waiter);
      waiter.heldBytes = heldBytes;
      waiter.turn = turns++;
      waiter.waits = waiting.add(waiter);
      anyWaits = true;
    }
    // What was given back before it was in the set did not wake it.
    wake();
  }

  /** It waits no more. */
  public synchronized void forget(Waiter waiter) {
    remove(waiter);
  }

  private void remove(Waiter waiter) {
    if (waiter.waits) {
      waiting.remove(waiter);
      waiter.waits = false;
      anyWaits = !waiting.isEmpty();
    }
  }

  private void wake() {
    List<Waiter> woken = new ArrayList<>();
    synchronized (this) {
      while (!waiting.isEmpty() && hasRoomBeside(waiting.first().heldBytes)) {
        Waiter first = waiting.first();
        remove(first);
        woken.add(first);
      }
    }
    woken.forEach(waiter -> waiter.wake.run());
  }
}
