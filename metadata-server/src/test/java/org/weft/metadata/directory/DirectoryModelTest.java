package org.weft.metadata.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.metadata.attributes.NodeKind;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/** P 6.7: a directory of blocks against a sorted map. */
class DirectoryModelTest {
  private static final HashKey KEY = new HashKey(5, 6);

  /** So few places that names collide all the time. */
  private static final NameHash WEAK =
      (key, name) -> (NameHash.KEYED.placeOf(key, name) & 0x1ff00L) << 46;

  /** Many places, alike in their highest 30 bits: a deep index. */
  private static final NameHash DEEP =
      (key, name) -> NameHash.KEYED.placeOf(key, name) >>> 30 & ~0xffL | 0x2AAAAAAA00000000L;

  private static NameHash hash(String name) {
    return switch (name) {
      case "weak" -> WEAK;
      case "deep" -> DEEP;
      default -> NameHash.KEYED;
    };
  }

  /** A directory and what should be in it. */
  private static final class Fixture {
    final MemoryBlocks blocks;
    final Directory directory;
    final TreeMap<String, DirectoryEntry> model = new TreeMap<>();
    final Random random;
    long index;

    Fixture(boolean cold, NameHash hash, long seed) {
      blocks = new MemoryBlocks(cold);
      directory = new Directory(blocks, hash);
      random = new Random(seed);
      directory.create(KEY, nextLsn());
    }

    Lsn nextLsn() {
      return Lsn.of(1, ++index);
    }

    <T> T run(Supplier<BlockResult<T>> operation) {
      while (true) {
        BlockResult<T> result = operation.get();
        if (result.blocks().isEmpty()) {
          return result.value();
        }
        blocks.load(result.blocks());
      }
    }

    DirectoryEntry entry() {
      List<OsdId> hints = new ArrayList<>();
      for (int hint = random.nextInt(4); hint > 0; hint--) {
        hints.add(new OsdId(random.nextInt(100)));
      }
      return new DirectoryEntry(
          new ObjectId(random.nextLong() >>> 1), NodeKind.FILE, Lsn.of(1, index + 1), hints);
    }

    void put(String name) {
      DirectoryEntry entry = entry();
      Lsn lsn = nextLsn();
      boolean isNew = run(() -> directory.put(name, entry, lsn));
      assertEquals(model.put(name, entry) == null, isNew, name);
    }

    void remove(String name) {
      Lsn lsn = nextLsn();
      boolean existed = run(() -> directory.remove(name, lsn));
      assertEquals(model.remove(name) != null, existed, name);
    }

    List<NamedEntry> list(int pageSize) {
      List<NamedEntry> all = new ArrayList<>();
      long cookie = 0;
      while (true) {
        long after = cookie;
        DirectoryPage page = run(() -> directory.list(after, pageSize));
        assertTrue(page.entries().size() <= pageSize);
        for (NamedEntry entry : page.entries()) {
          assertTrue(entry.cookie() > cookie, "in the order of cookies");
          cookie = entry.cookie();
        }
        all.addAll(page.entries());
        if (page.end()) {
          return all;
        }
        assertEquals(pageSize, page.entries().size());
      }
    }

    void check() {
      assertEquals((long) model.size(), run(directory::entryCount));
      TreeMap<String, DirectoryEntry> listed = new TreeMap<>();
      for (NamedEntry entry : list(1 + random.nextInt(50))) {
        assertEquals(null, listed.put(entry.name(), entry.entry()), "listed twice");
      }
      assertEquals(model, listed);
      blocks.disk.forEach(
          (number, block) ->
              assertEquals(
                  Optional.empty(), DirectoryBlock.problemOf(MemoryBlocks.ID, number, block)));
    }
  }

  /** Names of 1 to 255 bytes, many of them used again. */
  private static String name(Random random, int space) {
    int number = random.nextInt(space);
    String name = "n" + number;
    int length =
        switch (number % 5) {
          case 0 -> 255;
          case 1 -> 120;
          default -> name.length();
        };
    return name + "x".repeat(length - name.length());
  }

  private static String prefixed(String prefix, Random random) {
    String name = prefix + name(random, 2_000);
    return name.substring(0, Math.min(255, name.length()));
  }

