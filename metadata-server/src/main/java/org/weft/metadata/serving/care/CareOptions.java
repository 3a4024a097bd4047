package org.weft.metadata.serving.care;

import java.util.Objects;
import org.weft.metadata.repair.RepairOptions;
import org.weft.metadata.scrub.ScrubOptions;

/**
 * How hard a manager cares for the files of its volumes.
 *
 * @param repair of what OSDs held that are lost for good
 * @param scrub of parity
 */
public record CareOptions(RepairOptions repair, ScrubOptions scrub) {
  public CareOptions {
    Objects.requireNonNull(repair, "repair");
    Objects.requireNonNull(scrub, "scrub");
  }
}
