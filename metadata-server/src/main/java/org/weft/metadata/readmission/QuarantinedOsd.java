package org.weft.metadata.readmission;

import java.util.Objects;
import org.weft.protocol.id.OsdId;

/**
 * An OSD that waits for this volume's word, as the cluster's table has it.
 *
 * @param incarnation which of its starts it is
 * @param quarantine number of its quarantine; another one is to be compared anew
 * @param lostWrites its machine went down uncleanly: what no checkpoint covered may be gone
 */
public record QuarantinedOsd(OsdId osd, long incarnation, long quarantine, boolean lostWrites) {
  public QuarantinedOsd {
    Objects.requireNonNull(osd, "osd");
  }
}