  @ParameterizedTest
  @CsvSource({
    "keyed, 300, 1",
    "keyed, 3000, 2",
    "weak, 300, 3",
    "deep, 300, 4",
    "deep, 2000, 5",
    "weak, 100, 6",
    "keyed, 20, 7"
  })
  void randomOperationsGiveWhatAMapGives(String hash, int space, long seed) {
    Fixture fixture = new Fixture(true, hash(hash), seed);
    Random random = fixture.random;
    for (int step = 0; step < 12_000; step++) {
      String name = name(random, space);
      // Grows in one phase, shrinks in the next.
      int shareOfPuts = step / 2_000 % 2 == 0 ? 7 : 3;
      if (random.nextInt(10) < shareOfPuts) {
        fixture.put(name);
      } else {
        fixture.remove(name);
      }
      String asked = name(random, space);
      assertEquals(
          Optional.ofNullable(fixture.model.get(asked)),
          fixture.run(() -> fixture.directory.lookup(asked)));
      if (step % 1_000 == 999) {
        fixture.check();
        fixture.blocks.forgetAll();
      }
    }
    for (String name : List.copyOf(fixture.model.keySet())) {
      fixture.remove(name);
    }
    fixture.check();
    assertEquals(1, fixture.run(fixture.directory::endBlock), "an empty directory starts anew");
  }

  /** What a directory gave up is taken again: buckets, index nodes, and slots that led nowhere. */
  @ParameterizedTest
  @CsvSource({
    "keyed, 2500, 0, 1",
    "keyed, 600, 3, 2",
    "deep, 2500, 2, 3",
    "deep, 600, 0, 4",
    "weak, 400, 1, 5",
    "weak, 400, 5, 6"
  })
  void aDirectoryThatShrinksToAFewNamesIsFilledAgain(String hash, int names, int left, long seed) {
    Fixture fixture = new Fixture(true, hash(hash), seed);
    Random random = fixture.random;
    int mostBlocks = 0;
    for (int round = 0; round < 5; round++) {
      while (fixture.model.size() < names) {
        fixture.put(name(random, 3 * names));
        forgetNowAndThen(fixture);
      }
      fixture.check();
      int blocks = fixture.run(fixture.directory::endBlock);
      assertTrue(round == 0 || blocks <= 2 * mostBlocks, blocks + " blocks in round " + round);
      mostBlocks = Math.max(mostBlocks, blocks);
      List<String> leaving = new ArrayList<>(fixture.model.keySet());
      Collections.shuffle(leaving, random);
      for (String name : leaving.subList(left, leaving.size())) {
        fixture.remove(name);
        forgetNowAndThen(fixture);
      }
      fixture.check();
    }
  }

  private static void forgetNowAndThen(Fixture fixture) {
    if (fixture.random.nextInt(200) == 0) {
      fixture.blocks.forgetAll();
    }
  }

