package org.weft.metadata.serving.fence;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.client.osd.OsdClient;
import org.weft.metadata.access.VolumeWaits;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.FenceRequest;
import org.weft.protocol.wire.FlushRequest;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/**
 * Tries OSDs that SysMgr has given up because managers could not use them (P 5.8). Each is to take
 * the volume's fence and to make a checkpoint, as whatever waited for it needs both. SysMgr takes
 * an OSD back when managers can use it again. Confined to the volume's thread.
 */
public final class UnusableOsdProbes {
  private static final int FENCE_TIMEOUT_MILLIS = 2_000;
  private static final int CHECKPOINT_TIMEOUT_MILLIS = 10_000;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final OsdClient osds;
  private final ManagerCapability capability;
  private final long epoch;
  private final Scheduler scheduler;
  private final Executor home;
  private final VolumeWaits waits;
  private final Set<OsdId> underWay = new TreeSet<>();
  private Set<OsdId> unusable = Set.of();

  /**
   * @param osds completes on the volume's thread
   */
  public UnusableOsdProbes(
      OsdClient osds,
      ManagerCapability capability,
      long epoch,
      Scheduler scheduler,
      Executor home,
      VolumeWaits waits) {
    this.osds = osds;
    this.capability = capability;
    this.epoch = epoch;
    this.scheduler = scheduler;
    this.home = home;
    this.waits = waits;
  }

  /** There is a newer table. */
  public void tableChanged(ClusterTable table, String bladeSet) {
    Set<OsdId> now = new TreeSet<>();
    for (OsdRow row : table.getOsdsList()) {
      boolean given = row.getUnusableToManagerCount() > 0 && row.getState() == NodeState.DOWN;
      if (given && row.getBladeSet().equals(bladeSet)) {
        now.add(new OsdId(row.getOsdId()));
      }
    }
    unusable = now;
    now.forEach(this::attempt);
  }

  private void attempt(OsdId osd) {
    if (!unusable.contains(osd) || !underWay.add(osd)) {
      return;
    }
    var unused =
        osds.fence(
                capability.target(osd, FENCE_TIMEOUT_MILLIS),
                FenceRequest.newBuilder().setEpoch(epoch))
            .thenCompose(
                fenced ->
                    osds.flush(
                        capability.target(osd, CHECKPOINT_TIMEOUT_MILLIS),
                        FlushRequest.newBuilder()))
            .whenComplete(
                (flushed, failure) -> {
                  if (failure == null) {
                    waits.usable(osd);
                  } else {
                    waits.unusable(osd, WeftException.of(failure).getMessage());
                  }
                  scheduler.schedule(PAUSE_NANOS, home, () -> again(osd));
                });
  }

  private void again(OsdId osd) {
    underWay.remove(osd);
    attempt(osd);
  }

  /** Tries nothing any more. */
  public void close() {
    unusable = Set.of();
  }
}
