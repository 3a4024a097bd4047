package org.weft.metadata.journal;

import static org.weft.metadata.journal.ObjectEffectCodec.numbers;
import static org.weft.metadata.journal.ObjectEffectCodec.osds;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.journal.LiveEffect.Counter;
import org.weft.metadata.journal.LiveEffect.CounterKind;
import org.weft.metadata.journal.LiveEffect.FileDamaged;
import org.weft.metadata.journal.LiveEffect.GrantClosed;
import org.weft.metadata.journal.LiveEffect.GrantMoved;
import org.weft.metadata.journal.LiveEffect.GrantOpened;
import org.weft.metadata.journal.LiveEffect.GrantRanges;
import org.weft.metadata.journal.LiveEffect.GrantResolving;
import org.weft.metadata.journal.LiveEffect.GrantSettled;
import org.weft.metadata.journal.LiveEffect.GrantSuperseded;
import org.weft.metadata.journal.LiveEffect.GrantSuspects;
import org.weft.metadata.journal.LiveEffect.GrantUnsettled;
import org.weft.metadata.journal.LiveEffect.GrantsRevoked;
import org.weft.metadata.journal.LiveEffect.LaggingAdded;
import org.weft.metadata.journal.LiveEffect.LaggingCleared;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.journal.LiveEffect.LengthLive;
import org.weft.metadata.journal.LiveEffect.OrphanAdded;
import org.weft.metadata.journal.LiveEffect.OrphanRemoved;
import org.weft.metadata.journal.LiveEffect.Reply;
import org.weft.metadata.journal.LiveEffect.SessionClosed;
import org.weft.metadata.journal.LiveEffect.SessionOpened;
import org.weft.metadata.journal.LiveEffect.VolumeCreated;
import org.weft.protocol.capability.HandleKey;
import org.weft.protocol.capability.SessionSecret;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.CounterEffect;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.FileDamagedEffect;
import org.weft.protocol.wire.GrantClosedEffect;
import org.weft.protocol.wire.GrantMovedEffect;
import org.weft.protocol.wire.GrantOpenedEffect;
import org.weft.protocol.wire.GrantRangesEffect;
import org.weft.protocol.wire.GrantScrubEffect;
import org.weft.protocol.wire.GrantSettledEffect;
import org.weft.protocol.wire.GrantSupersededEffect;
import org.weft.protocol.wire.GrantSuspectsEffect;
import org.weft.protocol.wire.GrantUnsettledEffect;
import org.weft.protocol.wire.GrantsRevokedEffect;
import org.weft.protocol.wire.LaggingAddedEffect;
import org.weft.protocol.wire.LaggingClearedEffect;
import org.weft.protocol.wire.LengthLiveEffect;
import org.weft.protocol.wire.OrphanAddedEffect;
import org.weft.protocol.wire.OrphanRemovedEffect;
import org.weft.protocol.wire.ReplyEffect;
import org.weft.protocol.wire.SessionClosedEffect;
import org.weft.protocol.wire.SessionOpenedEffect;
import org.weft.protocol.wire.VolumeCreatedEffect;

/** Between effects on live state and their messages. */
final class LiveEffectCodec {
  private LiveEffectCodec() {}

