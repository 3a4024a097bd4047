package org.weft.metadata.journal;

import com.google.protobuf.ByteString;
import java.util.Optional;
import org.weft.metadata.journal.LiveEffect.OfLocks;
import org.weft.metadata.journal.LockEffect.FileUnlocked;
import org.weft.metadata.journal.LockEffect.LocksDropped;
import org.weft.metadata.journal.LockEffect.LocksHeld;
import org.weft.metadata.journal.LockEffect.LocksKept;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.LockSpace;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.FileUnlockedEffect;
import org.weft.protocol.wire.LocksDroppedEffect;
import org.weft.protocol.wire.LocksHeldEffect;
import org.weft.protocol.wire.LocksKeptEffect;

/** Between effects on byte-range locks and their messages. */
final class LockEffectCodec {
  private LockEffectCodec() {}

  static void add(EffectMessage.Builder message, OfLocks effect) {
    if (effect instanceof LocksHeld held) {
      message.setLocksHeld(toMessage(held));
    } else if (effect instanceof LocksKept kept) {
      message.setLocksKept(
          LocksKeptEffect.newBuilder()
              .setSessionId(kept.session().value())
              .setUser(kept.user())
              .setKey(kept.keeping().key())
              .setKeepMillis(kept.keeping().millis())
              .setClientName(kept.clientName()));
    } else if (effect instanceof LocksDropped dropped) {
      message.setLocksDropped(
          LocksDroppedEffect.newBuilder().setSessionId(dropped.session().value()));
    } else if (effect instanceof FileUnlocked unlocked) {
      message.setFileUnlocked(
          FileUnlockedEffect.newBuilder().setObjectId(unlocked.object().value()));
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  private static LocksHeldEffect toMessage(LocksHeld held) {
    return LocksHeldEffect.newBuilder()
        .setObjectId(held.object().value())
        .setSessionId(held.session().value())
        .setOwner(held.owner())
        .setOfOpenings(held.space() == LockSpace.OPENINGS)
        .addAllShared(held.shared().toMessages())
        .addAllExclusive(held.exclusive().toMessages())
        .build();
  }

  static OfLocks fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case LOCKS_HELD -> fromMessage(message.getLocksHeld());
      case LOCKS_KEPT -> fromMessage(message.getLocksKept());
      case LOCKS_DROPPED ->
          new LocksDropped(new SessionId(message.getLocksDropped().getSessionId()));
      case FILE_UNLOCKED -> new FileUnlocked(new ObjectId(message.getFileUnlocked().getObjectId()));
      default -> throw new IllegalArgumentException("not of this codec: " + message);
    };
  }

  private static LocksHeld fromMessage(LocksHeldEffect held) {
    return new LocksHeld(
        new ObjectId(held.getObjectId()),
        new SessionId(held.getSessionId()),
        held.getOfOpenings() ? LockSpace.OPENINGS : LockSpace.BYTES,
        held.getOwner(),
        ByteRanges.fromMessages(held.getSharedList()),
        ByteRanges.fromMessages(held.getExclusiveList()));
  }

  private static LocksKept fromMessage(LocksKeptEffect kept) {
    return new LocksKept(
        new SessionId(kept.getSessionId()),
        kept.getUser(),
        new LockKeeping(kept.getKeepMillis(), kept.getKey()),
        kept.getClientName());
  }

  /** What a message says of a session's locks. */
  static Optional<LockKeeping> keeping(int millis, ByteString key) {
    return millis == 0 ? Optional.empty() : Optional.of(new LockKeeping(millis, key));
  }
}
