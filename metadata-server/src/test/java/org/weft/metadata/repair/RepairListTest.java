package org.weft.metadata.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.ObjectId;

/** Which file is repaired next (P 6.8). */
class RepairListTest {
  private static final ObjectId ONE = new ObjectId(1);
  private static final ObjectId TWO = new ObjectId(2);
  private static final ObjectId THREE = new ObjectId(3);

  private final RepairList list = new RepairList(100);

  private ObjectId taken(long nowNanos) {
    return list.take(nowNanos).orElseThrow().object();
  }

  @Test
  void filesThatMayLoseTheFewestComponentsMoreComeFirst() {
    list.add(ONE, 2, 10);
    list.add(TWO, 0, 10);
    list.add(THREE, 1, 10);
    assertEquals(List.of(TWO, THREE, ONE), List.of(taken(0), taken(0), taken(0)));
    assertEquals(Optional.empty(), list.take(0));
    assertEquals(3, list.count(RepairList.Reason.UNDER_WAY));
  }

  @Test
  void fileThatLosesAnotherComponentMovesForward() {
    list.add(ONE, 2, 10);
    list.add(TWO, 1, 10);
    list.add(ONE, 0, 30);
    assertEquals(40, list.bytes());
    assertEquals(ONE, taken(0));
  }

  @Test
  void filesWithoutSpareParityAreCountedUntilDoneOrLost() {
    list.add(ONE, 0, 10);
    list.add(TWO, 1, 10);
    list.add(THREE, 2, 10);
    assertEquals(1, list.endangered());
    list.add(TWO, 0, 10);
    assertEquals(2, list.endangered(), "it has lost another component");
    RepairList.Item one = list.take(0).orElseThrow();
    RepairList.Item two = list.take(0).orElseThrow();
    assertEquals(2, list.endangered(), "they are under way");
    list.again(one, 1, 10);
    assertEquals(1, list.endangered(), "it may lose one again");
    list.setAside(two, RepairList.Reason.LOST, "too much is lost", OptionalLong.empty());
    assertEquals(0, list.endangered());
    list.done(list.take(0).orElseThrow());
    assertEquals(0, list.endangered());
    assertEquals(ONE, one.object());
  }

  @Test
  void postponedFileGetsItsTurnWhenItsTimeComes() {
    list.add(ONE, 0, 10);
    RepairList.Item item = list.take(0).orElseThrow();
    list.putOff(item, RepairList.Reason.FAILED, "no OSD takes it", 100);
    assertEquals(Optional.empty(), list.take(99));
    assertEquals(List.of("no OSD takes it"), list.words(RepairList.Reason.FAILED, 5));
    assertEquals(ONE, taken(100));
    assertEquals(1, item.attempts());
  }

  @Test
  void filesThatWaitForThePrimaryAreServedByDanger() {
    list.add(ONE, 1, 10);
    list.add(TWO, 1, 10);
    list.add(THREE, 3, 10);
    list.awaitTurn(list.take(0).orElseThrow(), 100);
    list.awaitTurn(list.take(0).orElseThrow(), 100);
    assertEquals(THREE, taken(99), "it does not wait for them");
    list.add(TWO, 0, 10);
    assertEquals(TWO, list.takeTurn().orElseThrow().object());
    assertEquals(ONE, list.takeTurn().orElseThrow().object());
    assertEquals(Optional.empty(), list.takeTurn());
    assertEquals(Optional.empty(), list.take(100), "they are under way");
    assertEquals(3, list.count(RepairList.Reason.UNDER_WAY));
  }

  @Test
  void fileAwaitingATurnIsTakenOnce() {
    list.add(ONE, 1, 10);
    list.awaitTurn(list.take(0).orElseThrow(), 100);
    assertEquals(ONE, taken(100));
    assertEquals(Optional.empty(), list.takeTurn());
  }

  @Test
  void fileAwaitingATurnYieldsItsRoom() {
    RepairList narrow = new RepairList(1);
    narrow.add(ONE, 1, 10);
    narrow.awaitTurn(narrow.take(0).orElseThrow(), 100);
    assertTrue(narrow.isEmpty());
    assertTrue(narrow.isLacking(), "it is looked for again");
    assertEquals(Optional.empty(), narrow.takeTurn());
  }

  @Test
  void theMoreEndangeredAwaitsItsTurnWhereTheListIsFull() {
    RepairList narrow = new RepairList(2);
    narrow.add(ONE, 0, 10);
    narrow.add(TWO, 5, 10);
    narrow.awaitTurn(narrow.take(0).orElseThrow(), 100);
    assertEquals(ONE, narrow.takeTurn().orElseThrow().object());
    assertFalse(narrow.contains(TWO), "it is looked for again");
    assertTrue(narrow.isLacking());
  }

