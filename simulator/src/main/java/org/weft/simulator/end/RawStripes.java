package org.weft.simulator.end;

import java.util.Arrays;
import java.util.Optional;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.workload.Histories;
import org.weft.simulator.workload.Safety;

/**
 * Compares every unit of every stripe of a quiet file with what a client read. A data unit must
 * hold these bytes, and parity P_j must be Σ (2^j)^i · d_i of them. So decoding gives the same,
 * whichever m units are lost. The arithmetic of layout and code is done here once more, slowly (P
 * 4.1).
 *
 * <p>Where more OSDs lost power than files bear, only whole stripes are checked. Parities of the
 * other stripes are computed anew from what is left (P 5.9).
 */
final class RawStripes {
  private static final int BLOCK_BYTES = 4096;

  private final Histories histories;
  private final RawComponents components;
  private final Safety safety;

  RawStripes(Histories histories, RawComponents components, Safety safety) {
    this.histories = histories;
    this.components = components;
    this.safety = safety;
  }

  void check(long objectId, LastLook.Content content) {
    if (content.bytes() == null || content.status().map().isEmpty()) {
      return;
    }
    StorageMap map = content.status().map().get();
    Layout layout = map.layout();
    long size = content.bytes().length;
    long stripes = (size + layout.stripeBytes() - 1) / layout.stripeBytes();
    for (long stripe = 0; stripe < stripes; stripe++) {
      if (!check(objectId, content, map, stripe)) {
        return;
      }
    }
  }

  private boolean check(long objectId, LastLook.Content content, StorageMap map, long stripe) {
    Layout layout = map.layout();
    byte[][] data = dataUnits(layout, content.bytes(), stripe);
    int width = layout.dataUnits() + layout.parityUnits();
    long round = stripe / layout.groupDepth();
    int group = (int) (round % layout.groups());
    long inGroup = round / layout.groups() * layout.groupDepth() + stripe % layout.groupDepth();
    int lost = 0;
    if (safety.isDoubted() && !isWhole(objectId, map, group, inGroup * layout.unitBytes())) {
      // What is not there may be gone, and what would be computed in its place is not asked for.
      return true;
    }
    for (int position = 0; position < width; position++) {
      boolean isParity = position >= 1 && position <= layout.parityUnits();
      byte[] expected =
          isParity
              ? parity(data, position - 1)
              : data[position == 0 ? 0 : position - layout.parityUnits()];
      int component = group * width + (int) ((position + inGroup) % width);
      boolean small = content.bytes().length <= layout.unitBytes();
      if (small && position > layout.parityUnits()) {
        continue;
      }
      Unit unit = new Unit(objectId, map, component, inGroup * layout.unitBytes(), expected);
      String where =
          "stripe "
              + stripe
              + ", "
              + (isParity ? "parity " + (position - 1) : "data unit of position " + position);
      switch (compare(unit, where, content)) {
        case LOST -> lost++;
        case WRONG -> {
          return false;
        }
        case RIGHT -> {}
      }
    }
    if (lost > layout.parityUnits() && !safety.isBeyond()) {
      histories.found(
          "more units are lost than a stripe can bear",
          "object " + objectId + ", stripe " + stripe + ": " + lost + " of " + layout);
      return false;
    }
    return true;
  }

  /** True if the map calls all of the stripe present, and no block is torn. */
  private boolean isWhole(long objectId, StorageMap map, int group, long offset) {
    int width = map.layout().width();
    for (int component = group * width; component < (group + 1) * width; component++) {
      if (map.isMissing(component)) {
        return false;
      }
      Optional<SimulatedOsd> node = components.node(map.osdOf(component));
      try {
        ObjectName name = new ObjectName(components.volume(), new ObjectId(objectId));
        boolean torn =
            node.isEmpty()
                || components
                    .read(node.get(), name, offset, map.layout().unitBytes())
                    .filter(range -> !range.bad().isEmpty())
                    .isPresent();
        if (torn) {
          return false;
        }
      } catch (WeftException e) {
        // Said below.
        return true;
      }
    }
    return true;
  }

