package org.weft.osd.store.kill;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.check.CheckListener;
import org.weft.osd.check.CheckReport;
import org.weft.osd.check.StoreCheck;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.BlockRun;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.system.SystemEnvironment;

/**
 * DESIGN rule 1 for one store: kill -9 at any instruction, under load, and every acknowledged
 * change is there; the one change of each thread that was not acknowledged happened or not, as a
 * whole; the store is sound. {@code -Dweft.kill.rounds=50} kills more often.
 */
class KillStoreTest {
  static final long CAPACITY_BYTES = 96L << 20;

  private static final int BLOCK = Deed.BLOCK;
  private static final Authority READER = Authority.ofManager(1);

  /** What an object should be. */
  private static final class Expected {
    final SortedMap<Long, byte[]> blocks = new TreeMap<>();
    // Those that a manager wrote last: their ids are larger than the writer's.
    final SortedSet<Long> managed = new TreeSet<>();
    byte[] attribute;

    Expected copy() {
      Expected copy = new Expected();
      copy.blocks.putAll(blocks);
      copy.managed.addAll(managed);
      copy.attribute = attribute;
      return copy;
    }
  }

  @TempDir Path folder;

  private final SortedMap<Long, Expected> objects = new TreeMap<>();
  private final int[] acknowledged = new int[Deed.THREADS];
  private final long seed = Long.getLong("weft.kill.seed", 20_261_121L);
  private final SplittableRandom random = new SplittableRandom(seed);

  @Test
  void acknowledgedChangesSurviveKills() throws Exception {
    int rounds = Integer.getInteger("weft.kill.rounds", 2);
    Files.createDirectories(folder.resolve("scratch"));
    try (SystemEnvironment environment = SystemEnvironment.create()) {
      for (int round = 0; round < rounds; round++) {
        runAndKill(round);
        CheckReport report = StoreCheck.run(folder.resolve("store"), true, CheckListener.NONE);
        assertTrue(report.isSound(), () -> report.findings().toString());
        verify(environment);
      }
    }
    System.out.println(
        "kill test of the store: "
            + rounds
            + " rounds, seed "
            + seed
            + ", "
            + Arrays.stream(acknowledged).sum()
            + " acknowledged changes verified");
  }