  @Test
  void droppedFileNoLongerAwaitsATurn() {
    RepairList narrow = new RepairList(2);
    narrow.add(ONE, 5, 10);
    narrow.awaitTurn(narrow.take(0).orElseThrow(), 100);
    narrow.add(TWO, 4, 10);
    assertEquals(TWO, narrow.take(100).orElseThrow().object());
    narrow.add(THREE, 0, 10);
    assertEquals(Optional.empty(), narrow.takeTurn());
  }

  @Test
  void newOsdsRetryFailedFilesButNotFilesBeingWritten() {
    list.add(ONE, 0, 10);
    list.add(TWO, 0, 10);
    list.putOff(list.take(0).orElseThrow(), RepairList.Reason.FAILED, "full", 1_000);
    list.putOff(list.take(0).orElseThrow(), RepairList.Reason.WAITING, "written", 1_000);
    list.hope(5);
    assertEquals(ONE, taken(5));
    assertEquals(Optional.empty(), list.take(5));
  }

  @Test
  void finishedFileIsForgotten() {
    list.add(ONE, 0, 10);
    list.done(list.take(0).orElseThrow());
    assertTrue(list.isEmpty());
    assertFalse(list.contains(ONE));
  }

  @Test
  void moreEndangeredFileTakesTheRoomOfAnother() {
    RepairList small = new RepairList(2);
    small.add(ONE, 1, 10);
    small.add(TWO, 2, 20);
    assertFalse(small.isLacking());
    small.add(THREE, 0, 40);
    assertTrue(small.isLacking());
    assertFalse(small.contains(TWO));
    assertEquals(50, small.bytes());
    small.search();
    small.add(TWO, 1, 20);
    assertTrue(small.isLacking(), "nothing in the list is less endangered");
    assertEquals(2, small.size());
  }

  @Test
  void fileSetAsideComesLastAndYieldsItsRoom() {
    RepairList small = new RepairList(3);
    small.add(ONE, -1, 10);
    small.setAside(small.take(0).orElseThrow(), RepairList.Reason.LOST, "lost", OptionalLong.of(5));
    small.add(TWO, 2, 20);
    small.add(THREE, 1, 20);
    assertFalse(small.isFull(), "it makes room");
    assertEquals(THREE, small.take(9).orElseThrow().object());
    assertEquals(TWO, small.take(9).orElseThrow().object());
    assertEquals(1, small.count(RepairList.Reason.LOST));
    small.add(new ObjectId(4), 2, 20);
    assertFalse(small.contains(ONE));
    assertTrue(small.isLacking());
    assertTrue(small.isFull());
    assertEquals(0, small.count(RepairList.Reason.LOST));
    assertEquals(List.of(), small.objects(RepairList.Reason.LOST));
    assertEquals(60, small.bytes());
  }

  @Test
  void fileSetAsideWithoutATimeWaitsForNewOsds() {
    list.add(ONE, -1, 10);
    list.setAside(list.take(0).orElseThrow(), RepairList.Reason.LOST, "lost", OptionalLong.empty());
    assertEquals(Optional.empty(), list.take(Long.MAX_VALUE / 2));
    list.hope(7);
    assertEquals(ONE, taken(7));
  }

  @Test
  void unrepairableFileLeavesAFullList() {
    RepairList small = new RepairList(1);
    small.add(ONE, 0, 10);
    small.putOff(small.take(0).orElseThrow(), RepairList.Reason.WAITING, "written", 100);
    assertTrue(small.isEmpty());
    assertTrue(small.isLacking());
    assertEquals(0, small.count(RepairList.Reason.WAITING));
  }

  @Test
  void fileFoundAgainWithFewerLossesKeepsItsPlace() {
    list.add(ONE, 0, 10);
    list.add(TWO, 1, 10);
    list.add(ONE, 2, 10);
    assertEquals(ONE, taken(0));
  }

  @Test
  void reexaminedFileGetsItsTurnAtOnceWithFreshPauses() {
    list.add(ONE, 0, 10);
    RepairList.Item item = list.take(0).orElseThrow();
    list.putOff(item, RepairList.Reason.FAILED, "it is silent", 5);
    assertEquals(1, list.take(5).orElseThrow().attempts());
    list.again(item, 1, 10);
    assertEquals(0, item.attempts());
    assertEquals(ONE, taken(5));
  }

