package org.weft.bench.pool;

import org.weft.protocol.layout.Layout;

/** How many bytes each component of a file takes, by the arithmetic that writers use. */
final class ComponentBytes {
  private ComponentBytes() {}

  /** By component; those of groups that the file does not reach have none. */
  static long[] of(Layout layout, long fileBytes) {
    long[] bytes = new long[layout.componentCount()];
    if (fileBytes == 0) {
      return bytes;
    }
    if (layout.isSmall(fileBytes)) {
      // The unit and its copies: every parity of a stripe with one unit equals it.
      for (int component = 0; component <= layout.parityUnits(); component++) {
        bytes[component] = fileBytes;
      }
      return bytes;
    }
    long whole = fileBytes / layout.stripeBytes();
    for (int group = 0; group < layout.groups(); group++) {
      long stripes = stripesOfGroup(layout, whole, group);
      for (int i = 0; i < layout.width(); i++) {
        bytes[group * layout.width() + i] = stripes * layout.unitBytes();
      }
    }
    addLast(layout, whole, fileBytes - whole * layout.stripeBytes(), bytes);
    return bytes;
  }

  /** Of the file's first {@code whole} stripes. */
  private static long stripesOfGroup(Layout layout, long whole, int group) {
    long round = (long) layout.groupDepth() * layout.groups();
    long begun = whole % round - (long) group * layout.groupDepth();
    return whole / round * layout.groupDepth() + Math.max(0, Math.min(layout.groupDepth(), begun));
  }

  private static void addLast(Layout layout, long stripe, long rest, long[] bytes) {
    if (rest == 0) {
      return;
    }
    int first = layout.groupOf(stripe) * layout.width();
    for (int unit = 0; (long) unit * layout.unitBytes() < rest; unit++) {
      bytes[first + layout.dataComponent(stripe, unit) % layout.width()] +=
          Math.min(layout.unitBytes(), rest - (long) unit * layout.unitBytes());
    }
    for (int parity = 0; parity < layout.parityUnits(); parity++) {
      bytes[first + layout.parityComponent(stripe, parity) % layout.width()] +=
          Math.min(layout.unitBytes(), rest);
    }
  }
}
