package org.weft.metadata.journal;

import org.weft.metadata.journal.LiveEffect.LaggingAdded;
import org.weft.metadata.journal.LiveEffect.LaggingCleared;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.journal.LiveEffect.OfCopies;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.LaggingAddedEffect;
import org.weft.protocol.wire.LaggingClearedEffect;

/** Between effects on copies of metadata that lag, and their messages. */
final class CopyEffectCodec {
  private CopyEffectCodec() {}

  static void add(EffectMessage.Builder message, OfCopies effect) {
    if (effect instanceof LaggingAdded added) {
      message.setLaggingAdded(
          LaggingAddedEffect.newBuilder()
              .setOsdId(added.osd().value())
              .setObjectId(added.object().value())
              .setRemove(added.kind() == LaggingKind.REMOVE)
              .setLsn(added.lsn().value())
              .setRebuilt(added.rebuilt()));
    } else if (effect instanceof LaggingCleared cleared) {
      message.setLaggingCleared(
          LaggingClearedEffect.newBuilder()
              .setOsdId(cleared.osd().value())
              .setObjectId(cleared.object().value()));
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  static LiveEffect fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case LAGGING_ADDED -> fromMessage(message.getLaggingAdded());
      case LAGGING_CLEARED ->
          new LaggingCleared(
              new OsdId(message.getLaggingCleared().getOsdId()),
              new ObjectId(message.getLaggingCleared().getObjectId()));
      default -> throw new IllegalArgumentException("not of this codec: " + message);
    };
  }

  private static LaggingAdded fromMessage(LaggingAddedEffect added) {
    return new LaggingAdded(
        new OsdId(added.getOsdId()),
        new ObjectId(added.getObjectId()),
        added.getRemove() ? LaggingKind.REMOVE : LaggingKind.REFRESH,
        new Lsn(added.getLsn()),
        added.getRebuilt());
  }
}
