package org.weft.sysmgr.replication.ratis;

import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;

/**
 * The storage of Ratis, which a first snapshot may reach while another thread looks and finds none.
 * Ratis throws a NullPointerException there, and that ends the thread that sends the log to another
 * member. If that one was about to be added, the addition would neither be made nor fail.
 * Thread-safe.
 */
final class SnapshotStorage extends SimpleStateMachineStorage {
  /** Guarded by the monitor; null: there is none. */
  private SingleFileSnapshotInfo latest;

  /**
   * The latest of this snapshot and those before.
   *
   * @param info null: none was found
   */
  @Override
  public synchronized SingleFileSnapshotInfo updateLatestSnapshot(SingleFileSnapshotInfo info) {
    if (info != null) {
      latest = super.updateLatestSnapshot(info);
    }
    return latest;
  }
}