  /** Kills after a number of acknowledgements drawn at random; notes all that were given. */
  private void runAndKill(int round) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + folder.resolve("scratch"),
                "-cp",
                System.getProperty("java.class.path"),
                KillChild.class.getName(),
                folder.resolve("store").toString(),
                Long.toString(seed)));
    for (int last : acknowledged) {
      // The step that was cut off is done again: a retry.
      command.add(Integer.toString(last + 1));
    }
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("ROCKSDB_SHAREDLIB_DIR", folder.resolve("scratch").toString());
    builder.redirectError(folder.resolve("scratch/child-" + round + ".log").toFile());
    Process child = builder.start();
    long fatal = 1 + random.nextLong(random.nextInt(4) == 0 ? 20 : 4_000);
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      long count = 0;
      for (String line = readLine(out); line != null; line = readLine(out)) {
        assertTrue(!line.startsWith("failed"), line);
        String[] words = line.split(" ", -1);
        acknowledge(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
        if (++count == fatal) {
          // By its handle: what the pipe still holds was acknowledged too.
          child.toHandle().destroyForcibly();
        }
      }
      assertTrue(count >= fatal, "the child ended by itself: see child-" + round + ".log");
    } finally {
      child.destroyForcibly();
      assertTrue(child.waitFor(60, TimeUnit.SECONDS));
    }
  }

  /** A whole line, or null at the end; one that the kill cut short is none. */
  private static String readLine(BufferedReader in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0; c = in.read()) {
      if (c == '\n') {
        return line.toString();
      }
      line.append((char) c);
    }
    return null;
  }

  private void acknowledge(int thread, int step) {
    assertEquals(acknowledged[thread] + 1, step);
    acknowledged[thread]++;
    apply(Deed.of(seed, thread, acknowledged[thread]), objects);
  }

  private static void apply(Deed deed, SortedMap<Long, Expected> objects) {
    if (deed.kind() == Deed.Kind.REMOVAL) {
      objects.remove(deed.object());
      return;
    }
    if (deed.kind() == Deed.Kind.TRUNCATION || deed.kind() == Deed.Kind.PUNCH) {
      if (objects.containsKey(deed.object())) {
        release(deed, objects.get(deed.object()));
      }
      return;
    }
    switch (deed.kind()) {
      case UNDONE_WRITE -> {
        return;
      }
      case XOR, UNDONE_XOR -> {
        if (objects.containsKey(deed.object())) {
          xor(deed, objects.get(deed.object()));
        }
        return;
      }
      default -> {
        // What makes the object.
      }
    }
    Expected expected = objects.computeIfAbsent(deed.object(), id -> new Expected());
    switch (deed.kind()) {
      case ATTRIBUTES -> expected.attribute = deed.data();
      case BLOCKS -> {
        for (int i = 0; i < deed.numbers().length; i++) {
          expected.blocks.put(
              deed.numbers()[i], Arrays.copyOfRange(deed.data(), i * BLOCK, (i + 1) * BLOCK));
          expected.managed.add(deed.numbers()[i]);
        }
      }
      default -> {
        int done = 0;
        while (done < deed.data().length) {
          long position = deed.offset() + done;
          int place = (int) (position % BLOCK);
          int count = Math.min(deed.data().length - done, BLOCK - place);
          byte[] old = expected.blocks.get(position / BLOCK);
          byte[] bytes = old == null ? new byte[BLOCK] : old.clone();
          System.arraycopy(deed.data(), done, bytes, place, count);
          expected.blocks.put(position / BLOCK, bytes);
          expected.managed.remove(position / BLOCK);
          done += count;
        }
      }
    }
  }

  /** An XOR that was undone leaves blocks that hold what was read there before. */
  private static void xor(Deed deed, Expected expected) {
    for (int at = 0; at < deed.data().length; at += BLOCK) {
      long block = (deed.offset() + at) / BLOCK;
      byte[] old = expected.blocks.get(block);
      byte[] bytes = old == null ? new byte[BLOCK] : old.clone();
      for (int i = 0; i < BLOCK && deed.kind() == Deed.Kind.XOR; i++) {
        bytes[i] ^= deed.data()[at + i];
      }
      expected.blocks.put(block, bytes);
      expected.managed.remove(block);
    }
  }

  private static void release(Deed deed, Expected expected) {
    long first = deed.offset() / BLOCK;
    boolean cut = deed.kind() == Deed.Kind.TRUNCATION;
    (cut ? expected.blocks.tailMap(first) : expected.blocks.subMap(first, first + 50))
        .entrySet()
        .removeIf(
            block ->
                !expected.managed.contains(block.getKey())
                    && (cut || Arrays.equals(block.getValue(), new byte[BLOCK])));
  }

  private void verify(SystemEnvironment environment) throws Exception {
    try (ObjectStore store =
        new StoreFolder(folder.resolve("store"))
            .open(StoreOptions.ofCapacity(CAPACITY_BYTES), environment.environment())) {
      long count = 0;
      for (int thread = 0; thread < Deed.THREADS; thread++) {
        Deed cutOff = Deed.of(seed, thread, acknowledged[thread] + 1);
        for (long id = thread * 100L; id < thread * 100L + 100; id++) {
          Expected before = objects.get(id);
          Expected after = before;
          if (id == cutOff.object()) {
            SortedMap<Long, Expected> both = new TreeMap<>();
            if (before != null) {
              both.put(id, before.copy());
            }
            apply(cutOff, both);
            after = both.get(id);
          }
          if (id == cutOff.object() && before != null && cutOff.undoing().isPresent()) {
            // It may have been cut off between the write and its abort.
            Expected between = before.copy();
            written(cutOff, between);
            if (same(read(store, id), between)) {
              after = between;
            }
          }
          count += verify(store, id, before, after) ? 1 : 0;
        }
      }
      assertEquals(count, store.status().objects());
      assertEquals(List.of(), store.status().problems());
    }
  }

  /** Does what the deed undoes. */
  private static void written(Deed cutOff, Expected expected) {
    Deed.Kind kind = cutOff.kind() == Deed.Kind.UNDONE_XOR ? Deed.Kind.XOR : Deed.Kind.WRITE;
    Deed write =
        new Deed(
            kind,
            cutOff.thread(),
            cutOff.step(),
            cutOff.object(),
            cutOff.offset(),
            cutOff.data(),
            null,
            false);
    SortedMap<Long, Expected> alone = new TreeMap<>();
    alone.put(cutOff.object(), expected);
    apply(write, alone);
  }

  /** True if there is such an object. */
  private static boolean verify(ObjectStore store, long id, Expected before, Expected after)
      throws WeftException {
    if (before == null && after == null) {
      return false;
    }
    Expected found = read(store, id);
    if (same(found, after)) {
      return found != null;
    }
    if (before != null && found != null) {
      assertEquals(before.blocks.keySet(), found.blocks.keySet(), "object " + id);
      before.blocks.forEach(
          (block, bytes) ->
              assertArrayEquals(
                  bytes, found.blocks.get(block), "object " + id + ", block " + block));
    }
    assertTrue(same(found, before), "object " + id);
    return found != null;
  }

  private static boolean same(Expected one, Expected other) {
    if (one == null || other == null) {
      return one == other;
    }
    return Arrays.equals(one.attribute, other.attribute)
        && one.blocks.keySet().equals(other.blocks.keySet())
        && one.blocks.keySet().stream()
            .allMatch(block -> Arrays.equals(one.blocks.get(block), other.blocks.get(block)));
  }

  private static Expected read(ObjectStore store, long id) throws WeftException {
    Expected found = new Expected();
    var name = org.weft.protocol.id.ObjectName.of(Deed.PARTITION.value(), id);
    try {
      for (AttributeValue page : store.attributes(name, READER, 0).pages()) {
        found.attribute = page.value();
      }
    } catch (WeftException e) {
      assertEquals(ErrorCode.NO_SUCH_OBJECT, e.code());
      return null;
    }
    StoredRange result = store.read(new ObjectRead(name, READER, 0, 1 << 20, false));
    ByteBuffer bytes = ByteBuffer.allocate(result.payload().lengthBytes());
    result.payload().buffers().forEach(bytes::put);
    result.payload().release();
    bytes.flip();
    for (BlockRun run : result.runs()) {
      for (int i = 0; i < run.blockCount(); i++) {
        byte[] block = new byte[BLOCK];
        bytes.get(block);
        found.blocks.put(run.firstBlock() + i, block);
      }
    }
    return found;
  }
}
