package org.weft.recovery.resolve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.recovery.Resolving;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/**
 * A writer dies between any two messages of stripe writes and XOR writes; up to m components are
 * lost, at once and while managers resolve, which die between any two messages as well (P 5.5,
 * 5.8). No acknowledged byte changes, every other write is there as a whole or not at all, and
 * whatever the code bears can be lost afterwards.
 */
class ResolveCrashTest {
  private static final int UNIT_BYTES = 8192;
  private static final Set<Opcode> CHANGING =
      EnumSet.of(Opcode.WRITE, Opcode.XOR_READ_WRITE, Opcode.XOR_WRITE, Opcode.COMPLETE);

  static LongStream seeds() {
    return LongStream.rangeClosed(
        Long.getLong("weft.resolve.first", 1),
        Long.getLong("weft.resolve.first", 1) + Long.getLong("weft.resolve.seeds", 150) - 1);
  }

  private StripeWorld world;
  private ObjectName name;
  private StorageMap map;
  private PlainWriter writer;
  private byte[] content;

  @ParameterizedTest
  @MethodSource("seeds")
  void everyWriteIsThereOrNotAndAcknowledgedOnesAre(long seed) {
    world = new StripeWorld(seed, 12);
    Layout layout =
        new Layout(1 + world.random.nextInt(4), world.random.nextInt(4), UNIT_BYTES, 2, 1);
    StripedFile file = world.newFile(layout);
    name = file.name();
    map = file.map();
    int stripes = 1 + world.random.nextInt(3);
    content = world.bytes(stripes * (int) layout.stripeBytes());
    world.writeAll(file, content);

    WriteTerms terms = world.reopened(name, map, 0);
    writer = new PlainWriter(world, terms, content);
    writeUntilDeath();
    content = writer.acknowledgedBytes();
    Resolving resolving =
        new Resolving(world, name, terms.grant().number(), content.length, 0, false);
    while (world.random.nextInt(3) != 0) {
      loseSome();
      if (!resolving.interrupt(map, world.random.nextInt(24))) {
        break;
      }
    }
    loseSome();
    ResolveOutcome outcome = resolving.resolve(map);
    assertEquals(content.length, outcome.sizeBytes());
    assertEquals(0, world.time.await(resolving.attempt(map)).decided(), "nothing is left");
    assertNothingPending();
    assertContent();
    world.assertNothingLeaks();
  }

  private void writeUntilDeath() {
    int messages = world.random.nextInt(40);
    int[] sent = new int[1];
    for (FakeOsd osd : world.osds) {
      osd.faults(
          opcode -> {
            if (!CHANGING.contains(opcode) || sent[0]++ < messages) {
              return world.random.nextInt(20) == 0 ? Fault.CUT_AFTER : Fault.NONE;
            }
            return Fault.SILENCE;
          });
    }
    int ops = 1 + world.random.nextInt(12);
    for (int op = 0; op < ops; op++) {
      writer.begin();
      world.time.pass(world.random.nextInt(3_000_000));
      if (world.random.nextInt(3) == 0) {
        writer.tellSome();
      }
    }
    world.time.pass(20_000_000L);
    writer.die();
    world.time.pass(5_000_000_000L);
    world.endFaults();
  }

  private void loseSome() {
    List<Integer> left = new ArrayList<>();
    for (int component = 0; component < map.components().size(); component++) {
      if (!map.isMissing(component)) {
        left.add(component);
      }
    }
    Collections.shuffle(left, world.random);
    int more = map.layout().parityUnits() - map.missing().size();
    TreeSet<Integer> missing = new TreeSet<>(map.missing());
    missing.addAll(left.subList(0, world.random.nextInt(more + 1)));
    missing.forEach(component -> world.osd(map.osdOf(component)).stop());
    map =
        new StorageMap(
            map.layout(), map.components(), map.generation() + 1, missing, map.attributeOsds());
  }

  private void assertNothingPending() {
    for (int component = 0; component < map.components().size(); component++) {
      if (!map.isMissing(component)) {
        assertEquals(List.of(), world.osd(map.osdOf(component)).pendingWrites(name));
      }
    }
  }

  private void assertContent() {
    byte[] found = read(map.missing());
    byte[] expected = content.clone();
    for (PlainWriter.Op op : writer.ops) {
      if (!op.acknowledged) {
        byte[] part = Arrays.copyOfRange(found, op.position, op.position + op.after.length);
        boolean isNew = Arrays.equals(part, op.after);
        assertTrue(
            isNew || Arrays.equals(part, op.before),
            () -> "write " + op.seq + " at " + op.position + " is there in part");
        System.arraycopy(part, 0, expected, op.position, part.length);
      }
    }
    assertArrayEquals(expected, found, "acknowledged bytes");
    for (Set<Integer> lost : losses()) {
      assertArrayEquals(found, read(lost), () -> "without " + lost);
    }
  }

  /** Every way to lose as many as the code bears. */
  private List<Set<Integer>> losses() {
    List<Set<Integer>> losses = new ArrayList<>();
    int width = map.layout().width();
    for (int mask = 0; mask < 1 << width; mask++) {
      TreeSet<Integer> lost = new TreeSet<>(map.missing());
      for (int component = 0; component < width; component++) {
        if ((mask & 1 << component) != 0) {
          lost.add(component);
        }
      }
      if (Integer.bitCount(mask) + map.missing().size() == map.layout().parityUnits()
          && lost.size() == map.layout().parityUnits()) {
        losses.add(lost);
      }
    }
    return losses;
  }

  private byte[] read(Set<Integer> lost) {
    StripedFile lessened =
        StripeWorld.missing(world.readable(name, map), lost.toArray(Integer[]::new));
    return world.readAll(world.reader(lessened, content.length));
  }
}
