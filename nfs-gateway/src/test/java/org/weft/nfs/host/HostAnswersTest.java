package org.weft.nfs.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HostAnswersTest {
  private final FakeAccounts host = new FakeAccounts().user(7, "gull");
  private final AtomicLong clock = new AtomicLong();
  private final Deque<Runnable> pool = new ArrayDeque<>();
  private Optional<IOException> last = Optional.empty();
  private final HostAnswers<Integer, Optional<String>> users =
      new HostAnswers<>(
          host::userName, Optional::isEmpty, pool::add, clock::get, outcome -> last = outcome);

  private void ask(int uid) {
    var unused = users.learn(uid);
  }

  private void answer() {
    while (!pool.isEmpty()) {
      pool.poll().run();
    }
  }

  private void passes(long nanos) {
    clock.addAndGet(nanos);
  }

  @Test
  void aQuestionIsAskedOnceForAllThatWait() {
    CompletableFuture<Void> one = users.learn(7);
    CompletableFuture<Void> two = users.learn(7);
    assertFalse(one.isDone() || two.isDone());
    assertEquals(Optional.empty(), users.known(7));
    answer();
    assertTrue(one.isDone() && two.isDone());
    assertEquals(Optional.of(Optional.of("gull")), users.known(7));
    assertTrue(users.learn(7).isDone());
    assertEquals(1, host.questions());
  }

  @Test
  void anOldAnswerCountsWhileItIsAskedForAgain() {
    ask(7);
    answer();
    passes(HostAnswers.FRESH_NANOS);
    host.user(7, "tern");
    assertTrue(users.learn(7).isDone());
    assertEquals(Optional.of("gull"), users.known(7).orElseThrow());
    answer();
    assertEquals(Optional.of("tern"), users.known(7).orElseThrow());
  }

  @Test
  void unknownUserIsAskedForAgainSoon() {
    ask(8);
    answer();
    assertEquals(Optional.empty(), users.known(8).orElseThrow());
    passes(HostAnswers.FRESH_UNKNOWN_NANOS - 1);
    ask(8);
    answer();
    assertEquals(1, host.questions());
    passes(1);
    ask(8);
    answer();
    assertEquals(2, host.questions());
  }

  @Test
  void answersOfAFailingHostCountForAnHour() {
    ask(7);
    answer();
    host.fail(true);
    passes(HostAnswers.FRESH_NANOS);
    ask(7);
    answer();
    assertTrue(last.isPresent());
    ask(7);
    assertTrue(pool.isEmpty(), "so soon after a failure it is not asked");
    passes(HostAnswers.PAUSE_NANOS);
    ask(7);
    answer();
    assertEquals(3, host.questions());
    assertEquals(Optional.of("gull"), users.known(7).orElseThrow());
    passes(HostAnswers.KEPT_NANOS);
    assertEquals(Optional.empty(), users.known(7));
    CompletableFuture<Void> asked = users.learn(7);
    assertFalse(asked.isDone());
    answer();
    assertTrue(asked.isDone(), "it cannot be known now, and nothing fails");
    assertEquals(Optional.empty(), users.known(7));
    host.fail(false);
    passes(HostAnswers.PAUSE_NANOS);
    ask(7);
    answer();
    assertEquals(Optional.of("gull"), users.known(7).orElseThrow());
    assertEquals(Optional.empty(), last);
  }

  /** SSSD may be away: then getent knows no user. */
  @Test
  void answersTheHostHasForgottenCountForAnHour() {
    ask(7);
    answer();
    host.forget(7);
    passes(TimeUnit.MINUTES.toNanos(11));
    ask(7);
    answer();
    assertEquals(2, host.questions());
    assertEquals(Optional.of("gull"), users.known(7).orElseThrow());
    assertTrue(last.isPresent(), "it is a failure");
    passes(HostAnswers.PAUSE_AFTER_LOSS_NANOS - 1);
    ask(7);
    assertTrue(pool.isEmpty());
    passes(1);
    ask(7);
    answer();
    assertEquals(3, host.questions());
    passes(HostAnswers.KEPT_NANOS);
    ask(7);
    answer();
    assertEquals(Optional.empty(), users.known(7).orElseThrow(), "the hour is over");
  }

  @Test
  void aQuestionThatFindsNoThreadCanBeAskedAgain() {
    InternalError noThread = new InternalError("no thread");
    boolean[] failing = {true};
    HostAnswers<Integer, Optional<String>> some =
        new HostAnswers<>(
            uid -> {
              if (failing[0]) {
                throw noThread;
              }
              return host.userName(uid);
            },
            Optional::isEmpty,
            pool::add,
            clock::get,
            outcome -> last = outcome);
    CompletableFuture<Void> asked = some.learn(7);
    assertSame(noThread, assertThrows(InternalError.class, this::answer));
    assertTrue(asked.isDone() && last.isPresent());
    failing[0] = false;
    passes(HostAnswers.PAUSE_NANOS);
    CompletableFuture<Void> again = some.learn(7);
    answer();
    assertTrue(again.isDone());
    assertEquals(Optional.of("gull"), some.known(7).orElseThrow());
  }

  @Test
  void aPoolWithoutAThreadIsAFailureOfTheQuestion() {
    HostAnswers<Integer, Optional<String>> some =
        new HostAnswers<>(
            host::userName,
            Optional::isEmpty,
            task -> {
              throw new InternalError("no thread");
            },
            clock::get,
            outcome -> last = outcome);
    assertTrue(some.learn(7).isDone());
    assertTrue(last.isPresent());
  }

  @Test
  void questionsThatWaitFailAtOnceWhenTheGatewayStops() {
    HostTable table = new HostTable(host, pool::add, clock::get);
    CompletableFuture<Void> asked = table.users().learn(7);
    table.stop();
    answer();
    assertTrue(asked.isDone());
    assertEquals(Optional.empty(), table.users().known(7));
    assertEquals(0, host.questions());
  }

  @Test
  void aQuestionThatThePoolRefusesHasFailed() {
    HostAnswers<Integer, Optional<String>> full =
        new HostAnswers<>(
            host::userName,
            Optional::isEmpty,
            task -> {
              throw new RejectedExecutionException("full");
            },
            clock::get,
            outcome -> last = outcome);
    assertTrue(full.learn(7).isDone());
    assertEquals(Optional.empty(), full.known(7));
    assertTrue(last.isPresent());
  }

  @Test
  void answersAreBounded() {
    for (int uid = 0; uid < HostAnswers.MAX + 100; uid++) {
      ask(uid);
      answer();
    }
    assertEquals(HostAnswers.MAX, users.size());
    assertEquals(Optional.empty(), users.known(0), "the oldest is gone");
  }
}
