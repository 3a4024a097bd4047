package org.weft.sysmgr.liveness;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.OsdId;
import org.weft.sysmgr.configuration.node.OsdNode;

/**
 * The result of a manager's asking all OSDs that SysMgr calls up for a sign of life (P 5.8).
 *
 * @param underWay it asks for the first time and has not heard all of them: nothing follows yet
 * @param unreached OSDs that gave no sign
 * @param ageNanos how long before it was told the asking had begun; empty: a manager of an older
 *     release
 */
public record OsdLook(
    boolean underWay, SortedMap<OsdId, Unreached> unreached, Optional<Long> ageNanos) {
  /**
   * An OSD that gave no sign.
   *
   * @param incarnation start of the OSD that this is about
   * @param lastedNanos for how long, by the manager's monotonic clock
   */
  public record Unreached(long incarnation, long lastedNanos) {}

  public OsdLook {
    unreached = Collections.unmodifiableSortedMap(new TreeMap<>(unreached));
  }

  /** As managers of an older release say it. */
  public OsdLook(boolean underWay, SortedMap<OsdId, Unreached> unreached) {
    this(underWay, unreached, Optional.empty());
  }

  /** This start of the OSD gave no sign. */
  boolean lacks(OsdNode osd) {
    Unreached said = unreached.get(osd.id());
    return said != null && said.incarnation() == osd.node().incarnation();
  }

  /** It has given none for so long. */
  boolean lacks(OsdNode osd, long nanos) {
    return lacks(osd) && unreached.get(osd.id()).lastedNanos() >= nanos;
  }
}
