package org.weft.sysmgr.replication.ratis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Member 1 leads term 5; questions are answered when the test lets them be. */
final class LeaderConfirmationTest {
  private final Map<Integer, Long> terms = new HashMap<>(Map.of(2, 5L, 3, 5L));
  private final Deque<Runnable> questions = new ArrayDeque<>();
  private final List<Integer> asked = new ArrayList<>();
  private Optional<LeaderConfirmation.Lead> lead = lead(5, Set.of(1, 2, 3), Set.of());
  private boolean hasThreads = true;
  private boolean noMemory;

  private final LeaderConfirmation confirmation =
      new LeaderConfirmation(
          1,
          () -> lead,
          (member, term) -> {
            asked.add(member);
            Long answer = terms.get(member);
            if (answer == null) {
              throw new IOException("no answer");
            }
            return answer;
          },
          question -> {
            if (noMemory) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            if (!hasThreads) {
              throw new RejectedExecutionException("no thread is left");
            }
            questions.add(question);
          });

  private static Optional<LeaderConfirmation.Lead> lead(
      long term, Set<Integer> voters, Set<Integer> before) {
    return Optional.of(new LeaderConfirmation.Lead(term, voters, before));
  }

  private CompletableFuture<Void> confirm() {
    return confirmation.confirm().toCompletableFuture();
  }

  private void answer() {
    while (!questions.isEmpty()) {
      questions.remove().run();
    }
  }

  private static void assertFails(ErrorCode code, CompletableFuture<Void> confirmed) {
    assertTrue(confirmed.isCompletedExceptionally());
    assertEquals(code, WeftException.of(confirmed.handle((done, e) -> e).join()).code());
  }

  private static void assertConfirmed(CompletableFuture<Void> confirmed) {
    assertTrue(confirmed.isDone() && !confirmed.isCompletedExceptionally());
  }

  @Test
  void noReadIsConfirmedBeforeAMajorityAnswers() {
    CompletableFuture<Void> confirmed = confirm();
    assertFalse(confirmed.isDone());
    questions.remove().run();
    assertConfirmed(confirmed);
  }

  @Test
  void aMemberThatDoesNotAnswerIsNotNeeded() {
    terms.remove(2);
    CompletableFuture<Void> confirmed = confirm();
    answer();
    assertConfirmed(confirmed);
  }

  @Test
  void withoutAMajorityTheAnswerIsUnavailable() {
    terms.clear();
    CompletableFuture<Void> confirmed = confirm();
    answer();
    assertFails(ErrorCode.UNAVAILABLE, confirmed);
  }

  @Test
  void aMemberOfALaterTermMeansThatAnotherOneMayLead() {
    terms.put(2, 6L);
    terms.put(3, 6L);
    CompletableFuture<Void> confirmed = confirm();
    answer();
    assertFails(ErrorCode.NOT_LEADER, confirmed);
  }

  /** It stood for election in vain, and may do so again and again. */
  @Test
  void aMajorityConfirmsDespiteAMemberOfALaterTerm() {
    for (int candidate = 2; candidate <= 3; candidate++) {
      terms.putAll(Map.of(2, 5L, 3, 5L));
      terms.put(candidate, 6L);
      CompletableFuture<Void> confirmed = confirm();
      answer();
      assertConfirmed(confirmed);
    }
  }

  @Test
  void aLaterTermBesideASilentMemberConfirmsNothing() {
    terms.put(2, 6L);
    terms.remove(3);
    CompletableFuture<Void> confirmed = confirm();
    answer();
    assertFails(ErrorCode.NOT_LEADER, confirmed);
  }

  @Test
  void aMemberThatHasNotHeardOfTheTermYetAgrees() {
    terms.put(2, 4L);
    terms.remove(3);
    CompletableFuture<Void> confirmed = confirm();
    answer();
    assertConfirmed(confirmed);
  }

