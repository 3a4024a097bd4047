package org.weft.metadata.placement;

import java.util.Objects;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FaultDomain;

/**
 * An OSD of the volume's BladeSet as placement sees it.
 *
 * @param host its fault domain, where racks do not suffice
 * @param up whether SysMgr believes it is there and well
 * @param givenUp whether SysMgr has given up on it. When it comes back it serves no client before
 *     it has been compared (P 5.8). An OSD that is only suspected comes back as it was
 * @param freeBytes capacity less what is used and what is kept back; may be negative
 * @param capacityBytes of all that it may hold
 * @param drain number of its drain, while what it holds goes to others: nothing new is put there;
 *     {@link #NO_DRAIN}: it is not drained
 * @param rack fault domain above its host; all that say none are in one
 */
public record OsdCandidate(
    OsdId osd,
    String host,
    boolean up,
    boolean givenUp,
    long freeBytes,
    long capacityBytes,
    long drain,
    String rack) {
  public static final long NO_DRAIN = 0;

  /** One of no known rack. */
  public OsdCandidate(
      OsdId osd,
      String host,
      boolean up,
      boolean givenUp,
      long freeBytes,
      long capacityBytes,
      long drain) {
    this(osd, host, up, givenUp, freeBytes, capacityBytes, drain, "");
  }

  /** One that is not drained, of which nothing is to be left free for others. */
  public OsdCandidate(OsdId osd, String host, boolean up, boolean givenUp, long freeBytes) {
    this(osd, host, up, givenUp, freeBytes, 0, NO_DRAIN);
  }

  /** One that is either up or given up. */
  public OsdCandidate(OsdId osd, String host, boolean up, long freeBytes) {
    this(osd, host, up, !up, freeBytes);
  }

  public OsdCandidate {
    Objects.requireNonNull(osd, "osd");
    Objects.requireNonNull(host, "host");
    Objects.requireNonNull(rack, "rack");
  }

  /** Which fault domain of that kind it is in: two OSDs share it if these are equal. */
  public String place(FaultDomain domain) {
    return switch (domain) {
      case OSD -> osd.toString();
      case HOST -> host;
      case RACK -> rack;
    };
  }

  /** Nothing new is put there, and what it holds goes to others. */
  public boolean draining() {
    return drain != NO_DRAIN;
  }

  /** True if something of at least one stripe unit may be put there now. */
  boolean takes(int unitBytes) {
    return up && !draining() && freeBytes >= unitBytes;
  }
}
