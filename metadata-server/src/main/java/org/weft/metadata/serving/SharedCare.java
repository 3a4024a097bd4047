package org.weft.metadata.serving;

import java.util.Objects;
import org.weft.metadata.repair.LeftFiles;
import org.weft.metadata.scrub.ScrubShares;

/**
 * What the volumes of one manager share when they care for their files.
 *
 * @param leftFiles that they remember together
 * @param scrubs among which the rate of the scrub of parity is divided
 */
public record SharedCare(LeftFiles leftFiles, ScrubShares scrubs) {
  public SharedCare {
    Objects.requireNonNull(leftFiles, "leftFiles");
    Objects.requireNonNull(scrubs, "scrubs");
  }

  /** Of a manager that has no volume yet. */
  public static SharedCare of(CareOptions options) {
    return new SharedCare(new LeftFiles(options.repair().mostLeft()), new ScrubShares());
  }
}
