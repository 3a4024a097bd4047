package org.weft.client.stripe.base;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * Which components a file has, by its length, where they end, and whether it can do without some (P
 * 4.2).
 */
public final class FileComponents {
  private FileComponents() {}

  /** Components that a file of that length has. */
  public static BitSet existing(Layout layout, long sizeBytes) {
    BitSet existing = new BitSet();
    if (sizeBytes > 0 && layout.isSmall(sizeBytes)) {
      existing.set(0, layout.parityUnits() + 1);
    } else if (sizeBytes > 0) {
      existing.set(0, groupsWithin(layout, sizeBytes) * layout.width());
    }
    return existing;
  }

  /** Parity groups that a file of that length has entered; 0 for a small one. */
  public static int groupsWithin(Layout layout, long sizeBytes) {
    if (layout.isSmall(sizeBytes)) {
      return 0;
    }
    long rounds = layout.stripeOf(sizeBytes - 1) / layout.groupDepth() + 1;
    return (int) Math.min(layout.groups(), rounds);
  }

  /** Where the last block of a component ends, in a file of that length. */
  public static long endOf(Layout layout, long sizeBytes, int component) {
    if (sizeBytes == 0) {
      return 0;
    }
    int group = component / layout.width();
    long last = layout.stripeOf(sizeBytes - 1);
    if (layout.groupOf(last) == group) {
      long inStripe = sizeBytes - last * layout.stripeBytes();
      int role = layout.roleOf(last, component);
      long inUnit = role < 0 ? inStripe : inStripe - (long) role * layout.unitBytes();
      long blocks = BlockChecksums.blocks((int) Math.max(0, Math.min(inUnit, layout.unitBytes())));
      return layout.componentOffsetBytes(last) + blocks * BlockChecksums.BLOCK_BYTES;
    }
    long round = last / layout.groupDepth();
    long roundOfGroup = round - Math.floorMod(round - group, (long) layout.groups());
    // Full rounds of the group, before the one that the file ends in.
    return roundOfGroup < 0
        ? 0
        : (roundOfGroup / layout.groups() + 1) * layout.groupDepth() * layout.unitBytes();
  }

  /** True if no component of the stripe's group is missing. */
  public static boolean isWhole(StripedFile file, long stripe) {
    int first = file.layout().groupOf(stripe) * file.layout().width();
    for (int component = first; component < first + file.layout().width(); component++) {
      if (file.map().isMissing(component)) {
        return false;
      }
    }
    return true;
  }

  /** Why the file cannot be written; null if it can. */
  public static WeftException tooManyMissing(StripedFile file) {
    Layout layout = file.layout();
    for (int group = 0; group < layout.groups(); group++) {
      int first = group * layout.width();
      List<Integer> missing = new ArrayList<>(file.map().missing());
      missing.removeIf(index -> index < first || index >= first + layout.width());
      if (missing.size() > layout.parityUnits()) {
        return new WeftException(
            ErrorCode.TOO_MANY_LOST,
            "cannot write %s: components %s are missing, more than its parity units (%d); write a new file"
                .formatted(file.name(), missing, layout.parityUnits()));
      }
    }
    return null;
  }
}
