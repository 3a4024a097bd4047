package org.weft.client.file;

import org.weft.client.volume.ControlListener;
import org.weft.client.volume.GrantCalls;

/**
 * Decides whether an open file listens to its manager. It does not listen at first, since a
 * connection would be opened for that, and not after its end. Thread-safe; never blocks.
 */
final class ControlWatch {
  private final GrantCalls calls;

  // Guarded by this.
  private boolean ended;

  /** Ends the listening; null while nothing listens. */
  private Runnable deaf;

  ControlWatch(GrantCalls calls) {
    this.calls = calls;
  }

  /** Listens from now on, unless something does already or this has ended. */
  synchronized void begin(long objectId, ControlListener listener) {
    if (!ended && deaf == null) {
      deaf = calls.watch(objectId, listener);
    }
  }

  /** Nothing listens any more, or will. */
  void end() {
    Runnable listening;
    synchronized (this) {
      ended = true;
      listening = deaf;
      deaf = null;
    }
    if (listening != null) {
      listening.run();
    }
  }

  synchronized boolean hasEnded() {
    return ended;
  }
}
