package org.weft.simulator.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.simulator.model.NameOperation;
import org.weft.simulator.model.NameOperation.Create;
import org.weft.simulator.model.NameOperation.Link;
import org.weft.simulator.model.NameOperation.Look;
import org.weft.simulator.model.NameOperation.Mkdir;
import org.weft.simulator.model.NameOperation.Names;
import org.weft.simulator.model.NameOperation.Rename;
import org.weft.simulator.model.NameOperation.SetXattr;
import org.weft.simulator.model.NameOperation.Unlink;
import org.weft.testkit.names.NameKind;
import org.weft.testkit.names.NameRefusal;
import org.weft.testkit.names.NameTree;

class NameHistoryTest {
  private final NameHistory names = new NameHistory();
  private long moment = 1;

  private int asked(NameOperation operation) {
    return names.asked("c", moment++, operation);
  }

  private void done(int call, long objectId) {
    names.done(call, moment++, Seen.object(objectId, Optional.empty()));
  }

  private void did(NameOperation operation, long objectId) {
    done(asked(operation), objectId);
  }

  private void wasRefused(NameOperation operation, ErrorCode code) {
    names.refused(asked(operation), moment++, code);
  }

  private void assertSound() {
    assertEquals(Optional.empty(), names.check());
    assertEquals(0, names.undecided());
  }

  private void assertWrong(String part) {
    Optional<BrokenRule> found = names.check();
    assertTrue(found.isPresent());
    assertTrue(found.get().text().contains(part), found.get()::text);
  }

  @Test
  void sequentialCallsFollowTheModel() {
    did(new Mkdir("/d"), 10);
    did(new Create("/d/a", false), 11);
    wasRefused(new Create("/d/a", false), ErrorCode.EXISTS);
    did(new Rename("/d/a", "/b", false), 0);
    did(new Look("/b", true), 11);
    wasRefused(new Look("/d/a", true), ErrorCode.NOT_FOUND);
    did(new Unlink("/b"), 0);
    wasRefused(new Unlink("/b"), ErrorCode.NOT_FOUND);
    assertSound();
  }

  /** One sets what is set already, beside one that sets something else, and comes second. */
  @Test
  void aChangeThatWouldChangeNothingNowMayComeLater() {
    did(new Create("/a", false), 10);
    did(new SetXattr("/a", "x", "same"), 0);
    int other = asked(new SetXattr("/a", "x", "other"));
    int same = asked(new SetXattr("/a", "x", "same"));
    done(same, 0);
    done(other, 0);
    int look = asked(new Look("/a", true));
    names.done(look, moment++, Seen.attributes(new TreeMap<>(Map.of("x", "same"))));
    assertSound();
  }

  @Test
  void twoCannotBothMakeOneName() {
    int first = asked(new Create("/a", false));
    int second = asked(new Create("/a", false));
    done(first, 10);
    done(second, 11);
    assertWrong("the model answers EXISTS");
  }

  @Test
  void concurrentCallsMayComeInAnyOrder() {
    did(new Create("/a", false), 10);
    int renamed = asked(new Rename("/a", "/b", false));
    did(new Look("/b", true), 10);
    wasRefused(new Look("/a", true), ErrorCode.NOT_FOUND);
    done(renamed, 0);
    assertSound();
  }

  @Test
  void observedChangeDoesNotGoBack() {
    did(new Create("/a", false), 10);
    int renamed = asked(new Rename("/a", "/b", false));
    did(new Look("/b", true), 10);
    did(new Look("/a", true), 10);
    done(renamed, 0);
    assertWrong("Look[path=/a");
  }

  @Test
  void anAcknowledgedOperationIsNotForgotten() {
    did(new Mkdir("/d"), 10);
    wasRefused(new Look("/d", true), ErrorCode.NOT_FOUND);
    assertWrong("Look[path=/d");
  }

  @Test
  void unansweredCallMayHappenLateOrNever() {
    did(new Create("/a", false), 10);
    asked(new Unlink("/a"));
    did(new Look("/a", true), 10);
    wasRefused(new Look("/a", true), ErrorCode.NOT_FOUND);
    assertSound();
  }

  @Test
  void settledCallDoesNotHappenLater() {
    did(new Create("/a", false), 10);
    asked(new Unlink("/a"));
    names.settled(moment++);
    did(new Look("/a", true), 10);
    wasRefused(new Look("/a", true), ErrorCode.NOT_FOUND);
    assertWrong("Look[path=/a");
  }

