package org.weft.client.stripe.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.FileComponents;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.StorageMap;

/**
 * One random course of a {@link FileWriteMachine}: orders, answers, failures, new terms and timers
 * in any order. After each event the effects are held against what P 5.4 and 5.8 ask for.
 */
final class WriteCourse {
  private static final List<ErrorCode> FAILURES =
      List.of(
          ErrorCode.CONNECTION_LOST,
          ErrorCode.DEADLINE_EXCEEDED,
          ErrorCode.BUSY,
          ErrorCode.OVERLOADED,
          ErrorCode.NO_SPACE,
          ErrorCode.FENCED,
          ErrorCode.TOMBSTONE,
          ErrorCode.BAD_MEDIA,
          ErrorCode.BAD_CHECKSUM,
          ErrorCode.QUARANTINED,
          ErrorCode.NO_SUCH_OBJECT,
          ErrorCode.INTERNAL);
  private static final List<ErrorCode> REFUSALS =
      List.of(
          ErrorCode.BUSY,
          ErrorCode.UNAVAILABLE,
          ErrorCode.BUSY,
          ErrorCode.UNAVAILABLE,
          ErrorCode.TOO_MANY_LOST,
          ErrorCode.TOO_MANY_LOST,
          ErrorCode.UNSUPPORTED,
          ErrorCode.GRANT_REVOKED);

  private final StripeWorld world;
  private final Random random;
  private final int parityUnits;
  private final StripedFile file;
  private final FileWriteMachine machine;

  private final List<CourseOrder> given = new ArrayList<>();
  private final Map<ComponentOrder, CourseOrder> byOrder = new HashMap<>();
  private final List<WriteEffect.Send> underWay = new ArrayList<>();
  private final List<WriteEffect.TryLater> pauses = new ArrayList<>();
  private final List<CompletableFuture<Void>> waits = new ArrayList<>();
  private final Set<CompletableFuture<Void>> finished = new HashSet<>();

  /** Components that have acknowledged something under the terms in force, or must exist. */
  private final Set<Integer> existing = new TreeSet<>();

  /** Components of which a try failed under the terms in force. */
  private final Set<Integer> failedNow = new TreeSet<>();

  private WriteEffect.Ask asked;

  /** Questions that were settled by other terms before their answers came. */
  private final List<WriteEffect.Ask> settledBefore = new ArrayList<>();

  private boolean askLater;
  private int epoch;

  WriteCourse(StripeWorld world, long seed) {
    this.world = world;
    this.random = new Random(seed);
    this.parityUnits = 1 + random.nextInt(2);
    this.file = world.newFile(StripeWorld.layout(3 + random.nextInt(3), parityUnits));
    this.machine =
        new FileWriteMachine(
            StripeWorld.OPTIONS,
            world.time,
            random,
            new OwnOrders(world.context),
            new WriteTerms(file, world.grant(file)),
            0,
            true);
  }

  /** So many events; then all is answered well, and nothing may be left. */
  void run(int events) {
    for (int i = 0; i < events; i++) {
      world.time.pass(random.nextInt(200_000_000));
      step();
    }
    settle();
  }

  private void step() {
    switch (random.nextInt(22)) {
      case 0, 1, 2, 3 -> submit();
      case 4 -> retryAll();
      case 5 -> askAgain();
      case 6, 7 -> answerManager();
      case 8 -> on(told -> told.renew(told.terms(), new WeftException(ErrorCode.FENCED, "ended")));
      case 9 ->
          wait(random.nextBoolean() ? machine.orders().mark().passed() : machine.renewal().quiet());
      case 10 -> failSometimes();
      case 11, 12 -> answer(failure());
      case 20 -> grantUnasked();
      case 21 -> answerLate();
      default -> answer(null);
    }
  }

  private void failSometimes() {
    if (random.nextInt(10) == 0) {
      on(told -> told.fail(new WeftException(ErrorCode.CANCELLED, "given up")));
    }
  }

  private WeftException failure() {
    return new WeftException(FAILURES.get(random.nextInt(FAILURES.size())), "a component says no");
  }

  private void submit() {
    CourseOrder order =
        random.nextInt(12) == 0
            ? CourseOrder.empty(given.size(), epoch)
            : CourseOrder.random(given.size(), epoch, random, file.layout());
    given.add(order);
    byOrder.put(order, order);
    OpenOrder opened = order.open();
    on(told -> told.submit(opened));
  }

