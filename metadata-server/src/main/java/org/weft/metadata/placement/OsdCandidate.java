package org.weft.metadata.placement;

import java.util.Objects;
import org.weft.protocol.id.OsdId;

/**
 * An OSD of the volume's BladeSet as placement sees it.
 *
 * @param host its fault domain
 * @param up whether SysMgr believes it is there and well
 * @param freeBytes capacity less what is used and what is kept back; may be negative
 */
public record OsdCandidate(OsdId osd, String host, boolean up, long freeBytes) {
  public OsdCandidate {
    Objects.requireNonNull(osd, "osd");
    Objects.requireNonNull(host, "host");
  }

  /** True if something of at least one stripe unit may be put there now. */
  boolean takes(int unitBytes) {
    return up && freeBytes >= unitBytes;
  }
}
