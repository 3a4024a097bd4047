package org.weft.client.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DESIGN 4 and P 4.1: any m lost units come back, for every shape of the code. */
class ErasureCodeTest {
  private static final int SMALL_K = 6;

  static Stream<Arguments> smallShapes() {
    List<Arguments> shapes = new ArrayList<>();
    for (int k = 1; k <= SMALL_K; k++) {
      for (int m = 0; m <= 3; m++) {
        shapes.add(Arguments.of(k, m));
      }
    }
    return shapes.stream();
  }

  @ParameterizedTest
  @MethodSource("smallShapes")
  void parityMatchesItsDefinition(int k, int m) {
    Random random = new Random(31L * k + m);
    for (int length : new int[] {0, 1, 7, 8, 9, 4095, 4096, 4097, 9001}) {
      byte[][] data = unitsUpTo(random, k, length);
      ByteBuffer[] parity = emptyUnits(random, m, length);
      new ErasureCode(k, m).encode(wrap(random, data), parity);
      for (int j = 0; j < m; j++) {
        assertArrayEquals(SlowCode.parity(data, j, length), bytesOf(parity[j]));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("smallShapes")
  void everyLossThatTheCodeBearsIsMadeGood(int k, int m) {
    Random random = new Random(77L * k + m);
    int length = 5000 + random.nextInt(50);
    byte[][] units = stripe(random, k, m, length);
    for (int pattern = 0; pattern < 1 << (k + m); pattern++) {
      if (Integer.bitCount(pattern) <= m) {
        assertRebuilds(random, k, m, units, pattern);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void wideStripesAreMadeGoodToo(long seed) {
    Random random = new Random(seed);
    int k = seed == 1 ? 255 : 7 + random.nextInt(249);
    int m = 1 + random.nextInt(3);
    int length = 1 + random.nextInt(6000);
    byte[][] units = stripe(random, k, m, length);
    for (int j = 0; j < m; j++) {
      assertArrayEquals(
          SlowCode.parity(java.util.Arrays.copyOf(units, k), j, length), units[k + j]);
    }
    for (int round = 0; round < 20; round++) {
      List<Integer> lost = new ArrayList<>();
      while (lost.size() < m) {
        int unit = random.nextInt(k + m);
        if (!lost.contains(unit)) {
          lost.add(unit);
        }
      }
      assertRebuilds(random, k, m, units, lost);
    }
  }

  @Test
  void parityOfOneDataUnitIsItsMirrorForEveryShape() {
    Random random = new Random(5);
    for (int k : new int[] {1, 2, 3, 8, 32, 255}) {
      byte[][] data = new byte[k][0];
      data[0] = random(random, 4500);
      ByteBuffer[] parity = emptyUnits(random, 3, 4500);
      new ErasureCode(k, 3).encode(wrap(random, data), parity);
      for (ByteBuffer mirror : parity) {
        assertArrayEquals(data[0], bytesOf(mirror));
      }
    }
  }

  @Test
  void aFlippedBitIsSeenInEveryParityThatItTouches() {
    Random random = new Random(9);
    int k = 5;
    int m = 3;
    byte[][] units = stripe(random, k, m, 9000);
    ErasureCode code = new ErasureCode(k, m);
    assertEquals(0, wrongParities(code, units));
    units[0][8999] ^= 1;
    assertEquals(0b111, wrongParities(code, units));
    units[0][8999] ^= 1;
    units[k + 1][4096] ^= 0x40;
    assertEquals(0b010, wrongParities(code, units));
  }

  @Test
  void aParityThatIsTooShortReadsAsZerosBehindItsEnd() {
    Random random = new Random(10);
    byte[][] units = stripe(random, 3, 1, 6000);
    units[3] = java.util.Arrays.copyOf(units[3], 5000);
    assertEquals(1, wrongParities(new ErasureCode(3, 1), units));
  }

  @Test
  void aParityThatIsNotAtHandIsNotLookedAt() {
    Random random = new Random(11);
    byte[][] units = stripe(random, 4, 2, 100);
    ByteBuffer[] parity = {null, ByteBuffer.wrap(units[5])};
    ByteBuffer[] data = wrap(random, java.util.Arrays.copyOf(units, 4));
    assertEquals(0, new ErasureCode(4, 2).wrongParities(data, parity));
  }

  @Test
  void moreLossesThanParitiesAreRefused() {
    Random random = new Random(12);
    byte[][] units = stripe(random, 4, 2, 100);
    ByteBuffer[] present = wrap(random, units);
    present[0] = null;
    present[1] = null;
    present[4] = null;
    IllegalArgumentException refusal =
        assertThrows(
            IllegalArgumentException.class,
            () -> new ErasureCode(4, 2).reconstruct(present, new ByteBuffer[6]));
    assertEquals("2 data units are lost and only 1 parities are at hand", refusal.getMessage());
  }

  @Test
  void shapesOutOfRangeAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new ErasureCode(0, 1));
    assertThrows(IllegalArgumentException.class, () -> new ErasureCode(256, 1));
    assertThrows(IllegalArgumentException.class, () -> new ErasureCode(4, 4));
    assertThrows(IllegalArgumentException.class, () -> new ErasureCode(4, -1));
    ByteBuffer[] data = {ByteBuffer.allocate(8), ByteBuffer.allocate(8)};
    ByteBuffer[] tooShort = {ByteBuffer.allocate(7)};
    assertThrows(
        IllegalArgumentException.class, () -> new ErasureCode(2, 1).encode(data, tooShort));
  }

  @Test
  void additionChangesOnlyTheUnitsBytes() {
    Random random = new Random(9);
    ErasureCode code = new ErasureCode(4, 1);
    for (int length : new int[] {0, 1, 7, 8, 9, 4095, 4096, 4097, 9001}) {
      byte[][] units = {random(random, length), random(random, length)};
      ByteBuffer[] both = wrap(random, units);
      ByteBuffer around = both[0].duplicate().clear();
      byte[] before = bytesOf(around);
      code.add(both[0], both[1]);
      byte[] expected = before.clone();
      System.arraycopy(SlowCode.parity(units, 0, length), 0, expected, both[0].position(), length);
      assertArrayEquals(expected, bytesOf(around), "the sum");
      assertArrayEquals(units[1], bytesOf(both[1]), "what was added");
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> code.add(ByteBuffer.allocate(8), ByteBuffer.allocate(9)));
  }

  private static int wrongParities(ErasureCode code, byte[][] units) {
    int k = code.dataUnits();
    ByteBuffer[] all = wrap(new Random(1), units);
    return code.wrongParities(
        java.util.Arrays.copyOf(all, k), java.util.Arrays.copyOfRange(all, k, all.length));
  }

  private static void assertRebuilds(Random random, int k, int m, byte[][] units, int pattern) {
    List<Integer> lost = new ArrayList<>();
    for (int unit = 0; unit < k + m; unit++) {
      if ((pattern & 1 << unit) != 0) {
        lost.add(unit);
      }
    }
    assertRebuilds(random, k, m, units, lost);
  }

  private static void assertRebuilds(
      Random random, int k, int m, byte[][] units, List<Integer> lost) {
    ByteBuffer[] present = wrap(random, units);
    ByteBuffer[] wanted = new ByteBuffer[k + m];
    for (int unit : lost) {
      present[unit] = null;
      wanted[unit] = emptyUnits(random, 1, units[unit].length)[0];
    }
    new ErasureCode(k, m).reconstruct(present, wanted);
    for (int unit : lost) {
      assertArrayEquals(units[unit], bytesOf(wanted[unit]), "unit " + unit + " of lost " + lost);
    }
  }

  /** Data units of different lengths, and their parities. */
  private static byte[][] stripe(Random random, int k, int m, int length) {
    byte[][] data = unitsUpTo(random, k, length);
    ByteBuffer[] parity = emptyUnits(random, m, length);
    new ErasureCode(k, m).encode(wrap(random, data), parity);
    byte[][] units = java.util.Arrays.copyOf(data, k + m);
    for (int j = 0; j < m; j++) {
      units[k + j] = bytesOf(parity[j]);
    }
    return units;
  }

  private static byte[][] unitsUpTo(Random random, int k, int longest) {
    byte[][] units = new byte[k][];
    for (int i = 0; i < k; i++) {
      units[i] = random(random, i == 0 ? longest : random.nextInt(longest + 1));
    }
    return units;
  }

  private static byte[] random(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** On the heap or not, with a position or not, aligned or not. */
  private static ByteBuffer[] wrap(Random random, byte[][] units) {
    ByteBuffer[] buffers = new ByteBuffer[units.length];
    for (int i = 0; i < units.length; i++) {
      buffers[i] = emptyUnits(random, 1, units[i].length)[0];
      buffers[i].put(buffers[i].position(), units[i]);
    }
    return buffers;
  }

  private static ByteBuffer[] emptyUnits(Random random, int count, int length) {
    ByteBuffer[] buffers = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      int before = random.nextInt(20);
      int capacity = before + length + random.nextInt(20);
      ByteBuffer buffer =
          random.nextBoolean()
              ? ByteBuffer.allocate(capacity)
              : ByteBuffer.allocateDirect(capacity);
      buffers[i] = buffer.position(before).limit(before + length);
    }
    return buffers;
  }

  private static byte[] bytesOf(ByteBuffer unit) {
    byte[] bytes = new byte[unit.remaining()];
    unit.duplicate().get(bytes);
    return bytes;
  }
}
