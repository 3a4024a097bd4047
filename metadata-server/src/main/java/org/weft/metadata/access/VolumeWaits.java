package org.weft.metadata.access;

import java.util.SortedMap;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;

/** What one volume waits for, in {@link OsdWaits}. Thread-safe. */
public final class VolumeWaits implements WaitSink, AutoCloseable {
  private final OsdWaits all;
  private final PartitionId volume;

  VolumeWaits(OsdWaits all, PartitionId volume) {
    this.all = all;
    this.volume = volume;
  }

  @Override
  public void waits(OsdWait what, SortedMap<OsdId, Waiting> osds) {
    all.waits(volume, what, osds);
  }

  /** An OSD that SysMgr has given up, because managers could not use it, could be used now. */
  public void usable(OsdId osd) {
    all.attempted(volume, osd, true, "");
  }

  /** It could not be used. */
  public void unusable(OsdId osd, String problem) {
    all.attempted(volume, osd, false, problem);
  }

  /** Nothing waits any more. */
  @Override
  public void close() {
    all.close(volume);
  }
}
