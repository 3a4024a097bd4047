package org.weft.metadata.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;

/** From when on an OSD counts as lost for good (P 6.8). */
class LostOsdsTest {
  private static final OsdId ONE = new OsdId(1);
  private static final OsdId TWO = new OsdId(2);
  private static final long AFTER = TimeUnit.MILLISECONDS.toNanos(1_000);

  private static final LostOsds.Down FIRST = new LostOsds.Down(7, 1, false);

  private final LostOsds osds = new LostOsds(1_000);

  @Test
  void downOsdCountsAsLostAfterItsTime() {
    osds.tableChanged(Map.of(ONE, FIRST), List.of(), 10);
    osds.tableChanged(Map.of(ONE, FIRST, TWO, FIRST), List.of(), 500);
    assertEquals(Set.of(), osds.at(9 + AFTER));
    assertEquals(Set.of(ONE), osds.at(10 + AFTER));
    assertEquals(Set.of(ONE, TWO), osds.at(500 + AFTER));
  }

  @Test
  void returnedOsdCountsFromTheBeginning() {
    osds.tableChanged(Map.of(ONE, FIRST), List.of(), 0);
    osds.tableChanged(Map.of(), List.of(), AFTER / 2);
    osds.tableChanged(Map.of(ONE, FIRST), List.of(), AFTER);
    assertEquals(Set.of(), osds.at(2 * AFTER - 1));
    assertEquals(Set.of(ONE), osds.at(2 * AFTER));
  }

  @Test
  void osdBackBetweenTwoTablesCountsFromTheBeginning() {
    osds.tableChanged(Map.of(ONE, FIRST), List.of(), 0);
    osds.tableChanged(Map.of(ONE, new LostOsds.Down(8, 1, false)), List.of(), AFTER / 2);
    assertEquals(Set.of(), osds.at(AFTER));
    osds.tableChanged(Map.of(ONE, new LostOsds.Down(8, 2, false)), List.of(), AFTER);
    assertEquals(Set.of(), osds.at(2 * AFTER - 1));
    assertEquals(Set.of(ONE), osds.at(2 * AFTER));
  }

  @Test
  void removedOsdCountsAsLostAtOnce() {
    osds.tableChanged(Map.of(), List.of(TWO), 0);
    assertEquals(Set.of(TWO), osds.at(0));
  }

  @Test
  void replacedOsdCountsAsLostUntilItReturns() {
    LostOsds.Down replaced = new LostOsds.Down(7, 1, true);
    osds.tableChanged(Map.of(ONE, FIRST, TWO, FIRST), List.of(), 0);
    osds.tableChanged(Map.of(ONE, replaced, TWO, FIRST), List.of(), 10);
    assertEquals(Set.of(ONE), osds.at(10));
    osds.tableChanged(Map.of(TWO, FIRST), List.of(), 20);
    assertEquals(Set.of(), osds.at(20));
  }

  @Test
  void replacedOsdIsNotLostWhereOnlyRemovedOnesAre() {
    LostOsds byHand = new LostOsds(RepairOptions.NEVER);
    byHand.tableChanged(Map.of(ONE, new LostOsds.Down(7, 1, true)), List.of(TWO), 0);
    assertEquals(Set.of(TWO), byHand.at(TimeUnit.DAYS.toNanos(1_000)));
  }

  @Test
  void lostOsdsWorkWithANegativeClock() {
    osds.tableChanged(Map.of(ONE, FIRST), List.of(), -AFTER);
    assertEquals(Set.of(), osds.at(-1));
    assertEquals(Set.of(ONE), osds.at(0));
  }

  @Test
  void osdNoLongerRemovedIsNotLost() {
    osds.tableChanged(Map.of(), List.of(TWO), 0);
    osds.tableChanged(Map.of(), List.of(), 10);
    assertEquals(Set.of(), osds.at(10 + AFTER));
  }
}
