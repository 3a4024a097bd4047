package org.weft.client;

import org.weft.protocol.wire.LayoutMessage;

/**
 * How files are to be cut into units; what is 0 is chosen by the volume.
 *
 * @param dataUnits k: data units of a stripe
 * @param parityUnits m: parity units of a stripe; only counts beside dataUnits that are not 0
 * @param unitBytes bytes of a unit, a multiple of 4 KiB
 * @param groupDepth stripes in a parity group before the next one follows (P 4.1)
 * @param groups parity groups of a file; 0: as many as fit into the BladeSet
 */
public record LayoutSpec(
    int dataUnits, int parityUnits, int unitBytes, int groupDepth, int groups) {
  /** One code and unit; the rest by the volume. */
  public static LayoutSpec of(int dataUnits, int parityUnits, int unitBytes) {
    return new LayoutSpec(dataUnits, parityUnits, unitBytes, 0, 0);
  }

  LayoutMessage toMessage() {
    return LayoutMessage.newBuilder()
        .setDataUnits(dataUnits)
        .setParityUnits(parityUnits)
        .setUnitBytes(unitBytes)
        .setGroupDepth(groupDepth)
        .setGroups(groups)
        .build();
  }

  static LayoutSpec fromMessage(LayoutMessage message) {
    return new LayoutSpec(
        message.getDataUnits(),
        message.getParityUnits(),
        message.getUnitBytes(),
        message.getGroupDepth(),
        message.getGroups());
  }

  /** As in "4+1, unit 64 KiB". */
  @Override
  public String toString() {
    return (dataUnits == 0 ? "default code" : dataUnits + "+" + parityUnits)
        + (unitBytes == 0 ? "" : ", unit " + unitBytes / 1024 + " KiB");
  }
}
