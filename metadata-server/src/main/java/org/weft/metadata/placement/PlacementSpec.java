package org.weft.metadata.placement;

import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.wire.LayoutMessage;

/**
 * How a new file is to be cut, before the OSDs are chosen.
 *
 * @param dataUnits k; 0 leaves it to the number of OSDs (P 4.1)
 * @param parityUnits m
 * @param groups parity groups; 0: as many as fit into the BladeSet and leave one OSD or domain out,
 *     up to {@value #MAX_DEFAULT_GROUPS}
 */
public record PlacementSpec(
    int dataUnits, int parityUnits, int unitBytes, int groupDepth, int groups) {
  /** Most components of one file: what fits into its attributes and into a grant. */
  static final int MAX_COMPONENTS = 1_024;

  /** More are only made if a client asks for them: the map is to stay short. */
  static final int MAX_DEFAULT_GROUPS = 16;

  public static PlacementSpec of(int dataUnits, int parityUnits) {
    return new PlacementSpec(
        dataUnits, parityUnits, Layout.DEFAULT_UNIT_BYTES, Layout.DEFAULT_GROUP_DEPTH, 0);
  }

  /**
   * This layout where a wish says nothing, which it does by a zero. The code is wished for as a
   * whole. Without data units the wish's parity counts for nothing. With data units the number of
   * groups, which belongs to the code, is no more this layout's.
   */
  public PlacementSpec with(LayoutMessage wish) {
    boolean ownCode = wish.getDataUnits() != 0;
    return new PlacementSpec(
        ownCode ? wish.getDataUnits() : dataUnits,
        ownCode ? wish.getParityUnits() : parityUnits,
        orElse(wish.getUnitBytes(), unitBytes),
        orElse(wish.getGroupDepth(), groupDepth),
        orElse(wish.getGroups(), ownCode ? 0 : groups));
  }

  private static int orElse(int value, int otherwise) {
    return value == 0 ? otherwise : value;
  }

  /**
   * @throws WeftException INVALID_ARGUMENT if it breaks a rule of layouts or the volume's largest
   *     parity
   */
  public void check(int maxParityUnits) throws WeftException {
    if (Integer.compareUnsigned(parityUnits, maxParityUnits) > 0) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "this volume takes up to "
              + maxParityUnits
              + " parity units, the layout wanted has "
              + Integer.toUnsignedString(parityUnits)
              + "; the limit was set when the volume was made");
    }
    try {
      Layout checked = toLayout(leastDataUnits(), leastGroups());
      if (checked.componentCount() > MAX_COMPONENTS) {
        throw new IllegalArgumentException(
            "a file has at most "
                + MAX_COMPONENTS
                + " components, the layout wanted needs "
                + checked.componentCount());
      }
    } catch (IllegalArgumentException e) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "layout refused: " + e.getMessage(), e);
    }
  }

  /** OSDs that a file of it needs, each for one component. */
  int leastOsds() {
    return (leastDataUnits() + parityUnits) * leastGroups();
  }

  private int leastDataUnits() {
    return dataUnits == 0 ? 1 : dataUnits;
  }

  int leastGroups() {
    return groups == 0 ? 1 : groups;
  }

  Layout toLayout(int chosenDataUnits, int chosenGroups) {
    return new Layout(chosenDataUnits, parityUnits, unitBytes, groupDepth, chosenGroups);
  }
}
