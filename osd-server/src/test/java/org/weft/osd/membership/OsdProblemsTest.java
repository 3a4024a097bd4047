package org.weft.osd.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.StoreStatus;

class OsdProblemsTest {
  private static final long GIB = 1L << 30;

  private static StoreStatus status(long usedBytes, String... problems) {
    long capacity = 100 * GIB;
    return new StoreStatus(
        capacity, usedBytes, capacity - usedBytes, 5 * GIB, 0, 7, 2, 1, List.of(problems));
  }

  @Test
  void tellsOfACapacityThatTheDiskDoesNotHave() {
    StoreStatus full =
        new StoreStatus(100 * GIB, GIB, 0, 5 * GIB, 99 * GIB, 7, 2, 1, List.of("a bad block"));
    List<String> problems = OsdProblems.of(full, OptionalLong.of(90 << 20));
    assertEquals(2, problems.size());
    assertTrue(problems.get(1).contains("101376 MiB of its capacity"), problems.get(1));
  }

  @Test
  void aHealthyOsdReportsNoProblems() {
    assertEquals(List.of(), OsdProblems.of(status(50 * GIB), OptionalLong.of(50 * GIB)));
    assertEquals(List.of(), OsdProblems.of(status(50 * GIB), OptionalLong.empty()));
  }

  @Test
  void warnsOfADiskThatCannotHoldWhatIsOffered() {
    List<String> problems = OsdProblems.of(status(50 * GIB), OptionalLong.of(100 << 20));
    assertEquals(1, problems.size());
    assertTrue(problems.get(0).contains("100 MiB left"), problems.get(0));
    assertEquals(
        List.of(), OsdProblems.of(status(100 * GIB), OptionalLong.of(0)), "all of it is written");
  }

  @Test
  void passesOnWhatTheStoreSays() {
    var status = status(GIB, "a bad block");
    assertEquals(List.of("a bad block"), OsdProblems.of(status, OptionalLong.of(90 * GIB)));
  }
}
