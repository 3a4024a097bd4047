package org.weft.simulator.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReliedLocksTest {
  private final ReliedLocks locks = new ReliedLocks(2, 100);
  private boolean lives;

  private void granted(String owner, LockHistory.Kind kind, long askedNanos) {
    locks.granted(owner, 0, 2, kind, askedNanos, askedNanos, askedNanos + 1, () -> lives);
  }

  private List<String> found(long nowNanos) {
    return locks.check(nowNanos).stream().map(BrokenRule::rule).distinct().toList();
  }

  @Test
  void secondOwnerOfAReliedLockIsAViolation() {
    granted("a", LockHistory.Kind.EXCLUSIVE, 0);
    granted("b", LockHistory.Kind.SHARED, 50);
    assertEquals(List.of("two owners rely on a lock that one may have alone"), found(60));
  }

  @Test
  void sharedLapsedAndReleasedLocksAreNoViolation() {
    granted("a", LockHistory.Kind.SHARED, 0);
    granted("b", LockHistory.Kind.SHARED, 1);
    locks.letsGo("b", 0, 2, 10);
    granted("c", LockHistory.Kind.EXCLUSIVE, 100);
    locks.letsGo("c", 0, 2, 110);
    granted("d", LockHistory.Kind.EXCLUSIVE, 120);
    assertEquals(List.of(), found(130));
  }

  @Test
  void ownerReliesOnALockThroughItsSessionAndTheKeepTime() {
    lives = true;
    granted("a", LockHistory.Kind.EXCLUSIVE, 0);
    locks.look(400);
    lives = false;
    locks.look(450);
    lives = true;
    locks.look(480);
    granted("b", LockHistory.Kind.SHARED, 500);
    locks.letsGo("b", 0, 2, 510);
    assertEquals(List.of(), found(600));
    lives = true;
    granted("a", LockHistory.Kind.EXCLUSIVE, 1_000);
    locks.look(1_400);
    granted("b", LockHistory.Kind.SHARED, 1_450);
    assertEquals(List.of("two owners rely on a lock that one may have alone"), found(1_500));
  }

  @Test
  void grantedReclaimProvesAContinuousLock() {
    granted("a", LockHistory.Kind.EXCLUSIVE, 0);
    granted("b", LockHistory.Kind.EXCLUSIVE, 150);
    locks.letsGo("b", 0, 2, 160);
    locks.reclaimed("a", 0, 2, 200, () -> false);
    assertEquals(List.of("two owners rely on a lock that one may have alone"), found(210));
  }

  @Test
  void aReclaimIsRefusedOnlyOfWhatHasLapsed() {
    granted("a", LockHistory.Kind.EXCLUSIVE, 0);
    locks.reclaimRefused("a", 0, 2, 101);
    assertEquals(List.of(), found(110));
    granted("a", LockHistory.Kind.EXCLUSIVE, 200);
    locks.reclaimRefused("a", 0, 1, 299);
    assertEquals(List.of("a lock that is kept for its owner is lost"), found(310));
  }

  @Test
  void onlyHeldOrDoubtfulLocksMayBeReclaimed() {
    assertTrue(locks.areSurelyNotHeld("a", 0, 2));
    locks.doubts("a", 1, 2);
    assertFalse(locks.areSurelyNotHeld("a", 0, 2));
    locks.falselyReclaimed("a", 0, 1, false);
    assertEquals(List.of(), found(1));
    locks.falselyReclaimed("a", 0, 1, true);
    assertEquals(List.of("a lock that was not held is reclaimed"), found(1));
  }

  @Test
  void lockReleasedElsewhereMayStillBeKept() {
    lives = true;
    granted("a", LockHistory.Kind.EXCLUSIVE, 0);
    locks.letsGo("a", 0, 1, 10);
    assertTrue(locks.areSurelyNotHeld("a", 0, 1));
    lives = false;
    locks.letsGo("a", 1, 2, 20);
    assertTrue(locks.areSurelyNotHeld("a", 0, 1));
    assertFalse(locks.areSurelyNotHeld("a", 1, 2));
  }
}