  @Test
  void aDeposedLeaderConfirmsNothing() {
    CompletableFuture<Void> confirmed = confirm();
    lead = Optional.empty();
    answer();
    assertFails(ErrorCode.NOT_LEADER, confirmed);
    assertFails(ErrorCode.NOT_LEADER, confirm());
  }

  @Test
  void aLaterTermConfirmsNothingOfAnEarlierTerm() {
    CompletableFuture<Void> confirmed = confirm();
    lead = lead(7, Set.of(1, 2, 3), Set.of());
    answer();
    assertFails(ErrorCode.NOT_LEADER, confirmed);
  }

  @Test
  void aMemberThatIsAloneAsksNoOther() {
    lead = lead(5, Set.of(1), Set.of());
    assertConfirmed(confirm());
    assertEquals(List.of(), asked);
  }

  @Test
  void whileMembersChangeAMajorityOfBothSetsMustAgree() {
    lead = lead(5, Set.of(1, 4, 5), Set.of(1, 2, 3));
    terms.putAll(Map.of(4, 5L, 5, 5L));
    terms.remove(2);
    terms.remove(3);
    CompletableFuture<Void> confirmed = confirm();
    answer();
    assertFails(ErrorCode.UNAVAILABLE, confirmed);
    terms.put(3, 5L);
    CompletableFuture<Void> both = confirm();
    answer();
    assertConfirmed(both);
  }

  /** An answer to an earlier question says nothing of the time after it. */
  @Test
  void aCallIsConfirmedByQuestionsThatBeganAfterIt() {
    CompletableFuture<Void> first = confirm();
    assertEquals(2, questions.size());
    CompletableFuture<Void> second = confirm();
    assertEquals(4, questions.size());
    questions.remove().run();
    questions.remove().run();
    assertConfirmed(first);
    assertFalse(second.isDone());
    answer();
    assertConfirmed(second);
  }

  @Test
  void manyCallsShareOneRoundWhenEnoughAreUnderWay() {
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      calls.add(confirm());
    }
    assertEquals(2 * LeaderConfirmation.MAX_ROUNDS, questions.size());
    answer();
    calls.forEach(LeaderConfirmationTest::assertConfirmed);
    assertTrue(asked.size() <= 2 * (LeaderConfirmation.MAX_ROUNDS + 1), asked::toString);
  }

  /** Questions to a member that is cut off wait; the other member's answers are enough. */
  @Test
  void questionsThatWaitForOneMemberHoldNoOtherUp() {
    List<Runnable> stuck = new ArrayList<>();
    for (int i = 0; i < 10 * LeaderConfirmation.MAX_QUESTIONS; i++) {
      CompletableFuture<Void> confirmed = confirm();
      List<Runnable> now = new ArrayList<>(questions);
      questions.clear();
      boolean first = true;
      for (Runnable question : now) {
        if (first && stuck.size() < LeaderConfirmation.MAX_QUESTIONS) {
          stuck.add(question);
        } else {
          question.run();
        }
        first = false;
      }
      assertConfirmed(confirmed);
    }
    assertEquals(LeaderConfirmation.MAX_QUESTIONS, stuck.size());
  }

  /** As where the system has no memory for a thread: rounds and questions are given back. */
  @Test
  void anErrorOfAQuestionEndsItsRoundAlone() {
    noMemory = true;
    for (int i = 0; i < 3 * LeaderConfirmation.MAX_ROUNDS; i++) {
      assertThrows(OutOfMemoryError.class, this::confirm);
    }
    noMemory = false;
    CompletableFuture<Void> confirmed = confirm();
    answer();
    assertConfirmed(confirmed);
  }

  @Test
  void withoutThreadsTheAnswerIsUnavailable() {
    hasThreads = false;
    assertFails(ErrorCode.UNAVAILABLE, confirm());
    hasThreads = true;
    CompletableFuture<Void> confirmed = confirm();
    answer();
    assertConfirmed(confirmed);
  }
}
