package org.weft.osd.command.read;

import java.util.List;
import org.weft.protocol.wire.Stamp;

/** Write ids of the store as messages (P 5.6). */
final class Stamping {
  private Stamping() {}

  static List<Stamp> messages(List<org.weft.osd.store.value.Stamp> stamps) {
    return stamps.stream().map(Stamping::message).toList();
  }

  private static Stamp message(org.weft.osd.store.value.Stamp stamp) {
    return Stamp.newBuilder()
        .setFirstBlock(stamp.firstBlock())
        .setBlockCount(stamp.blockCount())
        .setGrant(stamp.grant())
        .setSeq(stamp.sequence())
        .build();
  }
}
