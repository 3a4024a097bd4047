package org.weft.bench.pool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.weft.protocol.layout.Layout;
import picocli.CommandLine;

class LargePoolTest {
  @Test
  void componentsTakeWhatTheUnitsOfAllStripesAddUpTo() {
    SplittableRandom random = new SplittableRandom(5);
    for (int round = 0; round < 300; round++) {
      Layout layout =
          new Layout(
              1 + random.nextInt(5),
              random.nextInt(4),
              4_096,
              1 + random.nextInt(4),
              1 + random.nextInt(3));
      long bytes = random.nextLong(60 * layout.stripeBytes());
      assertArrayEquals(
          byUnits(layout, bytes), ComponentBytes.of(layout, bytes), () -> layout + " " + bytes);
    }
  }

  private static long[] byUnits(Layout layout, long fileBytes) {
    long[] bytes = new long[layout.componentCount()];
    if (layout.isSmall(fileBytes)) {
      for (int i = 0; fileBytes > 0 && i <= layout.parityUnits(); i++) {
        bytes[i] = fileBytes;
      }
      return bytes;
    }
    for (long at = 0; at < fileBytes; at += layout.unitBytes()) {
      long stripe = layout.stripeOf(at);
      int first = layout.groupOf(stripe) * layout.width();
      long length = Math.min(layout.unitBytes(), fileBytes - at);
      int unit = layout.unitOf(at);
      bytes[first + layout.dataComponent(stripe, unit) % layout.width()] += length;
      if (unit == 0) {
        for (int parity = 0; parity < layout.parityUnits(); parity++) {
          bytes[first + layout.parityComponent(stripe, parity) % layout.width()] += length;
        }
      }
    }
    return bytes;
  }

  @Test
  void randomPlacementSpreadsAsExpected() {
    LoadSpread spread = new LoadSpread(500);
    SplittableRandom random = new SplittableRandom(9);
    for (int file = 0; file < 200_000; file++) {
      spread.file();
      spread.put(random.nextInt(500), 1 + random.nextInt(9));
    }

    assertEquals(1, spread.deviation() / spread.expectedDeviation(200_000), 0.1);
    assertEquals(
        spread.expectedDeviation(200_000) / 10, spread.expectedDeviation(20_000_000), 1e-9);
    assertEquals(5, spread.perFile(), 0.05);
  }

  @Test
  void aPoolIsPlacedAndDescribed() {
    StringWriter out = new StringWriter();
    CommandLine command = new CommandLine(new LargePool()).setOut(new PrintWriter(out, true));

    assertEquals(0, command.execute("--osds=40", "--per-host=2", "--sample=500"));

    assertTrue(out.toString().contains("| layout of new files | "), out::toString);
    assertTrue(out.toString().contains("| rebuild, at 40 MB/s of each OSD | "), out::toString);
  }
}
