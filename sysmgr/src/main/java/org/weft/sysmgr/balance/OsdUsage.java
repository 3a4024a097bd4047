package org.weft.sysmgr.balance;

import java.util.Objects;
import org.weft.protocol.id.OsdId;

/**
 * The usage of an OSD, as it reported last.
 *
 * @param objects that it has
 */
public record OsdUsage(OsdId osd, long usedBytes, long capacityBytes, long objects) {
  public OsdUsage {
    Objects.requireNonNull(osd, "osd");
    if (usedBytes < 0 || capacityBytes <= 0 || objects < 0) {
      throw new IllegalArgumentException(
          "osd-%s says that it holds %d objects in %d of %d bytes"
              .formatted(osd, objects, usedBytes, capacityBytes));
    }
  }

  double share() {
    return (double) usedBytes / capacityBytes;
  }
}
