package org.weft.metadata.objects.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.LiveEffect.LaggingAdded;
import org.weft.metadata.journal.LiveEffect.LaggingCleared;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

class LaggingCopiesTest {
  private static final OsdId OSD = new OsdId(3);
  private static final ObjectId OBJECT = new ObjectId(70_000);
  private static final LaggingAdded REFRESH =
      new LaggingAdded(OSD, OBJECT, LaggingKind.REFRESH, Lsn.ZERO);
  private static final LaggingAdded REMOVE =
      new LaggingAdded(OSD, OBJECT, LaggingKind.REMOVE, Lsn.of(1, 5));

  private final LaggingCopies lagging = new LaggingCopies();

  @Test
  void aRemovalTakesThePlaceOfARefresh() {
    lagging.apply(REFRESH, Lsn.of(1, 4));
    lagging.apply(REMOVE, Lsn.of(1, 5));
    assertEquals(REMOVE, lagging.find(OSD, OBJECT).effect());
    assertEquals(1, lagging.size());
    assertEquals(1, lagging.sizeAt(OSD));
    assertEquals(0, lagging.sizeAt(new OsdId(4)));
  }

  @Test
  void rebuiltComponentsAreCountedApartFromClientRemovals() {
    ObjectId other = new ObjectId(70_001);
    lagging.apply(REMOVE, Lsn.of(1, 5));
    lagging.apply(
        new LaggingAdded(OSD, other, LaggingKind.REMOVE, Lsn.of(1, 6), true), Lsn.of(1, 6));
    assertEquals(2, lagging.removalsAt(OSD));
    assertEquals(1, lagging.rebuiltFrom(OSD));
    lagging.apply(new LaggingCleared(OSD, other), Lsn.of(1, 7));
    assertEquals(1, lagging.removalsAt(OSD));
    assertEquals(0, lagging.rebuiltFrom(OSD));
  }

  /**
   * A round that was planned before a component was given up finds its OSD down afterwards: the
   * stale copy there must still be removed.
   */
  @Test
  void aRefreshDoesNotTakeThePlaceOfARemoval() {
    lagging.apply(REMOVE, Lsn.of(1, 5));
    LaggingCopies.Lag before = lagging.find(OSD, OBJECT);
    lagging.suspect(REFRESH);
    LaggingCopies.Lag suspected = lagging.find(OSD, OBJECT);
    assertEquals(REMOVE, suspected.effect());
    assertTrue(suspected != before, "the code that journals it waits for a change");
    assertFalse(suspected.isDurable(Lsn.of(9, 9)));
    lagging.apply(REFRESH, Lsn.of(1, 6));
    assertEquals(REMOVE, lagging.find(OSD, OBJECT).effect());
    assertTrue(lagging.find(OSD, OBJECT).isDurable(Lsn.of(1, 6)));
    lagging.apply(new LaggingCleared(OSD, OBJECT), Lsn.of(1, 7));
    assertNull(lagging.find(OSD, OBJECT));
    assertEquals(0, lagging.size());
  }
}