  static EffectMessage toMessage(LiveEffect effect) {
    EffectMessage.Builder message = EffectMessage.newBuilder();
    if (effect instanceof LiveEffect.OfLocks locks) {
      LockEffectCodec.add(message, locks);
    } else if (effect instanceof LiveEffect.OfRepairs repairs) {
      RepairEffectCodec.add(message, repairs);
    } else if (effect instanceof QuotaEffect quota) {
      QuotaEffectCodec.add(message, quota);
    } else if (effect instanceof ScrubEffect scrub) {
      ScrubEffectCodec.add(message, scrub);
    } else if (effect instanceof VolumeCreated created) {
      message.setVolumeCreated(toMessage(created));
    } else if (effect instanceof SessionOpened opened) {
      message.setSessionOpened(toMessage(opened));
    } else if (effect instanceof SessionClosed closed) {
      message.setSessionClosed(
          SessionClosedEffect.newBuilder().setSessionId(closed.session().value()));
    } else if (effect instanceof GrantOpened opened) {
      message.setGrantOpened(toMessage(opened));
    } else if (effect instanceof GrantClosed closed) {
      message.setGrantClosed(
          GrantClosedEffect.newBuilder()
              .setNumber(closed.number().value())
              .setObjectId(closed.object().value())
              .setCompleteUpTo(closed.completeUpTo()));
    } else if (effect instanceof GrantResolving resolving) {
      message.setGrantResolving(
          GrantScrubEffect.newBuilder()
              .setNumber(resolving.number().value())
              .setObjectId(resolving.object().value())
              .setRenewing(resolving.renewing()));
    } else {
      addRest(message, effect);
    }
    return message.build();
  }