  @Test
  void aHundredThousandEntriesAreFoundWithFewBlocks() {
    Fixture fixture = new Fixture(true, NameHash.KEYED, 1);
    int count = 100_000;
    for (int index = 0; index < count; index++) {
      fixture.put("part-" + index);
    }
    fixture.check();
    int most = 0;
    for (int round = 0; round < 500; round++) {
      String name = "part-" + fixture.random.nextInt(count);
      fixture.blocks.forgetAll();
      assertEquals(
          Optional.of(fixture.model.get(name)), fixture.run(() -> fixture.directory.lookup(name)));
      most = Math.max(most, fixture.blocks.loads);
    }
    assertTrue(most <= 3, "a cold lookup loaded " + most + " blocks");
    assertTrue(
        fixture.blocks.disk.size() < count / 35, "blocks in all: " + fixture.blocks.disk.size());
    fixture.blocks.forgetAll();
    assertEquals(1_000, fixture.run(() -> fixture.directory.list(0, 1_000)).entries().size());
    assertTrue(fixture.blocks.loads < 60, "a page loaded " + fixture.blocks.loads + " blocks");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aListingReturnsEveryStableEntryOnceWhileOthersComeAndGo(long seed) {
    NameHash hash = seed % 3 == 0 ? WEAK : seed % 3 == 1 ? NameHash.KEYED : DEEP;
    Fixture fixture = new Fixture(false, hash, seed);
    Random random = fixture.random;
    Set<String> stable = new TreeSet<>();
    for (int index = 0; index < 400; index++) {
      String name = prefixed(index % 2 == 0 ? "stable" : "moving", random);
      fixture.put(name);
      if (index % 2 == 0) {
        stable.add(name);
      }
    }
    Set<String> seen = new HashSet<>();
    long cookie = 0;
    while (true) {
      DirectoryPage page = fixture.directory.list(cookie, 1 + random.nextInt(10)).value();
      for (NamedEntry entry : page.entries()) {
        cookie = entry.cookie();
        assertTrue(seen.add(entry.name()) || !stable.contains(entry.name()), entry.name());
      }
      if (page.end()) {
        break;
      }
      for (int change = random.nextInt(20); change > 0; change--) {
        String name = prefixed("moving", random);
        if (random.nextBoolean()) {
          fixture.put(name);
        } else {
          fixture.remove(name);
        }
        if (random.nextInt(4) == 0) {
          fixture.put(List.copyOf(stable).get(random.nextInt(stable.size())));
        }
      }
    }
    assertTrue(seen.containsAll(stable));
    fixture.check();
  }

  @ParameterizedTest
  @CsvSource({"keyed, 1", "weak, 2", "deep, 3", "keyed, 4"})
  void redoFromAnyPrefixGivesTheSameBlocks(String hash, long seed) {
    Fixture fixture = new Fixture(false, hash(hash), seed);
    Random random = fixture.random;
    record Step(Lsn lsn, String name, DirectoryEntry entry) {}
    List<Step> steps = new ArrayList<>();
    List<MemoryBlocks> states = new ArrayList<>();
    for (int index = 0; index < 600; index++) {
      states.add(fixture.blocks.copy());
      boolean put = random.nextInt(10) < (index / 150 % 2 == 0 ? 9 : 2);
      DirectoryEntry entry = put ? fixture.entry() : null;
      Step step = new Step(fixture.nextLsn(), name(random, 200), entry);
      steps.add(step);
      apply(fixture.directory, step.lsn(), step.name(), step.entry());
    }
    for (int from = 0; from < steps.size(); from += 7) {
      MemoryBlocks replayed = states.get(from);
      Directory directory = new Directory(replayed, hash(hash));
      for (Step step : steps) {
        // The rule of redo: what the directory has seen is not applied again.
        if (step.lsn().compareTo(directory.lsn().value()) > 0) {
          apply(directory, step.lsn(), step.name(), step.entry());
        }
      }
      assertTrue(replayed.sameAs(fixture.blocks), "from " + from);
    }
  }

  private static void apply(Directory directory, Lsn lsn, String name, DirectoryEntry entry) {
    if (entry != null) {
      directory.put(name, entry, lsn).value();
    } else {
      directory.remove(name, lsn).value();
    }
  }

  @Test
  void aChangeReachesFewBlocks() {
    Fixture fixture = new Fixture(false, NameHash.KEYED, 9);
    int most = 0;
    MemoryBlocks before = fixture.blocks.copy();
    for (int index = 0; index < 20_000; index++) {
      before.disk.putAll(fixture.blocks.disk);
      fixture.put("f" + index);
      int changed = 0;
      for (var block : fixture.blocks.disk.entrySet()) {
        changed += before.disk.get(block.getKey()) == block.getValue() ? 0 : 1;
      }
      most = Math.max(most, changed);
    }
    assertTrue(most <= 5, "one change wrote " + most + " blocks");
  }

  @Test
  void namesAreBytesOfUtf8AndNothingIsFolded() {
    Fixture fixture = new Fixture(false, NameHash.KEYED, 10);
    for (String name :
        List.of(
            "a", "A", "é", "e\u0301", " ", "a b", "日本", "😀", "x".repeat(255), "é".repeat(127))) {
      assertTrue(name.getBytes(StandardCharsets.UTF_8).length <= 255);
      fixture.put(name);
    }
    fixture.check();
  }
}
