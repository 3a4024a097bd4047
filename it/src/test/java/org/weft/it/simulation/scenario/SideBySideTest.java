package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.UpdateOptions;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.base.WorldOptions;

/**
 * Calls on open files that are under way at the same time, against a model of the bytes (P 5.3,
 * 6.5). They write bytes apart, in the same stripes too, within the file, at its end and behind it.
 * They also read what is being written.
 */
class SideBySideTest {
  private static final String PATH = "/file";
  private static final int MAX_BYTES = 20 * Stage.STRIPE;
  private static final int ROUNDS = 30;
  private static final int CALLS = 12;

  private Stage stage;
  private Random random;
  private final List<WeftFile> files = new ArrayList<>();
  private byte[] before = new byte[MAX_BYTES];
  private final byte[] after = new byte[MAX_BYTES];
  private int length;

  /** As far as the writes of the round make it. */
  private int reached;

  /** A read that is under way. */
  private record Reading(int position, ByteBuffer target, CompletableFuture<Integer> count) {}

  private void open(long seed, int clients, UpdateOptions options) throws WeftException {
    stage = Stage.boot(WorldOptions.of(seed));
    random = new Random(seed);
    stage.put(stage.client(), PATH, Stage.WIDE, new byte[0]);
    for (int each = 0; each < clients; each++) {
      files.add(stage.call(stage.client().files().openForUpdate(WeftPath.of(PATH), options)));
    }
  }

  private WeftFile any() {
    return files.get(random.nextInt(files.size()));
  }

  /** Writes bytes that no other call of the round writes. */
  private CompletableFuture<Void> write(boolean[] taken) {
    int most = random.nextInt(4) == 0 ? 3 * Stage.STRIPE : 900;
    int reach = Math.min(MAX_BYTES - most, length + (random.nextInt(6) == 0 ? 40_000 : 2_000));
    int from = random.nextInt(3) == 0 ? Math.min(length, reach) : random.nextInt(reach + 1);
    int to = from + 1 + random.nextInt(most);
    for (int at = from; at < to; at++) {
      if (taken[at]) {
        to = at;
      }
    }
    if (to <= from) {
      return CompletableFuture.completedFuture(null);
    }
    Arrays.fill(taken, from, to, true);
    byte[] bytes = new byte[to - from];
    random.nextBytes(bytes);
    System.arraycopy(bytes, 0, after, from, bytes.length);
    reached = Math.max(reached, to);
    return any().write(from, ByteBuffer.wrap(bytes));
  }

  private Reading read() {
    int from = random.nextInt(length + 1);
    ByteBuffer target = ByteBuffer.allocate(1 + random.nextInt(2 * Stage.STRIPE));
    return new Reading(from, target, any().read(from, target));
  }

  private void round() throws WeftException {
    boolean[] taken = new boolean[MAX_BYTES];
    List<CompletableFuture<?>> calls = new ArrayList<>();
    List<Reading> readings = new ArrayList<>();
    reached = length;
    for (int each = 0; each < CALLS; each++) {
      switch (random.nextInt(8)) {
        case 0, 1 -> readings.add(read());
        case 2 -> calls.add(random.nextBoolean() ? any().hsync() : any().hflush());
        default -> calls.add(write(taken));
      }
    }
    for (CompletableFuture<?> call : calls) {
      var unused = stage.call(call);
    }
    for (Reading reading : readings) {
      check(reading);
    }
    if (files.size() > 1) {
      // What one has gathered the others cannot see before.
      for (WeftFile file : files) {
        var unused = stage.call(file.hflush());
      }
    }
    length = reached;
    before = after.clone();
  }

  /** Each byte is as it was, or as a write of the round made it. */
  private void check(Reading reading) throws WeftException {
    int count = Math.max(0, stage.call(reading.count()));
    int least = Math.max(0, Math.min(reading.target().capacity(), length - reading.position()));
    assertTrue(files.size() > 1 || count >= least, "it read " + count + " of " + least);
    for (int at = 0; at < count; at++) {
      byte seen = reading.target().get(at);
      int position = reading.position() + at;
      assertTrue(
          seen == before[position] || seen == after[position], "byte " + position + " is " + seen);
    }
  }

  private void runAndClose() throws WeftException {
    for (int each = 0; each < ROUNDS; each++) {
      round();
    }
    for (WeftFile file : files) {
      var unused = stage.call(file.close());
    }
    stage.assertHolds(PATH, Arrays.copyOf(after, length));
    assertEquals(length, stage.read(stage.client(), PATH).length);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void concurrentCallsOnOneHandleKeepTheirBytes(long seed) throws Exception {
    open(seed, 1, UpdateOptions.alone());
    runAndClose();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void concurrentCallsOnAGatheringHandleKeepTheirBytes(long seed) throws Exception {
    open(seed, 1, UpdateOptions.alone().withGathering(UpdateOptions.MIN_GATHER_BYTES, 50));
    runAndClose();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void severalClientsThatShareAFileHoldWhatWasWritten(long seed) throws Exception {
    open(seed, 3, UpdateOptions.alone().withShared(true));
    runAndClose();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void severalClientsThatShareAFileAndGatherHoldWhatWasWritten(long seed) throws Exception {
    open(
        seed,
        3,
        UpdateOptions.alone().withShared(true).withGathering(UpdateOptions.MIN_GATHER_BYTES, 50));
    runAndClose();
  }
}
