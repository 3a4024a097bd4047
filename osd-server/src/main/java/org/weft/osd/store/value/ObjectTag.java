package org.weft.osd.store.value;

import org.weft.protocol.wire.ComponentTag;

/**
 * What every component carries of its file's map, so that a lost map can be found again (P 4.4).
 */
public record ObjectTag(
    int mapGeneration,
    int componentIndex,
    int dataUnits,
    int parityUnits,
    int unitBytes,
    int groups,
    int groupDepth) {
  public static ObjectTag of(ComponentTag message) {
    return new ObjectTag(
        message.getMapGeneration(),
        message.getComponentIndex(),
        message.getDataUnits(),
        message.getParityUnits(),
        message.getUnitBytes(),
        message.getGroups(),
        message.getGroupDepth());
  }

  public ComponentTag toMessage() {
    return ComponentTag.newBuilder()
        .setMapGeneration(mapGeneration)
        .setComponentIndex(componentIndex)
        .setDataUnits(dataUnits)
        .setParityUnits(parityUnits)
        .setUnitBytes(unitBytes)
        .setGroups(groups)
        .setGroupDepth(groupDepth)
        .build();
  }
}
