package org.weft.metadata.journal;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.id.OsdId;

/**
 * OSDs that lost power while a file was written, and are taken as they are (P 5.9). Their
 * components were not given up, because the file's code does not bear the loss of all. Each has the
 * quarantine in which this was decided. Later losses are decided again.
 */
public record SuspectOsds(SortedMap<OsdId, Suspicion> osds) {
  /** Nothing was decided of any OSD. */
  public static final SuspectOsds NONE = new SuspectOsds(new TreeMap<>());

  /**
   * The decision about one OSD.
   *
   * @param quarantine number of the quarantine that followed the loss
   * @param compared the file was resolved since. It is known what its component lacks, and the
   *     component is no longer suspect
   */
  public record Suspicion(long quarantine, boolean compared) {
    private Suspicion newer(Suspicion other) {
      if (quarantine != other.quarantine) {
        return quarantine > other.quarantine ? this : other;
      }
      return compared ? this : other;
    }
  }

  public SuspectOsds {
    osds = Collections.unmodifiableSortedMap(new TreeMap<>(osds));
  }

  public boolean isEmpty() {
    return osds.isEmpty();
  }

  /** True if it is decided what becomes of what the OSD lost before that quarantine. */
  public boolean isDecided(OsdId osd, long quarantine) {
    Suspicion known = osds.get(osd);
    return known != null && known.quarantine() >= quarantine;
  }

  /** Those that may lack writes, and were not compared with the others since. */
  public SortedSet<OsdId> suspects() {
    SortedSet<OsdId> suspects = new TreeSet<>();
    osds.forEach(
        (osd, suspicion) -> {
          if (!suspicion.compared()) {
            suspects.add(osd);
          }
        });
    return suspects;
  }

  /** With all that is known of either; of one OSD what is newer. */
  public SuspectOsds and(SuspectOsds other) {
    if (other.isEmpty()) {
      return this;
    }
    SortedMap<OsdId, Suspicion> both = new TreeMap<>(osds);
    other.osds.forEach((osd, suspicion) -> both.merge(osd, suspicion, Suspicion::newer));
    return new SuspectOsds(both);
  }

  /** With one more that may lack writes. */
  public SuspectOsds plus(OsdId osd, long quarantine) {
    SortedMap<OsdId, Suspicion> more = new TreeMap<>(osds);
    more.put(osd, new Suspicion(quarantine, false));
    return new SuspectOsds(more);
  }

  /** After a resolve: all have been compared. */
  public SuspectOsds compared() {
    SortedMap<OsdId, Suspicion> done = new TreeMap<>(osds);
    done.replaceAll((osd, suspicion) -> new Suspicion(suspicion.quarantine(), true));
    return new SuspectOsds(done);
  }
}
