package org.weft.simulator.end;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.weft.client.FileStatus;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.ParityScrubState;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.workload.Histories;
import org.weft.simulator.workload.WorldWait;
import org.weft.simulator.world.World;

/**
 * Checks the scrub of parity (P 6.8f). It must report no file beside writers, whatever goes wrong,
 * and read every file once all is well. Where more was lost than files bear, its reports may be
 * just that.
 */
public final class ScrubWatch {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** Files that were not at rest are looked at a minute later, in each of two passes. */
  private static final long MAX_MILLIS = 600_000;

  private final World world;
  private final Histories histories;
  private String named = "";
  private boolean over;
  private String difference = "";

  public ScrubWatch(World world, Histories histories) {
    this.world = world;
    this.histories = histories;
  }

  public void start() {
    if (world.options().scrubbed()) {
      look();
    }
  }

  /** What is named for a moment is named, too. */
  private void look() {
    for (SimulatedManager manager : world.managers()) {
      for (VolumeHealth volume : manager.health()) {
        if (volume.getParityScrub().getContradicted() > 0 && named.isEmpty()) {
          named = manager.name() + ": " + manager.problems();
        }
      }
    }
    if (!over) {
      world.time().after(LOOK_NANOS, this::look);
    }
  }

  /**
   * All is well again.
   *
   * @param explained what it names may be what was lost
   */
  void end(boolean explained, LastLook look) {
    if (!world.options().scrubbed()) {
      return;
    }
    long files = look.contents().values().stream().filter(ScrubWatch::hasParity).count();
    Optional<ParityScrubState> before = state();
    long passes = before.map(ParityScrubState::getPasses).orElse(0L);
    // The pass that is under way may have passed something while it was written.
    // What is named as damaged is left out in each pass.
    boolean ended =
        explained || new WorldWait(world, MAX_MILLIS).until(() -> hasLookedAt(files, passes + 2));
    if (!ended) {
      histories.found("the scrub of parity leaves files out", difference);
    }
    over = true;
    look();
    if (!named.isEmpty() && !explained) {
      histories.found("the scrub of parity names a file", named);
    }
  }

  private boolean hasLookedAt(long files, long passes) {
    Optional<ParityScrubState> now = state();
    difference = files + " files have parity: " + now + problems();
    return now.filter(scrub -> scrub.getPasses() >= passes)
        .filter(scrub -> scrub.getLastFiles() >= files && scrub.getLastLeft() == 0)
        .isPresent();
  }

  private List<String> problems() {
    return world.managers().stream().flatMap(each -> each.problems().stream()).toList();
  }

  private Optional<ParityScrubState> state() {
    return world.managers().stream()
        .flatMap(manager -> manager.health().stream())
        .filter(volume -> volume.getVolumeId() == world.homeVolume().value())
        .filter(VolumeHealth::hasParityScrub)
        .map(VolumeHealth::getParityScrub)
        .findFirst();
  }

  private static boolean hasParity(LastLook.Content content) {
    Optional<StorageMap> map = Optional.ofNullable(content.status()).flatMap(FileStatus::map);
    return map.filter(each -> each.layout().parityUnits() > 0).isPresent()
        && content.status().sizeBytes() > 0;
  }
}
