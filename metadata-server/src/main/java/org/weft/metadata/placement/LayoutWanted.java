package org.weft.metadata.placement;

import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.LayoutMessage;

/**
 * How a new file is to be cut, before the OSDs are chosen.
 *
 * @param dataUnits k; 0 leaves it to the number of OSDs (P 4.1)
 * @param parityUnits m
 */
public record LayoutWanted(
    int dataUnits, int parityUnits, int unitBytes, int groupDepth, int groups) {
  /** Most components of one file: what fits into its attributes and into a grant. */
  static final int MAX_COMPONENTS = 1_024;

  public static LayoutWanted of(int dataUnits, int parityUnits) {
    return new LayoutWanted(
        dataUnits, parityUnits, Layout.DEFAULT_UNIT_BYTES, Layout.DEFAULT_GROUP_DEPTH, 1);
  }

  /** Reads what a client asks for; zeros other than the parity's stand for the default. */
  public static LayoutWanted fromMessage(LayoutMessage message) {
    return new LayoutWanted(
        message.getDataUnits(),
        message.getParityUnits(),
        orDefault(message.getUnitBytes(), Layout.DEFAULT_UNIT_BYTES),
        orDefault(message.getGroupDepth(), Layout.DEFAULT_GROUP_DEPTH),
        orDefault(message.getGroups(), 1));
  }

  private static int orDefault(int value, int otherwise) {
    return value == 0 ? otherwise : value;
  }

  /**
   * @throws RpcException INVALID_ARGUMENT if it breaks a rule of layouts or the volume's largest
   *     parity
   */
  public void check(int maxParityUnits) throws RpcException {
    if (parityUnits > maxParityUnits) {
      throw new RpcException(
          ErrorCode.INVALID_ARGUMENT,
          "this volume takes up to "
              + maxParityUnits
              + " parity units, the layout wanted has "
              + parityUnits
              + "; the limit was set when the volume was made");
    }
    try {
      Layout checked = withDataUnits(dataUnits == 0 ? 1 : dataUnits);
      if (checked.componentCount() > MAX_COMPONENTS) {
        throw new IllegalArgumentException(
            "a file has at most "
                + MAX_COMPONENTS
                + " components, the layout wanted needs "
                + checked.componentCount());
      }
    } catch (IllegalArgumentException e) {
      throw new RpcException(ErrorCode.INVALID_ARGUMENT, "layout refused: " + e.getMessage(), e);
    }
  }

  Layout withDataUnits(int units) {
    return new Layout(units, parityUnits, unitBytes, groupDepth, groups);
  }
}
