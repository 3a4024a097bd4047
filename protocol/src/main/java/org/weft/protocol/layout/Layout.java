package org.weft.protocol.layout;

import org.weft.protocol.wire.LayoutMessage;

/**
 * How a file is cut into units; fixed at its birth (P 4.1).
 *
 * <p>Stripe n of the file lies in round r = n / depth, in group r mod G. There it is stripe s = (r
 * / G) · depth + n mod depth. Positions in a stripe: d_0 = 0, P_j = 1 + j, d_i = m + i for i ≥ 1.
 * The component of a position is (position + s) mod (k + m) of the group, the byte offset in it s ·
 * unit.
 *
 * @param dataUnits k, 1..255
 * @param parityUnits m, 0..3
 * @param unitBytes a multiple of 4096, at most 1 MiB
 * @param groupDepth stripes of one round in one group
 * @param groups G, parity groups of the file
 */
public record Layout(int dataUnits, int parityUnits, int unitBytes, int groupDepth, int groups) {
  public static final int BLOCK_BYTES = 4096;
  public static final int DEFAULT_UNIT_BYTES = 64 << 10;
  public static final int MAX_UNIT_BYTES = 1 << 20;
  public static final int DEFAULT_GROUP_DEPTH = 2_000;
  public static final int MAX_DATA_UNITS = 255;
  public static final int MAX_PARITY_UNITS = 3;
  public static final int MAX_GROUPS = 4_096;

  public Layout {
    check(dataUnits >= 1 && dataUnits <= MAX_DATA_UNITS, "data units must be 1..255", dataUnits);
    check(
        parityUnits >= 0 && parityUnits <= MAX_PARITY_UNITS,
        "parity units must be 0..3",
        parityUnits);
    check(
        unitBytes >= BLOCK_BYTES && unitBytes <= MAX_UNIT_BYTES && unitBytes % BLOCK_BYTES == 0,
        "the stripe unit must be a multiple of 4096 bytes, up to 1 MiB",
        unitBytes);
    check(groupDepth >= 1, "the group depth must be at least 1", groupDepth);
    check(groups >= 1 && groups <= MAX_GROUPS, "groups must be 1..4096", groups);
  }

  private static void check(boolean holds, String rule, int value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ", got " + value);
    }
  }

  /** A layout of one group with the default unit and depth. */
  public static Layout of(int dataUnits, int parityUnits) {
    return new Layout(dataUnits, parityUnits, DEFAULT_UNIT_BYTES, DEFAULT_GROUP_DEPTH, 1);
  }

  /** k + m: components of one parity group. */
  public int width() {
    return dataUnits + parityUnits;
  }

  /** Components of the whole file. */
  public int componentCount() {
    return width() * groups;
  }

  /** Bytes of file data in one stripe. */
  public long stripeBytes() {
    return (long) dataUnits * unitBytes;
  }

  public long stripeOf(long fileOffsetBytes) {
    return fileOffsetBytes / stripeBytes();
  }

  /** Index i of the data unit d_i that holds the offset, within its stripe. */
  public int unitOf(long fileOffsetBytes) {
    return (int) (fileOffsetBytes % stripeBytes() / unitBytes);
  }

  /** The parity group in which a stripe of the file lies. */
  public int groupOf(long stripe) {
    return (int) (stripe / groupDepth % groups);
  }

  /** s: which stripe of its group a stripe of the file is. */
  public long stripeInGroup(long stripe) {
    long round = stripe / groupDepth;
    return round / groups * groupDepth + stripe % groupDepth;
  }

  /**
   * How many stripes, from this one on, lie in its round: neighbours in each component. The same
   * for a stripe of the file and for one of its group.
   */
  public long stripesLeftInRound(long stripe) {
    return groupDepth - stripe % groupDepth;
  }

  /** The stripe of the file that is stripe s of the group: the inverse of the two methods above. */
  public long stripeAt(int group, long stripeInGroup) {
    long round = stripeInGroup / groupDepth * groups + group;
    return round * groupDepth + stripeInGroup % groupDepth;
  }

  /** Index, in the file's map, of the component that holds d_i of a stripe. */
  public int dataComponent(long stripe, int unit) {
    return component(stripe, unit == 0 ? 0 : parityUnits + unit);
  }

  /** Index, in the file's map, of the component that holds P_j of a stripe. */
  public int parityComponent(long stripe, int parity) {
    return component(stripe, 1 + parity);
  }

  private int component(long stripe, int position) {
    int inGroup = (int) ((position + stripeInGroup(stripe)) % width());
    return groupOf(stripe) * width() + inGroup;
  }

  /**
   * What a component holds of a stripe of its group: i for the data unit d_i, -1 - j for P_j.
   *
   * @param component index in the file's map; must belong to the stripe's group
   */
  public int roleOf(long stripe, int component) {
    int position = (int) Math.floorMod(component % width() - stripeInGroup(stripe), (long) width());
    if (position == 0) {
      return 0;
    }
    return position <= parityUnits ? -position : position - parityUnits;
  }

  /** Offset of a stripe's unit inside its component. */
  public long componentOffsetBytes(long stripe) {
    return stripeInGroup(stripe) * unitBytes;
  }

  /** A file this long is small: only d_0 of stripe 0 exists, alike on components 0..m (P 4.2). */
  public boolean isSmall(long fileBytes) {
    return fileBytes <= unitBytes;
  }

  /**
   * How many parity groups, from the first on, a file this long has stripes in; 0 for an empty one.
   */
  public int groupsTouched(long fileBytes) {
    return fileBytes <= 0 ? 0 : (int) Math.min(groups, stripeOf(fileBytes - 1) / groupDepth + 1);
  }

  public LayoutMessage toMessage() {
    return LayoutMessage.newBuilder()
        .setDataUnits(dataUnits)
        .setParityUnits(parityUnits)
        .setUnitBytes(unitBytes)
        .setGroupDepth(groupDepth)
        .setGroups(groups)
        .build();
  }

  public static Layout fromMessage(LayoutMessage message) {
    return new Layout(
        message.getDataUnits(),
        message.getParityUnits(),
        message.getUnitBytes(),
        message.getGroupDepth(),
        message.getGroups());
  }
}
