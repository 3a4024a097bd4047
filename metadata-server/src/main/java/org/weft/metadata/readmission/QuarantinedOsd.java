package org.weft.metadata.readmission;

import java.util.Objects;
import org.weft.protocol.id.OsdId;

/**
 * An OSD that waits for this volume's vote, as the cluster's table has it.
 *
 * @param incarnation which of its starts it is
 * @param quarantine number of its quarantine; in another one it is to be compared again
 * @param lostWrites its machine went down uncleanly: what no checkpoint covered may be gone
 */
public record QuarantinedOsd(OsdId osd, long incarnation, long quarantine, boolean lostWrites) {
  public QuarantinedOsd {
    Objects.requireNonNull(osd, "osd");
  }
}
