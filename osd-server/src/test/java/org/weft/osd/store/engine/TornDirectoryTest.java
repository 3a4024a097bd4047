package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.osd.store.StoreOptions;

/** A directory's blocks come several at once, and a power loss takes some of them (P 5.9, 6.3). */
class TornDirectoryTest {
  private static final int BLOCK = 4096;
  private static final int MOST_BLOCKS = 6;
  private static final int COMMANDS = 10;

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.power.seeds", 60));
  }

  /** By number, the first byte of each block after each command; the first state is durable. */
  private final List<SortedMap<Long, Byte>> states = new ArrayList<>();

  @ParameterizedTest
  @MethodSource("seeds")
  void aDirectoryIsWhatItWasAfterOneOfItsCommands(long seed) throws Exception {
    RandomGenerator random = new SplittableRandom(seed);
    Rig rig = new Rig(seed, StoreOptions.ofCapacity(Rig.CAPACITY_BYTES));
    write(rig, 1, 0, 1);
    rig.time.pass(TimeUnit.SECONDS.toNanos(12));
    for (int step = 2; step <= COMMANDS; step++) {
      List<Long> numbers = new ArrayList<>(List.of(0L));
      for (long number = 1; number < MOST_BLOCKS; number++) {
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
    var result = rig.store.read(Requests.readOf(1, 0, MOST_BLOCKS * BLOCK));
    try {
      Requests.storedBlocks(result, (number, stored, place) -> found.put(number, stored[place]));
    } finally {
      result.payload().release();
    }
    return found;
  }
}
