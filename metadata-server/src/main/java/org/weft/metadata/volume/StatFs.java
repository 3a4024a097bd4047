package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.metadata.placement.LayoutWanted;
import org.weft.protocol.wire.StatfsReply;

/**
 * Tells how large and how full the volume's BladeSet is, as the OSDs last said: raw bytes, parity
 * included.
 */
public record StatFs() implements Operation {
  @Override
  public MessageLite execute(Execution on) {
    ClusterKnown known = on.cluster();
    long freeBytes = known.capacityBytes() - known.usedBytes() - known.reserveBytes();
    LayoutWanted usual = on.settings().defaultLayout();
    on.view().sawAll();
    return StatfsReply.newBuilder()
        .setCapacityBytes(known.capacityBytes())
        .setUsedBytes(known.usedBytes())
        .setFreeBytes(Math.max(0, freeBytes))
        .setFiles(on.counters().files())
        .setDataUnits(on.placement().dataUnits(usual))
        .setParityUnits(usual.parityUnits())
        .build();
  }
}