  private record Unit(long objectId, StorageMap map, int component, long offset, byte[] expected) {}

  private enum Verdict {
    RIGHT,
    LOST,
    WRONG
  }

  private Verdict compare(Unit unit, String where, LastLook.Content content) {
    Optional<SimulatedOsd> node = components.node(unit.map().osdOf(unit.component()));
    if (unit.map().isMissing(unit.component()) || node.isEmpty()) {
      return Verdict.LOST;
    }
    Optional<RawComponents.Range> range;
    try {
      range =
          components.read(
              node.get(),
              new ObjectName(components.volume(), new ObjectId(unit.objectId())),
              unit.offset(),
              unit.expected().length);
    } catch (WeftException e) {
      return wrong(unit, where, node.get(), "cannot be read: " + e.code() + " " + e.getMessage());
    }
    if (range.isEmpty()) {
      return wrong(unit, where, node.get(), "is absent although the map calls it present");
    }
    return compare(unit, where, node.get(), range.get(), content.bytes().length);
  }

  private Verdict compare(
      Unit unit, String where, SimulatedOsd node, RawComponents.Range range, long size) {
    byte[] found = Arrays.copyOf(range.bytes(), unit.expected().length);
    Verdict verdict = Verdict.RIGHT;
    for (int from = 0; from < unit.expected().length; from += BLOCK_BYTES) {
      int to = Math.min(unit.expected().length, from + BLOCK_BYTES);
      int differs = Arrays.mismatch(found, from, to, unit.expected(), from, to);
      if (range.bad().get(from / BLOCK_BYTES)) {
        if (!safety.isDamaged(node)) {
          return wrong(unit, where, node, "has a block that does not fit its checksum");
        }
        verdict = Verdict.LOST;
      } else if (differs >= 0) {
        return wrong(
            unit,
            where,
            node,
            "differs from what was read, first at byte "
                + (from + differs)
                + " of the unit: 0x"
                + "%02x instead of 0x%02x"
                    .formatted(found[from + differs], unit.expected()[from + differs])
                + "; the file has "
                + size
                + " bytes");
      }
    }
    return verdict;
  }

  private Verdict wrong(Unit unit, String where, SimulatedOsd node, String what) {
    histories.found(
        "a stripe is not what its file says",
        "object "
            + unit.objectId()
            + ", "
            + where
            + ", component "
            + unit.component()
            + " on "
            + node.name()
            + " "
            + what
            + " (map of generation "
            + unit.map().generation()
            + ", missing "
            + unit.map().missing()
            + ", "
            + unit.map().layout()
            + ")");
    return Verdict.WRONG;
  }

  private static byte[][] dataUnits(Layout layout, byte[] bytes, long stripe) {
    byte[][] units = new byte[layout.dataUnits()][layout.unitBytes()];
    for (int unit = 0; unit < units.length; unit++) {
      long from = (stripe * layout.dataUnits() + unit) * layout.unitBytes();
      int count = (int) Math.max(0, Math.min(layout.unitBytes(), bytes.length - from));
      if (count > 0) {
        System.arraycopy(bytes, (int) from, units[unit], 0, count);
      }
    }
    return units;
  }

  /** Σ (2^j)^i · d_i. */
  private static byte[] parity(byte[][] data, int j) {
    byte[] sum = new byte[data[0].length];
    for (int i = 0; i < data.length; i++) {
      for (int place = 0; place < sum.length; place++) {
        sum[place] ^= (byte) timesPowerOfTwo(data[i][place] & 0xff, i * j);
      }
    }
    return sum;
  }

  private static int timesPowerOfTwo(int value, int power) {
    int product = value;
    for (int step = 0; step < power; step++) {
      product <<= 1;
      if (product > 0xff) {
        product ^= 0x11d;
      }
    }
    return product;
  }
}
