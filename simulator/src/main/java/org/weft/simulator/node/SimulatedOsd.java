package org.weft.simulator.node;

import org.weft.osd.check.CheckReport;
import org.weft.osd.command.turn.BackgroundFigures;
import org.weft.osd.store.ObjectStore;
import org.weft.testkit.storage.MemoryKeyValueStore;
import org.weft.testkit.storage.MemorySegmentDirectory;

/** An OSD. */
public interface SimulatedOsd extends SimNode {
  /** The number that SysMgr gave it last, also while it does not run; 0 before it joined. */
  int osdId();

  /** It has joined and answers. */
  boolean isServing();

  /** The store of the running process; an {@link IllegalStateException} if there is none. */
  ObjectStore store();

  /** What of managers' copying has waited in the running process. */
  BackgroundFigures background();

  MemoryKeyValueStore tables();

  MemorySegmentDirectory segments();

  /** Ends the process and runs the check of stopped stores over what it left. */
  CheckReport check();

  /** True if nothing is wrong but blocks that a power loss took before they were synced. */
  default boolean isOnlyLost(CheckReport report) {
    return report.damaged().size() == report.findings().size()
        && report.damaged().stream()
            .allMatch(block -> segments().lostBlocks(block.file()).contains(block.block()));
  }
}
