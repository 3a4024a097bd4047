package org.weft.metadata.access;

import java.util.SortedMap;
import org.weft.protocol.id.OsdId;

/** Receives what a volume waits for from single OSDs. */
@FunctionalInterface
public interface WaitSink {
  /** Ignores everything. */
  WaitSink NONE = (what, osds) -> {};

  /**
   * All that waits in this way now, in place of what was said before; said again every few seconds
   * at most while it lasts. Any thread.
   */
  void waits(OsdWait what, SortedMap<OsdId, Waiting> osds);
}
