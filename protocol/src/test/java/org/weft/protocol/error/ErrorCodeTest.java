package org.weft.protocol.error;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the questions say of each other: a code that is added has to keep it. */
class ErrorCodeTest {
  private static Set<ErrorCode> codes(Predicate<ErrorCode> question) {
    return Arrays.stream(ErrorCode.values())
        .filter(question)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(ErrorCode.class)));
  }

  private static void assertOf(ErrorCategory category, Predicate<ErrorCode> question) {
    for (ErrorCode code : codes(question)) {
      assertEquals(category, code.category(), code::toString);
    }
  }

  private static void assertApart(Predicate<ErrorCode> one, Predicate<ErrorCode> other) {
    assertEquals(Set.of(), codes(one.and(other)));
  }

  /** The list is what clients, managers and OSDs repeat by. */
  @Test
  void aRequestIsRepeatedIfTheServerWasUnreachableOrFull() {
    assertEquals(
        EnumSet.of(
            ErrorCode.UNAVAILABLE,
            ErrorCode.CONNECTION_LOST,
            ErrorCode.DEADLINE_EXCEEDED,
            ErrorCode.OVERLOADED,
            ErrorCode.BUSY,
            ErrorCode.NOT_LEADER),
        codes(ErrorCode::mayPass));
    assertOf(ErrorCategory.SAME_REQUEST, ErrorCode::isUnanswered);
  }

  @Test
  void replicaErrorsAreReadFromAnotherOsd() {
    assertOf(ErrorCategory.OTHER_REPLICA, ErrorCode::isDamage);
    assertOf(ErrorCategory.OTHER_REPLICA, ErrorCode::isAbsent);
    assertTrue(codes(ErrorCode::isDamage).containsAll(codes(ErrorCode::isOfBlock)));
    assertTrue(codes(ErrorCode::isDamage).containsAll(codes(ErrorCode::isOfMedium)));
  }

  @Test
  void fencedErrorsNeedANewGrant() {
    assertOf(ErrorCategory.NEW_GRANT, ErrorCode::isOvertaken);
    assertTrue(codes(ErrorCode::isOutdated).containsAll(codes(ErrorCode::isEndOfRight)));
  }

  @Test
  void lastingErrorsAreNeverRetried() {
    assertOf(ErrorCategory.NEVER, ErrorCode::isLasting);
  }

  /** A change that was taken for not begun would be carried out twice (P 6.4). */
  @Test
  void noCodeMeansBothNothingBegunAndMaybeBegun() {
    assertApart(ErrorCode::isNotTaken, ErrorCode::isInDoubt);
    assertFalse(ErrorCode.BUSY.isNotTaken(), "a slot remembers it as the answer");
  }

  @Test
  void codesWithoutAnAnswerAreNotOfNamesOrBytes() {
    assertApart(ErrorCode::isNoAnswer, ErrorCode::isOfNames);
    assertApart(ErrorCode::isNoAnswer, ErrorCode::isDamage);
    assertApart(ErrorCode::isNoAnswer, ErrorCode::isAbsent);
    assertApart(ErrorCode::isNoAnswer, ErrorCode::isSuperseded);
    assertApart(ErrorCode::isNoAnswer, ErrorCode::isLasting);
    assertTrue(codes(ErrorCode::isNoAnswer).containsAll(codes(ErrorCode::isUnanswered)));
    assertTrue(codes(ErrorCode::mayAnotherAnswer).containsAll(codes(ErrorCode::isNoAnswer)));
  }
}
