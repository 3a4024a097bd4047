package org.weft.metadata.readmission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** How long grants that have ended are remembered (P 5.9). */
class UnsettledGrantsTest {
  private static final Lsn NUMBER = Lsn.of(1, 7);
  private static final ObjectId FILE = new ObjectId(70_000);
  private static final List<OsdId> OSDS = List.of(new OsdId(1), new OsdId(2), new OsdId(3));

  private final UnsettledGrants grants = new UnsettledGrants();

  @BeforeEach
  void aGrantThatEnded() {
    StorageMap map =
        new StorageMap(new Layout(2, 1, 4096, 1, 1), OSDS, 1, new TreeSet<>(), List.of());
    grants.add(new UnsettledGrant(NUMBER, FILE, map, SuspectOsds.NONE));
  }

  private List<Lsn> remembered() {
    return grants.of(FILE).stream().map(UnsettledGrant::number).toList();
  }

  @Test
  void aGrantIsSettledWhenAllItsOsdsAreDone() {
    grants.settledOn(OSDS.get(0), NUMBER);
    grants.settledOn(OSDS.get(1), NUMBER);
    assertEquals(List.of(), grants.settled());
    grants.settledOn(OSDS.get(2), NUMBER);
    assertEquals(List.of(NUMBER), grants.settled());
    grants.remove(NUMBER);
    assertEquals(List.of(), remembered());
  }

  /** Else an OSD that fell back behind it, and not behind later ones, would be believed. */
  @Test
  void grantIsKeptUntilOsdsThatLostPowerAreCompared() {
    SuspectOsds suspects = SuspectOsds.NONE.plus(OSDS.get(0), 5).plus(OSDS.get(1), 6);
    grants.suspect(NUMBER, suspects);
    OSDS.forEach(osd -> grants.settledOn(osd, NUMBER));
    assertEquals(List.of(), grants.settled(), "what they lost of it is not known yet");
    assertEquals(List.of(NUMBER), remembered());
    grants.suspect(NUMBER, suspects.compared());
    assertEquals(List.of(NUMBER), grants.settled());
  }

  @Test
  void decisionsAreKeptAsLongAsTheirGrant() {
    SuspectOsds first = SuspectOsds.NONE.plus(OSDS.get(0), 5);
    Lsn second = Lsn.of(1, 8);
    StorageMap map = grants.of(FILE).get(0).map();
    grants.suspect(NUMBER, first);
    grants.add(new UnsettledGrant(second, FILE, map, SuspectOsds.NONE.plus(OSDS.get(1), 6)));
    assertEquals(first.plus(OSDS.get(1), 6), grants.suspectsOf(FILE));
    grants.suspect(second, SuspectOsds.NONE);
    assertEquals(first, grants.suspectsOf(FILE));
    grants.remove(NUMBER);
    assertEquals(SuspectOsds.NONE, grants.suspectsOf(FILE));
    grants.suspect(second, first);
    grants.objectRemoved(FILE);
    assertEquals(SuspectOsds.NONE, grants.suspectsOf(FILE));
  }

  @Test
  void aCheckpointSettlesWhatCameBeforeIt() {
    long before = grants.lastPlace();
    grants.add(
        new UnsettledGrant(Lsn.of(1, 3), FILE, grants.of(FILE).get(0).map(), SuspectOsds.NONE));
    OSDS.forEach(osd -> grants.durableUpTo(osd, before));
    assertEquals(List.of(NUMBER), grants.settled(), "the other came later, whatever its number");
    grants.remove(NUMBER);
    assertEquals(new TreeSet<>(OSDS), grants.osds());
    assertEquals(1, grants.waitingFor(OSDS.get(1)).size());
    grants.settledOn(OSDS.get(1), Lsn.of(1, 3));
    assertEquals(List.of(), grants.waitingFor(OSDS.get(1)));
    OSDS.forEach(osd -> grants.durableUpTo(osd, grants.lastPlace()));
    assertEquals(List.of(Lsn.of(1, 3)), grants.settled());
    assertEquals(new TreeSet<>(), grants.osds());
  }
}
