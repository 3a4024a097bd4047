package org.weft.client.stripe.read;

import java.nio.ByteBuffer;

/**
 * A caller's buffer, lent to a read until the caller takes it back. A caller that gives up waiting
 * does so, and then the read, which may go on for a while, writes nothing to it any more.
 * Thread-safe.
 */
public final class LentBuffer implements WriteGate {
  private final ByteBuffer memory;

  // Guarded by this.
  private int writers;
  private boolean takenBack;

  /** Lends what remains in the buffer, whose position and limit are not looked at again. */
  public LentBuffer(ByteBuffer target) {
    this.memory = target.slice();
  }

  /** How many bytes have been lent. */
  public int lengthBytes() {
    return memory.capacity();
  }

  /** What has been lent, to be written to by threads that have entered. */
  public ByteBuffer memory() {
    return memory;
  }

  @Override
  public synchronized boolean enter() {
    if (takenBack) {
      return false;
    }
    writers++;
    return true;
  }

  @Override
  public synchronized void leave() {
    writers--;
    if (writers == 0) {
      notifyAll();
    }
  }

  /**
   * Nothing is written once this has returned. Waits for the threads that are copying now, whether
   * the calling thread is interrupted or not; they wait for no other thread.
   */
  public synchronized void takeBack() {
    takenBack = true;
    boolean interrupted = false;
    while (writers > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
