package org.weft.osd.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Answers of SysMgr may come late: none of them ends or begins what it does not speak of. */
class QuarantineKnownTest {
  private static final QuarantineKnown IN_THE_SECOND = new QuarantineKnown(2, true);
  private static final QuarantineKnown AFTER_THE_SECOND = new QuarantineKnown(2, false);

  @Test
  void aNewOneBeginsAndEnds() {
    assertEquals(IN_THE_SECOND, QuarantineKnown.NONE.heard(2, true));
    assertEquals(AFTER_THE_SECOND, IN_THE_SECOND.heard(2, false));
    assertEquals(new QuarantineKnown(3, false), IN_THE_SECOND.heard(3, false));
  }

  @Test
  void anOldAnswerEndsNothing() {
    assertEquals(IN_THE_SECOND, IN_THE_SECOND.heard(1, false));
    assertEquals(IN_THE_SECOND, IN_THE_SECOND.heard(0, false));
  }

  @Test
  void anOldAnswerBeginsNothingAgain() {
    assertEquals(AFTER_THE_SECOND, AFTER_THE_SECOND.heard(2, true));
    assertEquals(AFTER_THE_SECOND, AFTER_THE_SECOND.heard(1, true));
  }
}