  @Test
  void mostEndangeredOfTheDueFilesComesFirst() {
    list.add(ONE, 2, 10);
    list.add(TWO, 0, 10);
    RepairList.Item two = list.take(0).orElseThrow();
    RepairList.Item one = list.take(0).orElseThrow();
    list.putOff(one, RepairList.Reason.FAILED, "it is silent", 99);
    list.putOff(two, RepairList.Reason.FAILED, "it is silent", 100);
    assertEquals(TWO, taken(100));
  }

  /** One that was set aside, has had its turn, and is under way now. */
  private RepairList.Item wasSetAside() {
    list.add(ONE, 0, 10);
    list.setAside(
        list.take(0).orElseThrow(), RepairList.Reason.WITHOUT_SPARE, "full", OptionalLong.of(5));
    RepairList.Item item = list.take(5).orElseThrow();
    list.add(TWO, 2, 10);
    return item;
  }

  @Test
  void fileSetAsideOnceIsNotLastForEver() {
    RepairList.Item item = wasSetAside();
    list.again(item, 0, 10);
    assertEquals(ONE, taken(5));
  }

  @Test
  void fileSetAsideAndPutBackIsNotLast() {
    RepairList.Item item = wasSetAside();
    list.putBack(item);
    assertEquals(ONE, taken(5));
  }

  @Test
  void fileSetAsideAndPostponedIsNotLast() {
    RepairList.Item item = wasSetAside();
    list.putOff(item, RepairList.Reason.FAILED, "it is silent", 9);
    assertEquals(ONE, taken(9));
  }

  @Test
  void fileSetAsideAndAwaitingATurnIsNotLast() {
    RepairList.Item item = wasSetAside();
    list.awaitTurn(item, 9);
    assertEquals(ONE, taken(9));
  }

  @Test
  void fileSetAsideAndUnderWayKeepsItsRoom() {
    RepairList small = new RepairList(2);
    small.add(ONE, 0, 10);
    small.setAside(
        small.take(0).orElseThrow(), RepairList.Reason.WITHOUT_SPARE, "full", OptionalLong.of(5));
    assertEquals(ONE, small.take(5).orElseThrow().object());
    small.add(TWO, 0, 10);
    small.add(THREE, 0, 10);
    assertTrue(small.contains(ONE), "what is being written was forgotten");
    assertFalse(small.contains(THREE));
  }

  @Test
  void fileDroppedForAPostponedOneIsLookedForAgain() {
    RepairList small = new RepairList(2);
    small.add(ONE, -1, 10);
    small.setAside(
        small.take(0).orElseThrow(), RepairList.Reason.LOST, "lost", OptionalLong.empty());
    small.add(TWO, 1, 10);
    small.putOff(small.take(0).orElseThrow(), RepairList.Reason.WAITING, "written", 100);
    assertFalse(small.contains(ONE));
    assertTrue(small.isLacking(), "the list does not know it any more");
  }

  @Test
  void fileSetAsideForWantOfRoomIsLookedForAgain() {
    RepairList small = new RepairList(1);
    small.add(ONE, -1, 10);
    small.setAside(
        small.take(0).orElseThrow(), RepairList.Reason.LOST, "lost", OptionalLong.empty());
    assertTrue(small.isEmpty());
    assertTrue(small.isLacking());
  }

  @Test
  void fileThatYieldedItsRoomHasNoTurn() {
    for (long untilNanos : new long[] {5, 100}) {
      RepairList small = new RepairList(2);
      small.add(ONE, 0, 10);
      small.setAside(
          small.take(0).orElseThrow(),
          RepairList.Reason.WITHOUT_SPARE,
          "full",
          OptionalLong.of(untilNanos));
      small.add(TWO, 2, 10);
      // If its time has come, it stands behind the other one by now.
      assertEquals(TWO, small.take(9).orElseThrow().object());
      small.add(THREE, 2, 10);
      assertEquals(THREE, small.take(100).orElseThrow().object());
      assertEquals(Optional.empty(), small.take(100), "it is not in the list");
    }
  }

  @Test
  void fileWithThePrimarysTurnIsNotTakenTwice() {
    list.add(ONE, 2, 10);
    list.awaitTurn(list.take(0).orElseThrow(), 100);
    list.add(TWO, 0, 10);
    assertEquals(TWO, taken(100));
    assertEquals(ONE, list.takeTurn().orElseThrow().object());
    assertEquals(Optional.empty(), list.take(100));
  }
}
