package org.weft.osd.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.osd.contract.ContractCalls.Call;
import org.weft.osd.contract.ContractOsd.Answer;
import org.weft.protocol.rpc.Opcode;

/**
 * The fake OSD and the real one answer every command of a random course alike, and hold the same
 * after it. Other courses with {@code -Dweft.contract.seed}, more with {@code
 * -Dweft.contract.seeds}.
 */
class OsdDifferentialTest {
  private static final long FIRST_SEED = Long.getLong("weft.contract.seed", 1);
  private static final long SEEDS = Long.getLong("weft.contract.seeds", 8);
  private static final int STEPS = 150;
  private static final int SHOWN = 25;

  static LongStream seeds() {
    return LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theFakeAnswersAsTheOsdDoes(long seed) {
    RandomCourse course = new RandomCourse(seed);
    SplittableRandom random = new SplittableRandom(-seed);
    Deque<String> story = new ArrayDeque<>();
    try (ContractOsd real = new RealContractOsd(seed);
        ContractOsd fake = new FakeContractOsd(seed)) {
      for (int step = 0; step < STEPS; step++) {
        if (random.nextInt(40) == 0) {
          story.add("restart");
          real.restart();
        }
        Call call = course.next();
        compare(seed, story, call, real, fake);
        compareStates(seed, story, course, real, fake);
      }
    }
  }

  private static void compareStates(
      long seed, Deque<String> story, RandomCourse course, ContractOsd real, ContractOsd fake) {
    compare(seed, story, course.manager().listPending(), real, fake);
    compare(seed, story, course.manager().listPending(course.anyGrant(), 3, 2), real, fake);
    compare(seed, story, course.manager().read(0, RandomCourse.OBJECT_BYTES), real, fake);
    compare(seed, story, course.manager().attributes(), real, fake);
    List<long[]> ids = course.exchanges();
    for (long[] id : ids.subList(Math.max(0, ids.size() - 3), ids.size())) {
      compare(seed, story, course.manager().readDelta(id[0], id[1]), real, fake);
    }
  }

  private static void compare(
      long seed, Deque<String> story, Call call, ContractOsd real, ContractOsd fake) {
    Answer wanted = call.to(fake);
    Answer got = call.to(real);
    story.add(call + "\n    fake " + wanted + "\n    real " + got);
    if (story.size() > SHOWN) {
      story.removeFirst();
    }
    assertEquals(
        Likeness.of(call, wanted),
        Likeness.of(call, got),
        () -> "seed " + seed + ":\n  " + String.join("\n  ", story) + "\n");
    assertTrue(
        Likeness.componentBytes(got) >= Likeness.componentBytes(wanted),
        () -> "seed " + seed + ": the component ends before its bytes:\n" + story);
  }

  /** A course that is refused everything would show nothing. */
  @Test
  void theCourseGetsThings() {
    Map<Opcode, Integer> done = new EnumMap<>(Opcode.class);
    Map<Opcode, Integer> refused = new EnumMap<>(Opcode.class);
    for (long seed = 1; seed <= 40; seed++) {
      RandomCourse course = new RandomCourse(seed);
      try (ContractOsd fake = new FakeContractOsd(seed)) {
        for (int step = 0; step < STEPS; step++) {
          Call call = course.next();
          boolean good = call.to(fake).error() == null;
          (good ? done : refused).merge(call.opcode(), 1, Integer::sum);
        }
      }
    }
    for (Opcode opcode :
        List.of(
            Opcode.WRITE,
            Opcode.XOR_READ_WRITE,
            Opcode.XOR_WRITE,
            Opcode.ABORT,
            Opcode.COMPLETE,
            Opcode.TRUNCATE,
            Opcode.PUNCH)) {
      int good = done.getOrDefault(opcode, 0);
      int all = good + refused.getOrDefault(opcode, 0);
      assertTrue(good * 6 > all, opcode + ": " + good + " of " + all + " were carried out");
    }
    assertTrue(done.getOrDefault(Opcode.READ_DELTA, 0) > 0);
  }
}
