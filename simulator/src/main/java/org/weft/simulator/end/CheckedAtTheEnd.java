package org.weft.simulator.end;

import java.util.List;
import org.weft.client.health.HealthCalls;
import org.weft.client.health.VolumeCheckStatus;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.workload.Histories;
import org.weft.simulator.workload.WorldWait;
import org.weft.simulator.world.World;

/**
 * The volume's own check, once all is well again (P 6.8d). It must find nothing, whatever happened
 * before. Where more was lost than files bear, its findings may be just that.
 */
final class CheckedAtTheEnd {
  private static final int MAX_SAID = 5;
  private static final String BAD_BLOCK = "damaged blocks";
  private static final int MAX_STARTS = 20;
  private static final long POLL_MILLIS = 200;
  private static final int MAX_POLLS = 3_000;

  private final World world;
  private final Histories histories;
  private final HealthCalls checks;
  private final WorldWait patience;

  CheckedAtTheEnd(World world, Histories histories, HealthCalls checks, WorldWait patience) {
    this.world = world;
    this.histories = histories;
    this.checks = checks;
    this.patience = patience;
  }

  /**
   * @param explained what it finds may be what was lost
   * @param rotten blocks were damaged: scrubs and readers report those, not this check
   */
  void run(boolean explained, boolean rotten) {
    String volume = world.homePath().isEmpty() ? "/" : world.homePath();
    try {
      VolumeCheckStatus now = ended(volume);
      if (now.isRunning()) {
        histories.found("a check of the volume does not end", now.toString());
      } else if (now.state() != VolumeCheckStatus.State.DONE) {
        histories.found("a check of the volume fails", now.doing());
      } else if (now.findings() > 0 && !explained) {
        List<VolumeCheckStatus.Finding> some =
            patience.await(checks.checkStatus(volume, now.id(), 0, MAX_SAID)).page().stream()
                .filter(each -> !rotten || !mayBeDamage(each))
                .toList();
        if (!some.isEmpty()) {
          histories.found(
              "the check of the volume finds something",
              now.findings() + " things: " + some + ", not checked: " + now.unchecked());
        }
      } else if (!explained && world.options().repairAfterMillis() > 0) {
        // Where nothing is rebuilt, components stay missing, and parity cannot be compared.
        List<String> left = leftOut(now.unchecked());
        if (!left.isEmpty()) {
          histories.found("the check of the volume leaves something out", left.toString());
        }
      }
    } catch (WeftException e) {
      histories.found(
          "not to be had although all is well again", "check: " + e.code() + " " + e.getMessage());
    }
  }

  /**
   * What was not looked at, without blocks that cannot be written anew: of these the files are
   * named elsewhere.
   */
  static List<String> leftOut(List<String> unchecked) {
    return unchecked.stream().filter(each -> !each.contains(BAD_BLOCK)).toList();
  }

  private VolumeCheckStatus ended(String volume) throws WeftException {
    VolumeCheckStatus now = patience.await(checks.startCheck(volume, true));
    int starts = 1;
    for (int poll = 0; poll < MAX_POLLS && now.isRunning(); poll++) {
      world.pass(POLL_MILLIS);
      now = patience.await(checks.checkStatus(volume, now.id(), 0, 0));
      if (!now.isKnown() && starts < MAX_STARTS) {
        // Its volume has moved.
        starts++;
        now = patience.await(checks.startCheck(volume, true));
      }
    }
    return now;
  }

  private static boolean mayBeDamage(VolumeCheckStatus.Finding found) {
    return found.kind().equals("parity-differs") || found.what().contains("checksum does not fit");
  }
}
