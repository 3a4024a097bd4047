package org.weft.simulator.end;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import org.weft.metadata.OfflineCheckCourse;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CheckState;
import org.weft.protocol.wire.CheckStatusReply;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.workload.Histories;
import org.weft.simulator.workload.WorldWait;
import org.weft.simulator.world.World;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * The check without a manager, once all managers are killed at the end of a world (P 6.8d.6). It
 * reads the disk of the manager that had the volume. It must find the same as the check beside that
 * manager, which is nothing, and leave the disk as it is.
 */
final class CheckedOffline {
  private static final int MAX_SAID = 5;
  private static final long POLL_MILLIS = 200;
  private static final int MAX_POLLS = 3_000;

  private final World world;
  private final Histories histories;
  private final WorldWait patience;

  CheckedOffline(World world, Histories histories, WorldWait patience) {
    this.world = world;
    this.histories = histories;
    this.patience = patience;
  }

  /** In the end: no manager runs afterwards. */
  void run() {
    Configuration known = world.configuration().orElseThrow();
    Volume volume = known.volumes().get(world.homeVolume());
    if (hasLostTooMany(known, volume)) {
      // It refuses to begin, rightly: of some files it could read nothing.
      return;
    }
    String owner = known.managers().get(volume.owner().orElseThrow()).node().host();
    SimulatedManager node =
        world.managers().stream()
            .filter(each -> each.name().equals(owner))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no machine is called " + owner));
    world.managers().forEach(SimulatedManager::kill);
    try {
      SortedMap<String, ByteBuffer> before = node.diskContent();
      CompletableFuture<OfflineCheckCourse> begun = node.startCheck(volume.path(), true);
      CheckStatusReply now = ended(patience.await(begun));
      if (now.getState() != CheckState.CHECK_DONE) {
        histories.found("a check without a manager does not end well", now.getDoing());
      } else if (now.getFindings() > 0) {
        histories.found(
            "the check without a manager finds something",
            now.getFindings() + " things: " + now.getFindingList());
      } else {
        requireLooked(now);
      }
      node.kill();
      if (!before.equals(node.diskContent())) {
        histories.found(
            "a check without a manager changes its disk",
            before.keySet() + " became " + node.diskContent().keySet());
      }
    } catch (WeftException e) {
      histories.found(
          "not to be had although all is well again",
          "a check without a manager: " + e.code() + " " + e.getMessage());
    } catch (IOException e) {
      histories.found("a manager's disk cannot be read", e.toString());
    }
  }

  /** Lost disks whose components nothing rebuilds leave OSDs behind that never come back. */
  private boolean hasLostTooMany(Configuration known, Volume volume) {
    long away =
        known.osds().values().stream().filter(osd -> osd.node().liveness() != Liveness.UP).count();
    return world.options().repairAfterMillis() == 0 && away > volume.maxParity();
  }

  /** One that can look at nothing finds nothing, too. */
  private void requireLooked(CheckStatusReply now) {
    if (now.getObjects() == 0) {
      histories.found("a check without a manager looks at nothing", now.toString());
    }
    List<String> left = CheckedAtTheEnd.leftOut(now.getUncheckedList());
    if (world.options().repairAfterMillis() > 0 && !left.isEmpty()) {
      histories.found(
          "a check without a manager leaves something out",
          now.getUncheckedInAll() + " things: " + left);
    }
  }

  private CheckStatusReply ended(OfflineCheckCourse check) throws WeftException {
    CheckStatusReply now = patience.await(check.status(0, MAX_SAID));
    for (int poll = 0; poll < MAX_POLLS && now.getState() == CheckState.CHECK_RUNNING; poll++) {
      world.pass(POLL_MILLIS);
      now = patience.await(check.status(0, MAX_SAID));
    }
    return now;
  }
}