  private static void addRest(EffectMessage.Builder message, LiveEffect effect) {
    if (effect instanceof Reply reply) {
      message.setReply(toMessage(reply));
    } else if (effect instanceof Counter counter) {
      message.setCounter(
          CounterEffect.newBuilder().setCounter(number(counter.kind())).setNext(counter.next()));
    } else if (effect instanceof OrphanAdded added) {
      message.setOrphanAdded(
          OrphanAddedEffect.newBuilder()
              .setObjectId(added.object().value())
              .addAllHolderOsd(numbers(added.holders())));
    } else if (effect instanceof OrphanRemoved removed) {
      message.setOrphanRemoved(
          OrphanRemovedEffect.newBuilder().setObjectId(removed.object().value()));
    } else if (effect instanceof LaggingAdded added) {
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
    } else if (effect instanceof GrantUnsettled unsettled) {
      message.setGrantUnsettled(
          GrantUnsettledEffect.newBuilder()
              .setNumber(unsettled.number().value())
              .setObjectId(unsettled.object().value())
              .setMap(unsettled.map().toMessage()));
    } else if (effect instanceof GrantRanges ranges) {
      message.setGrantRanges(toMessage(ranges));
    } else if (effect instanceof GrantMoved moved) {
      message.setGrantMoved(
          GrantMovedEffect.newBuilder()
              .setNumber(moved.number().value())
              .setObjectId(moved.object().value())
              .setMap(moved.map().toMessage()));
    } else if (effect instanceof GrantSuperseded superseded) {
      message.setGrantSuperseded(
          GrantSupersededEffect.newBuilder()
              .setNumber(superseded.number().value())
              .setObjectId(superseded.object().value()));
    } else if (effect instanceof GrantSuspects suspects) {
      message.setGrantSuspects(toMessage(suspects));
    } else if (effect instanceof FileDamaged damaged) {
      message.setFileDamaged(toMessage(damaged));
    } else if (effect instanceof LengthLive length) {
      message.setLengthLive(
          LengthLiveEffect.newBuilder()
              .setObjectId(length.object().value())
              .setLive(length.live()));
    } else if (effect instanceof GrantsRevoked revoked) {
      message.setGrantsRevoked(
          GrantsRevokedEffect.newBuilder()
              .addAllNumber(revoked.numbers().stream().map(Lsn::value).toList())
              .setWhy(revoked.why()));
    } else if (effect instanceof GrantSettled settled) {
      message.setGrantSettled(GrantSettledEffect.newBuilder().setNumber(settled.number().value()));
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  private static VolumeCreatedEffect toMessage(VolumeCreated created) {
    VolumeCreatedEffect.Builder message =
        VolumeCreatedEffect.newBuilder()
            .setPartitionId(created.volume().value())
            .setMetaCopies(created.metaCopies())
            .setCreatedMillis(created.createdMillis());
    created
        .handleKey()
        .ifPresent(
            key ->
                message
                    .setHandleKeyNumber(key.number())
                    .setHandleKey(ByteString.copyFrom(key.bytes())));
    return message.build();
  }

  private static SessionOpenedEffect toMessage(SessionOpened opened) {
    return SessionOpenedEffect.newBuilder()
        .setSessionId(opened.session().value())
        .setUser(opened.user())
        .addAllGroups(opened.groups())
        .setClientName(opened.clientName())
        .setNonce(opened.nonce())
        .setSlots(opened.slots())
        .setOpenedMillis(opened.openedMillis())
        .setSecret(
            opened
                .secret()
                .map(secret -> ByteString.copyFrom(secret.bytes()))
                .orElse(ByteString.EMPTY))
        .setKeepLocksMillis(opened.keeping().map(LockKeeping::millis).orElse(0))
        .setKeepLocksKey(opened.keeping().map(LockKeeping::key).orElse(ByteString.EMPTY))
        .setCachesReads(opened.cachesReads())
        .setTrusted(opened.trusted())
        .build();
  }

  private static ReplyEffect toMessage(Reply reply) {
    ReplyEffect.Builder message =
        ReplyEffect.newBuilder()
            .setSessionId(reply.session().value())
            .setSlot(reply.slot())
            .setSequence(reply.sequence())
            .setBytes(reply.bytes());
    reply
        .repeat()
        .ifPresent(
            key ->
                message
                    .getRepeatBuilder()
                    .setClient(key.client())
                    .setNumber(key.number())
                    .setChecksum(key.checksum())
                    .setDigest(key.digest()));
    return message.build();
  }

  private static GrantOpenedEffect toMessage(GrantOpened opened) {
    return GrantOpenedEffect.newBuilder()
        .setNumber(opened.number().value())
        .setObjectId(opened.object().value())
        .setSessionId(opened.session().value())
        .setMap(opened.map().toMessage())
        .setSinceMillis(opened.sinceMillis())
        .setClientName(opened.clientName())
        .setFirstNumber(opened.first().value())
        .setShared(opened.shared())
        .build();
  }

  private static GrantRangesEffect toMessage(GrantRanges ranges) {
    GrantRangesEffect.Builder message =
        GrantRangesEffect.newBuilder()
            .setNumber(ranges.number().value())
            .setObjectId(ranges.object().value());
    for (ByteRange range : ranges.owned().list()) {
      message.addFrom(range.from()).addTo(range.toInMessage());
    }
    return message.build();
  }

  private static FileDamagedEffect toMessage(FileDamaged damaged) {
    FileDamagedEffect.Builder message =
        FileDamagedEffect.newBuilder()
            .setObjectId(damaged.object().value())
            .setWhat(damaged.what());
    for (ByteRange range : damaged.gone().list()) {
      message.addFrom(range.from()).addTo(range.toInMessage());
    }
    return message.build();
  }

  private static FileDamaged fromMessage(FileDamagedEffect message) {
    if (message.getFromCount() != message.getToCount()) {
      throw new IllegalArgumentException(
          message.getFromCount() + " ranges begin, " + message.getToCount() + " end");
    }
    List<ByteRange> gone = new ArrayList<>();
    for (int range = 0; range < message.getFromCount(); range++) {
      gone.add(ByteRange.fromMessage(message.getFrom(range), message.getTo(range)));
    }
    return new FileDamaged(
        new ObjectId(message.getObjectId()), message.getWhat(), new ByteRanges(gone));
  }

  private static GrantSuspectsEffect toMessage(GrantSuspects suspects) {
    GrantSuspectsEffect.Builder message =
        GrantSuspectsEffect.newBuilder()
            .setNumber(suspects.number().value())
            .setObjectId(suspects.object().value());
    suspects
        .osds()
        .osds()
        .forEach(
            (osd, suspicion) ->
                message
                    .addOsdId(osd.value())
                    .addQuarantine(suspicion.quarantine())
                    .addCompared(suspicion.compared()));
    return message.build();
  }

  static LiveEffect fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case VOLUME_CREATED -> fromMessage(message.getVolumeCreated());
      case SESSION_OPENED -> fromMessage(message.getSessionOpened());
      case SESSION_CLOSED ->
          new SessionClosed(new SessionId(message.getSessionClosed().getSessionId()));
      case GRANT_OPENED -> fromMessage(message.getGrantOpened());
      case GRANT_CLOSED -> fromMessage(message.getGrantClosed());
      case GRANT_RESOLVING ->
          new GrantResolving(
              new Lsn(message.getGrantResolving().getNumber()),
              new ObjectId(message.getGrantResolving().getObjectId()),
              message.getGrantResolving().getRenewing());
      case REPLY -> fromMessage(message.getReply());
      case COUNTER ->
          new Counter(counter(message.getCounter().getCounter()), message.getCounter().getNext());
      case ORPHAN_ADDED ->
          new OrphanAdded(
              new ObjectId(message.getOrphanAdded().getObjectId()),
              osds(message.getOrphanAdded().getHolderOsdList()));
      case ORPHAN_REMOVED ->
          new OrphanRemoved(new ObjectId(message.getOrphanRemoved().getObjectId()));
      case LAGGING_ADDED -> fromMessage(message.getLaggingAdded());
      case LAGGING_CLEARED ->
          new LaggingCleared(
              new OsdId(message.getLaggingCleared().getOsdId()),
              new ObjectId(message.getLaggingCleared().getObjectId()));
      case GRANT_UNSETTLED ->
          new GrantUnsettled(
              new Lsn(message.getGrantUnsettled().getNumber()),
              new ObjectId(message.getGrantUnsettled().getObjectId()),
              StorageMap.fromMessage(message.getGrantUnsettled().getMap()));
      case GRANT_RANGES -> fromMessage(message.getGrantRanges());
      case GRANT_MOVED ->
          new GrantMoved(
              new Lsn(message.getGrantMoved().getNumber()),
              new ObjectId(message.getGrantMoved().getObjectId()),
              StorageMap.fromMessage(message.getGrantMoved().getMap()));
      case GRANT_SUPERSEDED ->
          new GrantSuperseded(
              new Lsn(message.getGrantSuperseded().getNumber()),
              new ObjectId(message.getGrantSuperseded().getObjectId()));
      case GRANT_SUSPECTS -> fromMessage(message.getGrantSuspects());
      case FILE_DAMAGED -> fromMessage(message.getFileDamaged());
      case LENGTH_LIVE ->
          new LengthLive(
              new ObjectId(message.getLengthLive().getObjectId()),
              message.getLengthLive().getLive());
      case GRANTS_REVOKED ->
          new GrantsRevoked(
              message.getGrantsRevoked().getNumberList().stream().map(Lsn::new).toList(),
              message.getGrantsRevoked().getWhy());
      case LOCKS_HELD -> LockEffectCodec.fromMessage(message.getLocksHeld());
      case LOCKS_KEPT -> LockEffectCodec.fromMessage(message.getLocksKept());
      case LOCKS_DROPPED ->
          new LiveEffect.LocksDropped(new SessionId(message.getLocksDropped().getSessionId()));
      case FILE_UNLOCKED ->
          new LiveEffect.FileUnlocked(new ObjectId(message.getFileUnlocked().getObjectId()));
      case GRANT_SETTLED -> new GrantSettled(new Lsn(message.getGrantSettled().getNumber()));
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

  private static VolumeCreated fromMessage(VolumeCreatedEffect created) {
    return new VolumeCreated(
        new PartitionId(created.getPartitionId()),
        created.getMetaCopies(),
        created.getCreatedMillis(),
        created.getHandleKey().isEmpty()
            ? Optional.empty()
            : Optional.of(
                HandleKey.of(created.getHandleKeyNumber(), created.getHandleKey().toByteArray())));
  }

  private static SessionOpened fromMessage(SessionOpenedEffect opened) {
    return new SessionOpened(
        new SessionId(opened.getSessionId()),
        opened.getUser(),
        opened.getGroupsList(),
        opened.getClientName(),
        opened.getNonce(),
        opened.getSlots(),
        opened.getOpenedMillis(),
        opened.getSecret().isEmpty()
            ? Optional.empty()
            : Optional.of(SessionSecret.of(opened.getSecret().toByteArray())),
        LockEffectCodec.keeping(opened.getKeepLocksMillis(), opened.getKeepLocksKey()),
        opened.getCachesReads(),
        opened.getTrusted());
  }

  private static GrantOpened fromMessage(GrantOpenedEffect opened) {
    long first = opened.getFirstNumber() == 0 ? opened.getNumber() : opened.getFirstNumber();
    return new GrantOpened(
        new Lsn(opened.getNumber()),
        new Lsn(first),
        new ObjectId(opened.getObjectId()),
        new SessionId(opened.getSessionId()),
        StorageMap.fromMessage(opened.getMap()),
        opened.getSinceMillis(),
        opened.getClientName(),
        opened.getShared());
  }

  private static GrantRanges fromMessage(GrantRangesEffect ranges) {
    if (ranges.getFromCount() != ranges.getToCount()) {
      throw new IllegalArgumentException(
          ranges.getFromCount() + " ranges begin, " + ranges.getToCount() + " end");
    }
    List<ByteRange> owned = new ArrayList<>(ranges.getFromCount());
    for (int index = 0; index < ranges.getFromCount(); index++) {
      owned.add(ByteRange.fromMessage(ranges.getFrom(index), ranges.getTo(index)));
    }
    return new GrantRanges(
        new Lsn(ranges.getNumber()), new ObjectId(ranges.getObjectId()), new ByteRanges(owned));
  }

  private static GrantSuspects fromMessage(GrantSuspectsEffect suspects) {
    int count = suspects.getOsdIdCount();
    if (suspects.getQuarantineCount() != count || suspects.getComparedCount() != count) {
      throw new IllegalArgumentException("not everything is said of " + count + " suspect OSDs");
    }
    SortedMap<OsdId, SuspectOsds.Suspicion> osds = new TreeMap<>();
    for (int index = 0; index < count; index++) {
      osds.put(
          new OsdId(suspects.getOsdId(index)),
          new SuspectOsds.Suspicion(suspects.getQuarantine(index), suspects.getCompared(index)));
    }
    return new GrantSuspects(
        new Lsn(suspects.getNumber()), new ObjectId(suspects.getObjectId()), new SuspectOsds(osds));
  }

  private static GrantClosed fromMessage(GrantClosedEffect closed) {
    return new GrantClosed(
        new Lsn(closed.getNumber()), new ObjectId(closed.getObjectId()), closed.getCompleteUpTo());
  }

  private static Reply fromMessage(ReplyEffect reply) {
    return new Reply(
        new SessionId(reply.getSessionId()),
        reply.getSlot(),
        reply.getSequence(),
        reply.getBytes(),
        reply.hasRepeat()
            ? Optional.of(
                new RepeatKey(
                    reply.getRepeat().getClient(),
                    reply.getRepeat().getNumber(),
                    reply.getRepeat().getChecksum(),
                    reply.getRepeat().getDigest()))
            : Optional.empty());
  }

  private static LaggingAdded fromMessage(LaggingAddedEffect added) {
    return new LaggingAdded(
        new OsdId(added.getOsdId()),
        new ObjectId(added.getObjectId()),
        added.getRemove() ? LaggingKind.REMOVE : LaggingKind.REFRESH,
        new Lsn(added.getLsn()),
        added.getRebuilt());
  }

  private static int number(CounterKind kind) {
    return switch (kind) {
      case OBJECT -> 1;
      case SESSION -> 2;
      case FILES -> 3;
      case CREATE_FLOOR -> 4;
      case TOLD_UP_TO -> 5;
    };
  }

  private static CounterKind counter(int number) {
    return switch (number) {
      case 1 -> CounterKind.OBJECT;
      case 2 -> CounterKind.SESSION;
      case 3 -> CounterKind.FILES;
      case 4 -> CounterKind.CREATE_FLOOR;
      case 5 -> CounterKind.TOLD_UP_TO;
      default -> throw new IllegalArgumentException("no counter has number " + number);
    };
  }
}
