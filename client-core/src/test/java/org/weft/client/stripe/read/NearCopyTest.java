package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.util.Arrays;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** Of components that hold the same bytes, the one at an OSD of the own host is read (P 5.8). */
class NearCopyTest {
  private static final int SMALL = 5_000;

  /** Components of which something was read since the last look. */
  private final SortedSet<Integer> read = new TreeSet<>();

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 60);
  }

  private StripedFile written(StripeWorld world, int k, int m, byte[] content) {
    StripedFile file = world.newFile(StripeWorld.layout(k, m));
    world.writeAll(file, content);
    for (int component = 0; component < k + m; component++) {
      int number = component;
      world
          .osdOf(file, component)
          .faults(
              opcode -> {
                if (opcode == Opcode.READ) {
                  read.add(number);
                }
                return Fault.NONE;
              });
    }
    return file;
  }

  private static void near(StripeWorld world, StripedFile file, int component) {
    world.near.clear();
    world.near.add(file.map().osdOf(component));
  }

  @ParameterizedTest
  @CsvSource({"2,1", "4,1", "4,2", "3,3"})
  void aSmallFileIsReadFromItsNearCopy(int k, int m) {
    StripeWorld world = new StripeWorld(k * 7L + m, k + m + 1);
    byte[] content = world.bytes(SMALL);
    StripedFile file = written(world, k, m, content);
    for (int component = 0; component < k + m; component++) {
      near(world, file, component);
      read.clear();
      assertArrayEquals(content, world.readAll(world.reader(file, SMALL)));
      // Those behind m hold nothing of a small file.
      assertEquals(Set.of(component <= m ? component : 0), read);
    }
    world.assertNothingLeaks();
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3"})
  void singleUnitStripesAreReadFromNearCopies(int m) {
    StripeWorld world = new StripeWorld(m, m + 2);
    byte[] content = world.bytes(9 * UNIT_BYTES + 77);
    StripedFile file = written(world, 1, m, content);
    for (int component = 0; component <= m; component++) {
      near(world, file, component);
      read.clear();
      assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
      assertEquals(Set.of(component), read);
    }
    world.assertNothingLeaks();
  }

  /** Every unit of a wide stripe is in one place. */
  @Test
  void unitsOfWideStripesAreReadWhereTheyAre() {
    StripeWorld world = new StripeWorld(5, 7);
    byte[] content = world.bytes(4 * UNIT_BYTES);
    StripedFile file = written(world, 4, 2, content);
    near(world, file, file.map().layout().parityComponent(0, 1));
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    SortedSet<Integer> data = new TreeSet<>();
    for (int unit = 0; unit < 4; unit++) {
      data.add(file.map().layout().dataComponent(0, unit));
    }
    assertEquals(data, read);
  }

  @Test
  void lostUnitsAreComputedFromTheNearParity() {
    StripeWorld world = new StripeWorld(6, 7);
    byte[] content = world.bytes(4 * UNIT_BYTES);
    StripedFile file = written(world, 4, 2, content);
    int parity = file.map().layout().parityComponent(0, 1);
    near(world, file, parity);
    int lost = file.map().layout().dataComponent(0, 2);
    assertArrayEquals(
        content, world.readAll(world.reader(StripeWorld.missing(file, lost), content.length)));
    SortedSet<Integer> expected = new TreeSet<>();
    expected.add(parity);
    for (int unit : new int[] {0, 1, 3}) {
      expected.add(file.map().layout().dataComponent(0, unit));
    }
    assertEquals(expected, read);
  }

  /** For a moment copies differ then: all readers look at the same one. */
  @ParameterizedTest
  @CsvSource({"4,2,5000", "1,2,30000"})
  void besideAWriterTheUnitItselfIsRead(int k, int m, int length) {
    StripeWorld world = new StripeWorld(length, k + m + 1);
    byte[] content = world.bytes(length);
    StripedFile file = written(world, k, m, content);
    near(world, file, file.map().layout().parityComponent(0, 0));
    world.osds.forEach(osd -> complete(osd, file));
    StripeReader reader = world.engine.read(file, SMALL, true, world.failures::add);
    assertArrayEquals(Arrays.copyOf(content, SMALL), world.readAll(reader));
    assertEquals(Set.of(0), read);
  }

  private static void complete(FakeOsd osd, StripedFile file) {
    if (osd.objects().contains(file.name())) {
      osd.complete(file.name(), StripeWorld.grantOf(file), Long.MAX_VALUE);
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void nearOrNotEveryLossThatTheCodeBearsIsReadAround(long seed) {
    StripeWorld world = new StripeWorld(seed, 9);
    int k = 1 + world.random.nextInt(4);
    int m = 1 + world.random.nextInt(3);
    byte[] content = world.bytes(1 + world.random.nextInt(3 * k * UNIT_BYTES));
    StripedFile file = world.newFile(StripeWorld.layout(k, m));
    world.writeAll(file, content);
    for (int component = 0; component < k + m; component++) {
      if (world.random.nextBoolean()) {
        world.near.add(file.map().osdOf(component));
      }
    }
    for (int losses = 0; losses < m; losses++) {
      int lost = world.random.nextInt(k + m);
      switch (world.random.nextInt(3)) {
        case 0 -> world.osdOf(file, lost).stop();
        case 1 -> world.osdOf(file, lost).loseObject(file.name());
        default -> world.osdOf(file, lost).faults(opcode -> Fault.SILENCE);
      }
    }
    for (int round = 0; round < 3; round++) {
      assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    }
    world.assertNothingLeaks();
  }
}
