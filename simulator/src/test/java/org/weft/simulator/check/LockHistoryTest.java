package org.weft.simulator.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.simulator.check.LockHistory.Kind;

class LockHistoryTest {
  private final LockHistory history = new LockHistory(4);
  private long moment;

  private void lock(String owner, int from, int to, Kind kind) {
    history.asks(owner, from, to, ++moment);
    history.locked(owner, kind, ++moment);
  }

  private void unlock(String owner, int from, int to, boolean heldAll) {
    history.asks(owner, from, to, ++moment);
    history.unlocked(owner, heldAll, ++moment);
  }

  private List<String> rules() {
    return history.check().stream().map(BrokenRule::rule).toList();
  }

  @Test
  void anExclusiveHolderHasNoOtherBesideIt() {
    lock("a", 0, 2, Kind.EXCLUSIVE);
    lock("b", 1, 3, Kind.SHARED);
    unlock("a", 0, 2, true);
    unlock("b", 1, 3, true);
    assertEquals(List.of("two owners hold a lock that one may have alone"), rules());
  }

  @Test
  void sharedHoldersAndLaterHoldersAreNoOffence() {
    lock("a", 0, 2, Kind.SHARED);
    lock("b", 1, 3, Kind.SHARED);
    unlock("a", 0, 2, true);
    unlock("b", 1, 3, true);
    lock("a", 0, 4, Kind.EXCLUSIVE);
    unlock("a", 0, 1, true);
    lock("b", 0, 1, Kind.EXCLUSIVE);
    unlock("b", 0, 1, true);
    unlock("a", 0, 4, false);
    assertEquals(List.of(), rules());
  }

  @Test
  void lockHeldForCertainExistsAtItsUnlock() {
    lock("a", 0, 2, Kind.SHARED);
    unlock("a", 1, 2, false);
    assertEquals(List.of("a lock that was acknowledged is lost"), rules());
  }

  @Test
  void locksAreUncertainAfterTheLastSignOfLife() {
    lock("a", 0, 2, Kind.EXCLUSIVE);
    lock("b", 0, 2, Kind.EXCLUSIVE);
    history.gone("a");
    unlock("b", 0, 2, true);
    history.asks("c", 0, 4, ++moment);
    history.inDoubt("c");
    assertEquals(List.of(), rules());
  }

  @Test
  void anOwnerThatCancelsHasWhatItHad() {
    lock("a", 0, 2, Kind.SHARED);
    history.asks("a", 0, 3, ++moment);
    history.cancelled("a", Kind.EXCLUSIVE);
    unlock("a", 0, 2, false);
    assertEquals(List.of("a lock that was acknowledged is lost"), rules());
  }

  @Test
  void keptLockBelongsToNoOtherOwner() {
    lock("a", 0, 2, Kind.EXCLUSIVE);
    history.died("a");
    lock("b", 1, 2, Kind.EXCLUSIVE);
    unlock("b", 1, 2, true);
    history.kept("a", ++moment);
    assertEquals(List.of("two owners hold a lock that one may have alone"), rules());
  }

  @Test
  void unreclaimedLockMayGoToOthers() {
    lock("a", 0, 2, Kind.EXCLUSIVE);
    history.died("a");
    history.kept("a", ++moment);
    lock("b", 1, 2, Kind.EXCLUSIVE);
    unlock("b", 1, 2, true);
    history.reclaims("c", "a", 0, 2, ++moment);
    history.reclaimed("c", "a", Kind.EXCLUSIVE, false, ++moment);
    assertEquals(List.of(), rules());
  }

  @Test
  void reclaimedLockWasHeldThroughout() {
    lock("a", 0, 2, Kind.EXCLUSIVE);
    history.died("a");
    history.kept("a", ++moment);
    lock("b", 1, 2, Kind.EXCLUSIVE);
    unlock("b", 1, 2, true);
    history.reclaims("c", "a", 0, 2, ++moment);
    history.reclaimed("c", "a", Kind.EXCLUSIVE, true, ++moment);
    assertEquals(List.of("two owners hold a lock that one may have alone"), rules());
  }

  @Test
  void timelyReclaimFindsTheKeptLock() {
    lock("a", 0, 2, Kind.EXCLUSIVE);
    history.asks("a", 1, 2, ++moment);
    history.died("a");
    history.reclaims("b", "a", 0, 1, ++moment);
    history.reclaimed("b", "a", Kind.EXCLUSIVE, false, ++moment);
    history.reclaims("b", "a", 1, 2, ++moment);
    history.reclaimed("b", "a", Kind.EXCLUSIVE, false, ++moment);
    assertEquals(
        List.of("a lock that is kept for a successor is lost"), rules(), "the other was in doubt");
  }

  @Test
  void lockWithoutAFormerHolderIsNotReclaimed() {
    lock("a", 0, 1, Kind.EXCLUSIVE);
    lock("a", 1, 2, Kind.EXCLUSIVE);
    unlock("a", 1, 2, true);
    history.asks("a", 2, 3, ++moment);
    history.died("a");
    history.succeeds("b", "a");
    assertFalse(history.areSurelyNotHeld("b", 0, 1), "it is kept");
    assertTrue(history.areSurelyNotHeld("b", 1, 2), "it was unlocked");
    assertFalse(history.areSurelyNotHeld("b", 2, 3), "what came of it is not known");
    history.succeeds("c", "b");
    assertFalse(history.areSurelyNotHeld("c", 0, 1), "it was not reclaimed");
    history.asks("b", 1, 2, ++moment);
    history.falselyReclaimed("b", false);
    assertEquals(List.of(), rules());
    history.asks("b", 1, 2, ++moment);
    history.falselyReclaimed("b", true);
    assertEquals(List.of("a lock that was not held is reclaimed"), rules());
  }
}
