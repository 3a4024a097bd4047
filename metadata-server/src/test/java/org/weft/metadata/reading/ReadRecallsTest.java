package org.weft.metadata.reading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.metadata.grant.RepeatedPush;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;

class ReadRecallsTest {
  private static final ObjectId FILE = new ObjectId(10);
  private static final ObjectId OTHER = new ObjectId(11);
  private static final SessionId ONE = new SessionId(1);
  private static final SessionId TWO = new SessionId(2);
  private static final long AGAIN = RepeatedPush.REPEAT_NANOS;

  private final ReadRecalls recalls = new ReadRecalls();

  @Test
  void recallIsRepeatedUntilEachHolderObeys() {
    recalls.begin(FILE, List.of(TWO, ONE), 0);
    assertEquals(Map.of(ONE, List.of(FILE), TWO, List.of(FILE)), recalls.takeDue(0));
    assertEquals(Map.of(), recalls.takeDue(AGAIN - 1));
    assertFalse(recalls.obeyed(ONE, FILE));
    assertEquals(Map.of(TWO, List.of(FILE)), recalls.takeDue(AGAIN));
    assertTrue(recalls.obeyed(TWO, FILE), "no session has it any more");
    assertEquals(Map.of(), recalls.takeDue(2 * AGAIN));
    assertEquals(0, recalls.size());
    assertEquals(List.of(), recalls.sessions());
  }

  @Test
  void newRecallDoesNotInheritTheRepeatsOfAFormerOne() {
    recalls.begin(FILE, List.of(ONE), 0);
    recalls.takeDue(0);
    recalls.obeyed(ONE, FILE);
    recalls.begin(FILE, List.of(ONE), 10);
    assertEquals(Map.of(ONE, List.of(FILE)), recalls.takeDue(10));
    assertEquals(Map.of(), recalls.takeDue(AGAIN), "the first recall is over");
    assertEquals(Map.of(ONE, List.of(FILE)), recalls.takeDue(AGAIN + 10));
  }

  @Test
  void newRecallIsToldTogetherWithARepeat() {
    recalls.begin(FILE, List.of(ONE), 0);
    recalls.takeDue(0);
    recalls.begin(OTHER, List.of(ONE), AGAIN);
    assertEquals(
        new TreeSet<>(Set.of(FILE, OTHER)), new TreeSet<>(recalls.takeDue(AGAIN).get(ONE)));
  }

  @Test
  void onlyOverdueRecallsAreEnded() {
    recalls.begin(OTHER, List.of(ONE, TWO), 0);
    recalls.begin(FILE, List.of(TWO), 5);
    recalls.obeyed(ONE, OTHER);
    assertEquals(Map.of(OTHER, new TreeSet<>(Set.of(TWO))), recalls.endOverdue(104, 100));
    assertFalse(recalls.contains(OTHER));
    assertEquals(List.of(FILE), recalls.of(TWO));
    assertEquals(Map.of(FILE, new TreeSet<>(Set.of(TWO))), recalls.endOverdue(105, 100));
    assertEquals(List.of(), recalls.of(TWO));
  }
}