  private void answer(WeftException failure) {
    if (underWay.isEmpty()) {
      return;
    }
    WriteEffect.Send sent = underWay.remove(random.nextInt(underWay.size()));
    CourseOrder order = byOrder.get(sent.call().order().order());
    int component = sent.call().component();
    if (failure == null) {
      if (sent.attempt().terms().grant().number() == grant()) {
        existing.add(component);
        if (order != null) {
          order.acknowledged.add(component);
        }
      }
    }
    if (failure != null && sent.attempt().terms().grant().number() == grant()) {
      failedNow.add(component);
    }
    on(told -> told.answered(sent.call(), sent.attempt(), failure));
  }

  private long grant() {
    return machine.terms().grant().number();
  }

  private void retryAll() {
    List<WriteEffect.TryLater> due = List.copyOf(pauses);
    pauses.clear();
    due.forEach(pause -> on(told -> told.attempt(pause.call())));
  }

  private void askAgain() {
    if (askLater) {
      askLater = false;
      on(FileWriteMachine::askAgain);
    }
  }

  private void answerManager() {
    WriteEffect.Ask question = asked;
    if (question == null) {
      return;
    }
    asked = null;
    if (random.nextInt(3) == 0) {
      ErrorCode code = REFUSALS.get(random.nextInt(REFUSALS.size()));
      on(GrantAnswer.refused(question.under(), new WeftException(code, "not now")));
    } else {
      grant(question, true);
    }
  }

  /** The manager gives other terms by itself, while it is being asked. */
  private void grantUnasked() {
    WriteEffect.Ask question = asked;
    if (question != null) {
      asked = null;
      settledBefore.add(question);
      grant(question, false);
    }
  }

  /** What is said of terms that are not in force any more changes nothing. */
  private void answerLate() {
    if (settledBefore.isEmpty()) {
      return;
    }
    WriteEffect.Ask question = settledBefore.remove(0);
    WriteTerms terms = machine.terms();
    WeftException failure = machine.failure();
    List<WriteEffect> effects =
        machine.on(
            random.nextBoolean()
                ? GrantAnswer.granted(question.under(), terms)
                : GrantAnswer.refused(question.under(), failure()));
    assertEquals(List.of(), effects, "its question is settled");
    assertSame(terms, machine.terms());
    assertSame(failure, machine.failure());
  }

  /**
   * New terms without the components in doubt, as far as the code bears it.
   *
   * @param asked they are the answer
   */
  private void grant(WriteEffect.Ask question, boolean asked) {
    StorageMap map = question.under().file().map();
    TreeSet<Integer> missing = new TreeSet<>(map.missing());
    question.lost().stream()
        .map(failure -> failure.componentIndex())
        .filter(index -> missing.size() < parityUnits)
        .forEach(missing::add);
    StorageMap next =
        new StorageMap(
            map.layout(), map.components(), map.generation() + 1, missing, map.attributeOsds());
    WriteTerms terms = world.nextTerms(file.name(), next);
    WriteEvent granted =
        asked ? GrantAnswer.granted(question.under(), terms) : told -> told.granted(terms);
    if (machine.failure() != null) {
      on(granted);
      return;
    }
    epoch++;
    given.forEach(CourseOrder::renewed);
    List<CourseOrder> beingUndone = given.stream().filter(CourseOrder::isBeingUndone).toList();
    long completeBytes = completeBytes();
    failedNow.clear();
    existing.clear();
    FileComponents.existing(file.layout(), completeBytes).stream().forEach(existing::add);
    on(granted);
    assertFalse(machine.renewal().isInDoubt(), "nothing is known of the new terms yet");
    for (CourseOrder order : beingUndone) {
      assertTrue(order.isOver, () -> order + " was being undone: the manager has decided on it");
      assertTrue(
          order.eofBytes() <= completeBytes || machine.failure() != null,
          () -> order + " may have been kept: how long is the file?");
    }
  }

  private long completeBytes() {
    return given.stream()
        .filter(order -> order.isComplete)
        .mapToLong(CourseOrder::eofBytes)
        .max()
        .orElse(0);
  }

  private void wait(CompletableFuture<Void> wait) {
    waits.add(wait);
  }

  /** All components answer well from now on, and the manager grants what it is asked for. */
  private void settle() {
    for (int round = 0; round < 10_000 && !isSettled(); round++) {
      world.time.pass(1_000_000);
      retryAll();
      askAgain();
      while (!underWay.isEmpty()) {
        answer(null);
      }
      if (asked != null) {
        WriteEffect.Ask question = asked;
        asked = null;
        grant(question, true);
      }
    }
    assertTrue(isSettled(), "the machine waits for nothing in the end");
    for (CourseOrder order : given) {
      assertTrue(order.done.isDone(), () -> order + " has ended");
      assertEquals(1, order.released, () -> "memory of " + order + " is given back once");
    }
    waits.forEach(wait -> assertTrue(wait.isDone(), "a wait is over"));
  }

