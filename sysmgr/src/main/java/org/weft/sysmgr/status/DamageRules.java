package org.weft.sysmgr.status;

import java.util.List;
import org.weft.protocol.wire.DamageState;
import org.weft.protocol.wire.ParityScrubState;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Reports blocks that disks do not give back as they were written (P 6.8b), and what contradicts
 * itself.
 */
final class DamageRules {
  private DamageRules() {}

  /** What the scrub of parity has found (P 6.8f). */
  static void contradictions(Volume volume, ParityScrubState scrub, List<Finding> findings) {
    if (scrub.getContradicted() > 0) {
      findings.add(
          Finding.error(
              "parity-contradicted",
              "volume " + volume.path(),
              "Parity and data contradict each other in %d files of volume %s, though all of them can be read."
                  .formatted(scrub.getContradicted(), volume.path()),
              "weft volume damage %s names the files and the bytes. Nothing was rewritten, for nothing says which"
                      .formatted(volume.path())
                  + " units are wrong: compare each file with a copy, and write it anew; within a minute"
                  + " it is named no longer."));
    }
  }

  static void findings(Volume volume, DamageState damage, List<Finding> findings) {
    if (damage.getBlocksWaiting() > 0) {
      findings.add(
          Finding.warning(
              "blocks-damaged",
              "volume " + volume.path(),
              "%d blocks of volume %s are damaged on OSDs, and are to be written anew from others; %d were since the volume is served."
                  .formatted(damage.getBlocksWaiting(), volume.path(), damage.getBlocksRepaired()),
              "Nothing need be done, unless they stay: files that are being written are repaired"
                  + " once they are closed, and OSDs that are down have to be back."));
    }
    if (damage.getBlocksHopeless() > 0) {
      findings.add(
          Finding.error(
              "blocks-hopeless",
              "volume " + volume.path(),
              "%d blocks of volume %s are damaged on OSDs, and cannot be written anew from others."
                  .formatted(damage.getBlocksHopeless(), volume.path()),
              "weft volume damage %s names the files: write them anew, or remove them. Start OSDs"
                      .formatted(volume.path())
                  + " that are down first; they may have what is needed."));
    }
  }
}
