package org.weft.osd.command.write;

import java.util.Optional;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.store.value.ObjectTag;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.wire.ComponentTag;

/** Checks what a command says of the file's map before an object is born with it (P 4.4). */
final class Tags {
  private Tags() {}

  static Optional<ObjectTag> checked(boolean present, ComponentTag message) throws WeftException {
    if (!present) {
      return Optional.empty();
    }
    CommandLimits.atMost(
        "component index", message.getComponentIndex(), CommandLimits.MAX_COMPONENT_INDEX);
    try {
      var layout =
          new Layout(
              message.getDataUnits(),
              message.getParityUnits(),
              message.getUnitBytes(),
              message.getGroupDepth(),
              message.getGroups());
      return Optional.of(
          new ObjectTag(
              message.getMapGeneration(),
              message.getComponentIndex(),
              layout.dataUnits(),
              layout.parityUnits(),
              layout.unitBytes(),
              layout.groups(),
              layout.groupDepth()));
    } catch (IllegalArgumentException e) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "the component tag is impossible: " + e.getMessage(), e);
    }
  }
}
