package org.weft.metadata.backup;

import org.weft.metadata.volume.VolumeMachine;

/** Compares the state that a promotion uses, for tests. Called on the volume's thread. */
public interface WarmCheck {
  /**
   * One machine took over a warm state, the other recovered from the same journal, in the same
   * epoch and at the same time. Nothing has been redone yet.
   *
   * @throws IllegalStateException if they differ
   */
  void requireEqual(VolumeMachine warm, VolumeMachine cold);
}
