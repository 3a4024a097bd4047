package org.weft.metadata.serving.care;

import java.util.Objects;
import org.weft.metadata.help.CopySlots;
import org.weft.metadata.help.CopyWorkers;
import org.weft.metadata.repair.LeftFiles;
import org.weft.metadata.scrub.ScrubShares;

/**
 * State that the volumes of one manager share when they care for their files.
 *
 * @param leftFiles that they remember together
 * @param scrubs among which the rate of the scrub of parity is divided
 * @param copying how many components of its own volumes the manager copies
 * @param workers managers that copy components for it
 */
public record SharedCare(
    LeftFiles leftFiles, ScrubShares scrubs, CopySlots copying, CopyWorkers workers) {
  public SharedCare {
    Objects.requireNonNull(leftFiles, "leftFiles");
    Objects.requireNonNull(scrubs, "scrubs");
    Objects.requireNonNull(copying, "copying");
    Objects.requireNonNull(workers, "workers");
  }

  /** For a manager that has no volume yet. */
  public static SharedCare of(CareOptions options, CopyWorkers workers) {
    return new SharedCare(
        new LeftFiles(options.repair().mostLeft()), new ScrubShares(), new CopySlots(), workers);
  }
}
