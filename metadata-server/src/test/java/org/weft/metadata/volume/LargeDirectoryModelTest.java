package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileKind;

/**
 * A directory that grows to thousands of names, shrinks to a few, and is filled again, compared
 * with a set of names. Buckets split and vanish, its index grows, and blocks are used again (P
 * 6.7). Then restarts from two prefixes of the journal, which must show what was there then. {@code
 * -Dweft.model.directories=N} runs more, {@code -Dweft.model.names=N} larger ones.
 */
class LargeDirectoryModelTest {
  private static final int MAX_NAMES = Integer.getInteger("weft.model.names", 2_500);
  private static final int NAMES_LEFT = 7;
  private static final int ROUNDS = 2;
  private static final int MAX_NAME_CHARS = 200;
  private static final int[] PAGES = {3, 37, 1_000};

  /** What was to be seen after so many records. */
  private record Seen(int records, List<String> names) {}

  private final SortedSet<String> names = new TreeSet<>();
  private final List<Seen> history = new ArrayList<>();
  private Random random;
  private TestVolume volume;
  private TestClient client;
  private int made;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Long.getLong("weft.model.directories", 1));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void directoryKeepsItsNamesThroughGrowthAndShrinking(long seed) throws WeftException {
    random = new Random(seed);
    volume = TestVolume.formatted(seed);
    client = volume.superuser();
    client.mkdir("/large");
    client.mkdir("/other");
    for (int round = 0; round < ROUNDS; round++) {
      grow(MAX_NAMES);
      compare();
      shrink(NAMES_LEFT);
      compare();
    }
    shrink(0);
    compare();
    grow(MAX_NAMES / 10);
    compare();
    // After it was filled again, and the end.
    for (Seen seen : List.of(history.get(2), history.get(history.size() - 1))) {
      TestVolume restarted = volume.restarted(seen.records());
      assertEquals(seen.names(), list(restarted.superuser(), 1_000), "replay of " + seen.records());
    }
  }

  private static String at(String name) {
    return "/large/" + name;
  }

  private String fresh() {
    return made++ + "x".repeat(random.nextInt(MAX_NAME_CHARS));
  }

  private void grow(int count) throws WeftException {
    while (names.size() < count) {
      String name = fresh();
      switch (random.nextInt(8)) {
        case 0 -> client.mkdir(at(name));
        case 1 -> {
          client.mkdir("/other/" + name);
          client.rename("/other/" + name, at(name));
        }
        default -> client.symlink("target", at(name));
      }
      names.add(name);
    }
  }

  /** In an order that has nothing to do with where they stand. */
  private void shrink(int count) throws WeftException {
    List<String> order = new ArrayList<>(names);
    Collections.shuffle(order, random);
    for (String name : order.subList(count, order.size())) {
      if (random.nextInt(8) == 0) {
        client.rename(at(name), "/other/" + name);
      } else {
        remove(at(name));
      }
      names.remove(name);
    }
  }

  private void remove(String path) throws WeftException {
    if (client.linkAttributes(path).getKind() == FileKind.DIRECTORY) {
      client.rmdir(path);
    } else {
      client.unlink(path);
    }
  }

  private void compare() throws WeftException {
    List<String> expected = List.copyOf(names);
    for (int page : PAGES) {
      if (page < NAMES_LEFT && expected.size() > NAMES_LEFT) {
        continue;
      }
      assertEquals(expected, list(client, page), "pages of " + page);
    }
    history.add(new Seen(volume.records().size(), expected));
  }

  private static List<String> list(TestClient client, int page) throws WeftException {
    return client.list("/large", page).stream().map(DirectoryEntry::getName).sorted().toList();
  }
}
