package org.weft.osd.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.PartitionId;

/** Answers of SysMgr may come late: none of them ends or begins what it does not speak of. */
class QuarantineKnownTest {
  private static final QuarantineKnown IN_THE_SECOND = new QuarantineKnown(2, true);
  private static final QuarantineKnown AFTER_THE_SECOND = new QuarantineKnown(2, false);

  @Test
  void aNewOneBeginsAndEnds() {
    assertEquals(IN_THE_SECOND, QuarantineKnown.NONE.heard(new QuarantineKnown(2, true)));
    assertEquals(AFTER_THE_SECOND, IN_THE_SECOND.heard(new QuarantineKnown(2, false)));
    assertEquals(new QuarantineKnown(3, false), IN_THE_SECOND.heard(new QuarantineKnown(3, false)));
  }

  @Test
  void anOldAnswerEndsNothing() {
    assertEquals(IN_THE_SECOND, IN_THE_SECOND.heard(new QuarantineKnown(1, false)));
    assertEquals(IN_THE_SECOND, IN_THE_SECOND.heard(new QuarantineKnown(0, false)));
  }

  @Test
  void anOldAnswerBeginsNothingAgain() {
    assertEquals(AFTER_THE_SECOND, AFTER_THE_SECOND.heard(new QuarantineKnown(2, true)));
    assertEquals(AFTER_THE_SECOND, AFTER_THE_SECOND.heard(new QuarantineKnown(1, true)));
  }

  private static QuarantineKnown openIn(long number, long... partitions) {
    SortedSet<PartitionId> open = new TreeSet<>();
    for (long id : partitions) {
      open.add(new PartitionId(id));
    }
    return new QuarantineKnown(number, true, open);
  }

  @Test
  void partitionsAreOpenedOneAfterAnotherAndAnOldAnswerClosesNone() {
    QuarantineKnown one = IN_THE_SECOND.heard(openIn(2, 5));
    assertEquals(openIn(2, 5), one);
    assertEquals(openIn(2, 5, 6), one.heard(openIn(2, 6)));
    assertEquals(one, one.heard(IN_THE_SECOND));
    assertEquals(AFTER_THE_SECOND, one.heard(new QuarantineKnown(2, false)));
    assertEquals(AFTER_THE_SECOND, AFTER_THE_SECOND.heard(openIn(2, 5)));
  }

  /** What was compared before it was given up again is not what is there now. */
  @Test
  void anotherLossClosesAllPartitionsAgain() {
    QuarantineKnown open = openIn(2, 5, 6);
    assertEquals(new QuarantineKnown(3, true), open.heard(new QuarantineKnown(3, true)));
    QuarantineKnown closed = open.heard(new QuarantineKnown(3, true));
    assertEquals(closed, closed.heard(openIn(2, 5, 6)));
    assertEquals(openIn(3, 6), closed.heard(openIn(3, 6)));
  }
}
