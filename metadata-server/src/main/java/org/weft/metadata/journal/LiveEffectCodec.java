package org.weft.metadata.journal;

import org.weft.protocol.wire.EffectMessage;

/** Between effects on live state and their messages: each family has a codec of its own. */
final class LiveEffectCodec {
  private LiveEffectCodec() {}

  static EffectMessage toMessage(LiveEffect effect) {
    EffectMessage.Builder message = EffectMessage.newBuilder();
    if (effect instanceof LiveEffect.OfSessions sessions) {
      SessionEffectCodec.add(message, sessions);
    } else if (effect instanceof LiveEffect.OfGrants grants) {
      GrantEffectCodec.add(message, grants);
    } else if (effect instanceof LiveEffect.OfVolume volume) {
      VolumeEffectCodec.add(message, volume);
    } else if (effect instanceof LiveEffect.OfFiles files) {
      VolumeEffectCodec.add(message, files);
    } else if (effect instanceof LiveEffect.OfCopies copies) {
      CopyEffectCodec.add(message, copies);
    } else if (effect instanceof LiveEffect.OfLocks locks) {
      LockEffectCodec.add(message, locks);
    } else if (effect instanceof LiveEffect.OfRepairs repairs) {
      RepairEffectCodec.add(message, repairs);
    } else if (effect instanceof QuotaEffect quota) {
      QuotaEffectCodec.add(message, quota);
    } else if (effect instanceof ScrubEffect scrub) {
      ScrubEffectCodec.add(message, scrub);
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
    return message.build();
  }

  static LiveEffect fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case SESSION_OPENED, SESSION_CLOSED, REPLY -> SessionEffectCodec.fromMessage(message);
      case GRANT_OPENED,
          GRANT_CLOSED,
          GRANT_RESOLVING,
          GRANTS_REVOKED,
          GRANT_MOVED,
          GRANT_RANGES,
          GRANT_SUPERSEDED,
          GRANT_SUSPECTS,
          GRANT_UNSETTLED,
          GRANT_SETTLED,
          ORPHAN_ADDED,
          ORPHAN_REMOVED ->
          GrantEffectCodec.fromMessage(message);
      case VOLUME_CREATED, COUNTER, FILE_DAMAGED, LENGTH_LIVE ->
          VolumeEffectCodec.fromMessage(message);
      case LAGGING_ADDED, LAGGING_CLEARED -> CopyEffectCodec.fromMessage(message);
      case LOCKS_HELD, LOCKS_KEPT, LOCKS_DROPPED, FILE_UNLOCKED ->
          LockEffectCodec.fromMessage(message);
      case REPAIR_ADDED,
          REPAIR_REMOVED,
          BLOCK_REPAIR_BEGUN,
          REBUILD_BEGUN,
          REBUILD_ENDED,
          OSD_STANDING,
          COMPONENT_LEFT ->
          RepairEffectCodec.fromMessage(message);
      case QUOTA_TREE, QUOTA_USAGE, QUOTA_TREE_GONE, QUOTA_FILE ->
          QuotaEffectCodec.fromMessage(message);
      case PARITY_SCRUB_REACHED, PARITY_CONTRADICTED -> ScrubEffectCodec.fromMessage(message);
      default -> throw new IllegalArgumentException("not an effect on live state: " + message);
    };
  }
}