  @Test
  void aSettledOperationIsFoundBehindReadsOfSomethingElse() {
    did(new Mkdir("/d"), 9);
    did(new Create("/a", false), 10);
    asked(new Unlink("/a"));
    names.settled(moment++);
    did(new Look("/d", true), 9);
    wasRefused(new Look("/a", true), ErrorCode.NOT_FOUND);
    assertSound();
  }

  @Test
  void nameLeadsToTheSameObjectEachTime() {
    asked(new Create("/a", false));
    did(new Look("/a", true), 12);
    did(new Look("/a", true), 13);
    assertWrong("another object than 12");
  }

  @Test
  void anOverwrittenFileIsAnotherObject() {
    did(new Create("/a", false), 10);
    did(new Create("/a", true), 11);
    did(new Look("/a", true), 10);
    assertWrong("another object than 11");
  }

  @Test
  void listingsAndLinksAreOfOneMoment() {
    did(new Create("/a", false), 10);
    did(new Link("/a", "/b"), 10);
    TreeMap<String, Long> entries = new TreeMap<>();
    entries.put("a", 10L);
    entries.put("b", 10L);
    names.done(asked(new Names("/")), moment++, Seen.listing(entries));
    assertSound();
    entries.remove("a");
    names.done(asked(new Names("/")), moment++, Seen.listing(entries));
    assertWrong("entries [a, b]");
  }

  @Test
  void historiesOfOneFileSystemAreSound() {
    for (long seed = 0; seed < 60; seed++) {
      NameHistory made = history(seed, false);
      assertEquals(Optional.empty(), made.check(), "seed " + seed);
      assertEquals(0, made.undecided(), "seed " + seed);
    }
  }

  @Test
  void aLieInALongHistoryIsFound() {
    int found = 0;
    for (long seed = 0; seed < 60; seed++) {
      found += history(seed, true).check().isPresent() ? 1 : 0;
    }
    assertEquals(60, found);
  }

  /** Three clients at once on one tree, some of them dead before the answer. */
  private static NameHistory history(long seed, boolean lie) {
    SplittableRandom random = new SplittableRandom(seed);
    NameHistory names = new NameHistory();
    NameTree tree = NameTree.empty();
    long moment = 1;
    int lost = 0;
    for (int round = 0; round < 40; round++) {
      int[] calls = new int[3];
      NameOperation[] operations = new NameOperation[3];
      for (int client = 0; client < 3; client++) {
        operations[client] = operation(random);
        calls[client] = names.asked("c" + client, moment++, operations[client]);
      }
      for (int client = 0; client < 3; client++) {
        boolean dies = lost < 8 && random.nextInt(10) == 0;
        lost += dies ? 1 : 0;
        if (dies && random.nextBoolean()) {
          continue;
        }
        try {
          long object = operations[client].changes() ? 100 + calls[client] : 0;
          NameOperation.Result result = operations[client].on(tree, calls[client], object);
          tree = result.after();
          if (!dies) {
            long told = result.node() == null ? 0 : result.node().objectId();
            names.done(calls[client], moment++, Seen.object(told, Optional.empty()));
          }
        } catch (NameRefusal refused) {
          if (!dies) {
            names.refused(calls[client], moment++, refused.code());
          }
        }
      }
    }
    if (lie) {
      int call = names.asked("liar", moment++, new Look("/", true));
      names.done(call, moment, Seen.object(1, Optional.of(NameKind.FILE)));
    }
    return names;
  }

  private static NameOperation operation(SplittableRandom random) {
    String path = "/" + (char) ('a' + random.nextInt(4));
    String other = path + "/" + (char) ('a' + random.nextInt(3));
    return switch (random.nextInt(7)) {
      case 0 -> new Mkdir(path);
      case 1 -> new Create(random.nextBoolean() ? path : other, random.nextBoolean());
      case 2 -> new Unlink(random.nextBoolean() ? path : other);
      case 3 -> new Rename(other, "/" + (char) ('a' + random.nextInt(4)), random.nextBoolean());
      case 4 -> new NameOperation.Rmdir(path);
      case 5 -> new Look(other, true);
      default -> new Look(path, true);
    };
  }
}
