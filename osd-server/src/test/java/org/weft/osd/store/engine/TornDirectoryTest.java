package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.engine.block.BufferRun;

/** A directory's blocks come several at once, and a power loss takes some of them (P 5.9, 6.3). */
class TornDirectoryTest {
  private static final int BLOCK = 4096;
  private static final int MAX_BLOCKS = 6;
  private static final int COMMANDS = 10;
  private static final int DAMAGED = -1;

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.power.seeds", 60));
  }

  /** By number, the first byte of each block after each command; the first state is durable. */
  private final List<SortedMap<Long, Byte>> states = new ArrayList<>();

  @ParameterizedTest
  @MethodSource("seeds")
  void aPowerLossLeavesADirectoryAsAfterOneCommand(long seed) throws Exception {
    RandomGenerator random = new SplittableRandom(seed);
    Rig rig = new Rig(seed, StoreOptions.ofCapacity(Rig.CAPACITY_BYTES));
    write(rig, 1, 0, 1);
    rig.time.pass(TimeUnit.SECONDS.toNanos(12));
    for (int step = 2; step <= COMMANDS; step++) {
      List<Long> numbers = new ArrayList<>(List.of(0L));
      for (long number = 1; number < MAX_BLOCKS; number++) {
        if (random.nextInt(3) == 0) {
          numbers.add(number);
        }
      }
      write(rig, step, numbers.stream().mapToLong(Long::longValue).toArray());
    }
    rig.losePower();
    rig.open();
    SortedMap<Long, Byte> found = read(rig);
    int step = found.get(0L);
    assertTrue(step >= 1, "what a checkpoint covered is there");
    assertEquals(states.get(step - 1), found);
    rig.assertSound();
    // The manager writes anew what is gone.
    for (int next = step + 1; next <= COMMANDS; next++) {
      SortedMap<Long, Byte> after = states.get(next - 1);
      byte lsn = (byte) next;
      send(
          rig,
          next,
          after.keySet().stream()
              .filter(n -> after.get(n) == lsn)
              .mapToLong(Long::longValue)
              .toArray());
    }
    assertEquals(states.get(COMMANDS - 1), read(rig));
    rig.store.close();
  }

  /**
   * No manager mends a block that the directory gave up. When it is used again and that is torn
   * too, a header that stays newer than the block would hide names from redo.
   */
  @ParameterizedTest
  @MethodSource("seeds")
  void anEarlierDamagedBlockDoesNotBlockRestoringTheOthers(long seed) throws Exception {
    Rig rig = new Rig(seed, StoreOptions.ofCapacity(Rig.CAPACITY_BYTES));
    send(rig, 1, 0, 1);
    send(rig, 2, 0);
    rig.time.pass(TimeUnit.SECONDS.toNanos(12));
    rig.segments.rot("segment-00000000", BLOCK + 100);
    assertEquals(new TreeMap<>(Map.of(0L, 2, 1L, DAMAGED)), steps(rig));
    send(rig, 3, 0, 1);
    rig.losePower();
    rig.open();
    SortedMap<Long, Integer> found = steps(rig);
    int step = found.get(0L);
    assertEquals(new TreeMap<>(Map.of(0L, step, 1L, step == 3 ? 3 : DAMAGED)), found);
    send(rig, 3, 0, 1);
    assertEquals(new TreeMap<>(Map.of(0L, 3, 1L, 3)), steps(rig));
    rig.stop();
    rig.assertSound();
  }

  /** Which command wrote each block. */
  private static SortedMap<Long, Integer> steps(Rig rig) throws Exception {
    SortedMap<Long, Integer> steps = new TreeMap<>();
    for (long number = 0; number < 2; number++) {
      var result = rig.store.read(Requests.readOf(1, number * BLOCK, BLOCK));
      ByteBuffer bytes = ByteBuffer.allocate(BLOCK);
      result.payload().buffers().forEach(bytes::put);
      result.payload().release();
      boolean good = BufferRun.crc(bytes.flip()) == result.blockCrcs()[0];
      steps.put(number, good ? (int) bytes.get(0) : DAMAGED);
    }
    return steps;
  }

  private void write(Rig rig, int step, long... numbers) {
    SortedMap<Long, Byte> state =
        states.isEmpty() ? new TreeMap<>() : new TreeMap<>(states.get(states.size() - 1));
    for (long number : numbers) {
      state.put(number, (byte) step);
    }
    states.add(state);
    send(rig, step, numbers);
  }

  private static void send(Rig rig, int step, long... numbers) {
    byte[] data = new byte[numbers.length * BLOCK];
    Arrays.fill(data, (byte) step);
    var unused = rig.apply(Requests.blocks(1, step, data, numbers));
  }

  private static SortedMap<Long, Byte> read(Rig rig) throws Exception {
    SortedMap<Long, Byte> found = new TreeMap<>();
    var result = rig.store.read(Requests.readOf(1, 0, MAX_BLOCKS * BLOCK));
    try {
      Requests.storedBlocks(result, (number, stored, place) -> found.put(number, stored[place]));
    } finally {
      result.payload().release();
    }
    return found;
  }
}
