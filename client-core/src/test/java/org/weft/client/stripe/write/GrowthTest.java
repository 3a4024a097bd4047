package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.UnitPool;
import org.weft.protocol.layout.Layout;

/**
 * DESIGN 4, P 4.2: a small file is stripe 0 of a wide one; it grows without moving or changing a
 * byte.
 */
class GrowthTest {
  private static final int MAX_DATA_UNITS = 255;

  @Test
  void aSmallFilesCopiesBecomeItsFirstStripesUnits() {
    Random random = new Random(1);
    for (int k = 1; k <= MAX_DATA_UNITS; k++) {
      for (int m = 0; m <= 3; m++) {
        Layout layout = new Layout(k, m, 4096, 2000, 1);
        byte[] content = new byte[1 + random.nextInt(4096)];
        random.nextBytes(content);
        WriteRun small = run(layout, true, content);
        WriteRun wide = run(layout, false, content);
        for (int component = 0; component < layout.width(); component++) {
          byte[] stored = bytesOf(small, component);
          assertArrayEquals(stored, bytesOf(wide, component), "component " + component);
          assertEquals(component <= m ? content.length : 0, stored.length);
        }
      }
    }
  }

  /** What the parities gain by growing is the contribution of the new units alone. */
  @Test
  void growingAddsToTheParitiesOnlyWhatTheNewUnitsContribute() {
    Random random = new Random(2);
    for (int k : new int[] {2, 3, 8, 32, MAX_DATA_UNITS}) {
      byte[][] units = new byte[k][4096];
      for (byte[] unit : units) {
        random.nextBytes(unit);
      }
      byte[][] rest = units.clone();
      rest[0] = new byte[4096];
      byte[][] grown = parities(k, units);
      byte[][] added = parities(k, rest);
      for (int j = 0; j < 3; j++) {
        for (int at = 0; at < 4096; at++) {
          grown[j][at] ^= added[j][at];
        }
        assertArrayEquals(units[0], grown[j]);
      }
    }
  }

  private static byte[][] parities(int k, byte[][] units) {
    byte[][] parities = new byte[3][4096];
    new ErasureCode(k, 3)
        .encode(
            Arrays.stream(units).map(ByteBuffer::wrap).toArray(ByteBuffer[]::new),
            Arrays.stream(parities).map(ByteBuffer::wrap).toArray(ByteBuffer[]::new));
    return parities;
  }

  private static WriteRun run(Layout layout, boolean small, byte[] content) {
    StripeBuffer stripe = new StripeBuffer(layout, 0, 0, new UnitPool(64 << 20), () -> {});
    stripe.fill(ByteBuffer.wrap(content));
    WriteRun run = new WriteRun(layout, false, () -> {});
    StripePart part = stripe.takePart(small);
    run.add(part);
    part.encode(new ErasureCode(layout.dataUnits(), layout.parityUnits()));
    return run;
  }

  private static byte[] bytesOf(WriteRun run, int component) {
    ByteBuffer bytes = ByteBuffer.allocate(4096);
    run.units(component).forEach(unit -> bytes.put(unit.bytes().duplicate()));
    return Arrays.copyOf(bytes.array(), bytes.position());
  }
}
