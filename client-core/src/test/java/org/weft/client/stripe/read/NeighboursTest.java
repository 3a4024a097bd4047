package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.layout.Layout;

/** Wants that one request asks for, in whatever order they are given. */
class NeighboursTest {
  private static final int UNITS = 120;

  private final List<byte[]> right = new ArrayList<>();

  /** Of some data units, in the order of the file. */
  private List<UnitRead> wants(StripeWorld world, Layout layout, byte[] content) {
    List<UnitRead> wants = new ArrayList<>();
    for (int index = 0; index < UNITS; index++) {
      long stripe = index / layout.dataUnits();
      int unit = index % layout.dataUnits();
      if (world.random.nextInt(3) > 0) {
        wants.add(
            new UnitRead(
                layout.dataComponent(stripe, unit),
                layout.componentOffsetBytes(stripe),
                ByteBuffer.allocate(UNIT_BYTES)));
        right.add(Arrays.copyOfRange(content, index * UNIT_BYTES, (index + 1) * UNIT_BYTES));
      }
    }
    return wants;
  }

  private static Set<List<UnitRead>> groups(
      StripeWorld world, StripedFile file, List<UnitRead> wants, boolean withStamps) {
    Set<List<UnitRead>> groups = new HashSet<>();
    for (ComponentRead fetch :
        ComponentRead.of(world.context, file, WriteGate.OPEN, wants, withStamps, false)) {
      assertTrue(groups.add(fetch.wants()));
    }
    return groups;
  }

  @ParameterizedTest
  @ValueSource(longs = {95_830_050, 95_830_051, 95_830_052, 95_830_053, 95_830_054})
  void wantsInAnyOrderAreReadInTheSameRequests(long seed) {
    StripeWorld world = new StripeWorld(seed, 8);
    Layout layout = StripeWorld.layout(4, 2);
    StripedFile file = world.newFile(layout);
    byte[] content = world.bytes(UNITS * UNIT_BYTES);
    world.writeAll(file, content);
    List<UnitRead> inOrder = wants(world, layout, content);
    List<UnitRead> shuffled = new ArrayList<>(inOrder);
    Collections.shuffle(shuffled, world.random);

    Set<List<UnitRead>> together = groups(world, file, inOrder, false);
    assertTrue(together.size() < inOrder.size());
    assertEquals(together, groups(world, file, shuffled, false));
    assertEquals(inOrder.size(), groups(world, file, shuffled, true).size(), "stamps are of one");

    CompletableFuture<Void> done = new CompletableFuture<>();
    ComponentRead.all(world.context, file, shuffled, () -> done.complete(null));
    world.time.await(done);
    for (int want = 0; want < inOrder.size(); want++) {
      assertNull(inOrder.get(want).failure());
      assertArrayEquals(right.get(want), inOrder.get(want).sink().array());
    }
    world.assertNothingLeaks();
  }
}