  private boolean isSettled() {
    return underWay.isEmpty() && pauses.isEmpty() && asked == null && !askLater;
  }

  private void on(WriteEvent event) {
    boolean failedBefore = machine.failure() != null;
    for (WriteEffect effect : machine.on(event)) {
      if (effect instanceof WriteEffect.Send send) {
        assertFalse(failedBefore, "a writing that has failed sends nothing");
        sent(send);
      } else if (effect instanceof WriteEffect.TryLater later) {
        pauses.add(later);
      } else if (effect instanceof WriteEffect.Release release) {
        release.order().release();
        assertUnused(release.order());
      } else if (effect instanceof WriteEffect.Finish finish) {
        finished(finish);
      } else if (effect instanceof WriteEffect.Ask ask) {
        assertNull(asked, "one question at a time");
        assertCompleteUpTo(ask.completeUpTo());
        ask.lost().forEach(lost -> assertTrue(failedNow.contains(lost.componentIndex())));
        assertFalse(askLater, "a pause between questions is kept");
        asked = ask;
      } else if (effect instanceof WriteEffect.AskLater) {
        assertNull(asked, "no pause beside a question");
        askLater = true;
      }
    }
  }

  private void sent(WriteEffect.Send send) {
    ComponentOrder.Try attempt = send.attempt();
    int component = send.call().component();
    underWay.add(send);
    assertSame(machine.terms(), attempt.terms(), "sent under the terms in force");
    assertFalse(attempt.terms().file().map().isMissing(component), "a missing one gets nothing");
    assertTrue(
        attempt.create() || existing.contains(component),
        "what has not acknowledged anything may have to be made");
    assertCompleteUpTo(attempt.completeUpTo());
    CourseOrder order = byOrder.get(send.call().order().order());
    if (order == null) {
      return;
    }
    assertFalse(order.done.isDone(), () -> order + " has ended, nothing of it is sent");
    order.numbered(attempt.firstSeq(), epoch);
    assertOwnNumbers(order);
    for (CourseOrder earlier : given.subList(0, order.index)) {
      assertTrue(
          !earlier.isDueBefore(epoch)
              || !earlier.concerns(component)
              || earlier.acknowledged.contains(component),
          () -> component + " hears of " + order + " before it has carried out " + earlier);
    }
  }

  /** Numbers of two orders under one grant do not meet. */
  private void assertOwnNumbers(CourseOrder order) {
    for (CourseOrder other : given) {
      if (other != order
          && other.epoch == order.epoch
          && other.firstSeq > 0
          && order.firstSeq > 0) {
        assertTrue(
            other.lastSeq() < order.firstSeq || order.lastSeq() < other.firstSeq,
            () -> order + " and " + other + " have the same numbers");
      }
    }
  }

  /** Each number up to there is of an order that is complete, or that is undone everywhere. */
  private void assertCompleteUpTo(long upTo) {
    for (CourseOrder order : given) {
      if (order.epoch == epoch && order.firstSeq > 0 && order.firstSeq <= upTo) {
        assertTrue(order.isOver, () -> upTo + " is complete, but " + order + " is not");
      }
    }
  }

  private void finished(WriteEffect.Finish finish) {
    assertTrue(finished.add(finish.future()), "a future is completed once");
    for (CourseOrder order : given) {
      if (order.done == finish.future()) {
        order.isOver = true;
        if (finish.thrown() == null) {
          order.isComplete = true;
          assertAcknowledged(order);
        }
      }
    }
    if (finish.thrown() == null) {
      finish.future().complete(null);
    } else {
      finish.future().completeExceptionally(finish.thrown());
    }
  }

  private void assertAcknowledged(CourseOrder order) {
    Set<Integer> lacking = new LinkedHashSet<>(order.all());
    lacking.removeAll(machine.terms().file().map().missing());
    lacking.removeAll(order.acknowledged);
    assertEquals(Set.of(), lacking, () -> order + " is complete, but not on these components");
    Set<Integer> needed = new LinkedHashSet<>();
    FileComponents.existing(file.layout(), order.eofBytes()).stream().forEach(needed::add);
    needed.removeAll(machine.terms().file().map().missing());
    needed.removeAll(existing);
    assertEquals(Set.of(), needed, () -> order + " is complete, and these need not exist");
  }

  private void assertUnused(ComponentOrder order) {
    assertTrue(
        underWay.stream().noneMatch(send -> send.call().order().order() == order)
            && pauses.stream().noneMatch(pause -> pause.call().order().order() == order),
        () -> order + " is under way, and its memory given back");
  }
}
