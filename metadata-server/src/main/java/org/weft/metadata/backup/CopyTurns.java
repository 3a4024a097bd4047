package org.weft.metadata.backup;

import java.util.concurrent.Semaphore;

/**
 * Bounds how many journals a manager copies to backups at a time. Each copy holds a file of a
 * journal in memory (16 MiB), and its volume's new records besides. Thread-safe, never blocks.
 */
public final class CopyTurns {
  /** Copies of one manager at a time. */
  public static final int MAX_COPIES = 4;

  private final Semaphore free;

  public CopyTurns(int mostCopies) {
    this.free = new Semaphore(mostCopies);
  }

  /** A turn, which its holder gives back once; null if there is none now. */
  Turn take() {
    return free.tryAcquire() ? new Turn() : null;
  }

  /** The right to copy a journal. Confined to one thread. */
  final class Turn {
    private boolean given;

    private Turn() {}

    /** May be called more than once. */
    void giveBack() {
      if (!given) {
        given = true;
        free.release();
      }
    }
  }
}
