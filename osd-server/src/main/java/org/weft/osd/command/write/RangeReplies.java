package org.weft.osd.command.write;

import org.weft.osd.store.Receipt;
import org.weft.protocol.wire.RangeReply;

/** Makes the replies to commands that are either done or refused. */
final class RangeReplies {
  private RangeReplies() {}

  static RangeReply of(Receipt receipt) {
    return RangeReply.newBuilder()
        .setPendingCheckpoint(receipt.pendingCheckpoint())
        .setDurableCheckpoint(receipt.durableCheckpoint())
        .build();
  }
}
