package org.weft.metadata.journal;

import static org.weft.metadata.journal.ObjectEffectCodec.numbers;
import static org.weft.metadata.journal.ObjectEffectCodec.osds;

import java.util.SortedMap;
import java.util.TreeMap;
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
import org.weft.metadata.journal.LiveEffect.OfGrants;
import org.weft.metadata.journal.LiveEffect.OrphanAdded;
import org.weft.metadata.journal.LiveEffect.OrphanRemoved;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.EffectMessage;
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
import org.weft.protocol.wire.OrphanAddedEffect;
import org.weft.protocol.wire.OrphanRemovedEffect;
import org.weft.protocol.wire.SuspectOsdMessage;

/** Between effects on write grants and orphans, and their messages. */
final class GrantEffectCodec {
  private GrantEffectCodec() {}

  static void add(EffectMessage.Builder message, OfGrants effect) {
    if (effect instanceof GrantOpened opened) {
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
    } else if (effect instanceof GrantsRevoked revoked) {
      message.setGrantsRevoked(
          GrantsRevokedEffect.newBuilder()
              .addAllNumber(revoked.numbers().stream().map(Lsn::value).toList())
              .setWhy(revoked.why()));
    } else if (effect instanceof GrantMoved moved) {
      message.setGrantMoved(
          GrantMovedEffect.newBuilder()
              .setNumber(moved.number().value())
              .setObjectId(moved.object().value())
              .setMap(moved.map().toMessage()));
    } else if (effect instanceof GrantRanges ranges) {
      message.setGrantRanges(toMessage(ranges));
    } else if (effect instanceof GrantSuperseded superseded) {
      message.setGrantSuperseded(
          GrantSupersededEffect.newBuilder()
              .setNumber(superseded.number().value())
              .setObjectId(superseded.object().value()));
    } else if (effect instanceof GrantSuspects suspects) {
      message.setGrantSuspects(toMessage(suspects));
    } else {
      addRest(message, effect);
    }
  }

  private static void addRest(EffectMessage.Builder message, OfGrants effect) {
    if (effect instanceof GrantUnsettled unsettled) {
      message.setGrantUnsettled(
          GrantUnsettledEffect.newBuilder()
              .setNumber(unsettled.number().value())
              .setObjectId(unsettled.object().value())
              .setMap(unsettled.map().toMessage()));
    } else if (effect instanceof GrantSettled settled) {
      message.setGrantSettled(GrantSettledEffect.newBuilder().setNumber(settled.number().value()));
    } else if (effect instanceof OrphanAdded added) {
      message.setOrphanAdded(
          OrphanAddedEffect.newBuilder()
              .setObjectId(added.object().value())
              .addAllHolderOsd(numbers(added.holders())));
    } else if (effect instanceof OrphanRemoved removed) {
      message.setOrphanRemoved(
          OrphanRemovedEffect.newBuilder().setObjectId(removed.object().value()));
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
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
    return GrantRangesEffect.newBuilder()
        .setNumber(ranges.number().value())
        .setObjectId(ranges.object().value())
        .addAllWriting(ranges.owned().writing().toMessages())
        .addAllReading(ranges.owned().reading().toMessages())
        .build();
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
                message.addOsds(
                    SuspectOsdMessage.newBuilder()
                        .setOsdId(osd.value())
                        .setQuarantine(suspicion.quarantine())
                        .setCompared(suspicion.compared())));
    return message.build();
  }

  static LiveEffect fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case GRANT_OPENED -> fromMessage(message.getGrantOpened());
      case GRANT_CLOSED -> fromMessage(message.getGrantClosed());
      case GRANT_RESOLVING ->
          new GrantResolving(
              new Lsn(message.getGrantResolving().getNumber()),
              new ObjectId(message.getGrantResolving().getObjectId()),
              message.getGrantResolving().getRenewing());
      case GRANTS_REVOKED ->
          new GrantsRevoked(
              message.getGrantsRevoked().getNumberList().stream().map(Lsn::new).toList(),
              message.getGrantsRevoked().getWhy());
      case GRANT_MOVED ->
          new GrantMoved(
              new Lsn(message.getGrantMoved().getNumber()),
              new ObjectId(message.getGrantMoved().getObjectId()),
              StorageMap.fromMessage(message.getGrantMoved().getMap()));
      case GRANT_RANGES -> fromMessage(message.getGrantRanges());
      case GRANT_SUPERSEDED ->
          new GrantSuperseded(
              new Lsn(message.getGrantSuperseded().getNumber()),
              new ObjectId(message.getGrantSuperseded().getObjectId()));
      case GRANT_SUSPECTS -> fromMessage(message.getGrantSuspects());
      case GRANT_UNSETTLED ->
          new GrantUnsettled(
              new Lsn(message.getGrantUnsettled().getNumber()),
              new ObjectId(message.getGrantUnsettled().getObjectId()),
              StorageMap.fromMessage(message.getGrantUnsettled().getMap()));
      case GRANT_SETTLED -> new GrantSettled(new Lsn(message.getGrantSettled().getNumber()));
      case ORPHAN_ADDED ->
          new OrphanAdded(
              new ObjectId(message.getOrphanAdded().getObjectId()),
              osds(message.getOrphanAdded().getHolderOsdList()));
      case ORPHAN_REMOVED ->
          new OrphanRemoved(new ObjectId(message.getOrphanRemoved().getObjectId()));
      default -> throw new IllegalArgumentException("not of this codec: " + message);
    };
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

  private static GrantClosed fromMessage(GrantClosedEffect closed) {
    return new GrantClosed(
        new Lsn(closed.getNumber()), new ObjectId(closed.getObjectId()), closed.getCompleteUpTo());
  }

  private static GrantRanges fromMessage(GrantRangesEffect message) {
    return new GrantRanges(
        new Lsn(message.getNumber()),
        new ObjectId(message.getObjectId()),
        new OwnedStripes(
            ByteRanges.fromMessages(message.getWritingList()),
            ByteRanges.fromMessages(message.getReadingList())));
  }

  private static GrantSuspects fromMessage(GrantSuspectsEffect suspects) {
    SortedMap<OsdId, SuspectOsds.Suspicion> osds = new TreeMap<>();
    for (SuspectOsdMessage osd : suspects.getOsdsList()) {
      osds.put(
          new OsdId(osd.getOsdId()),
          new SuspectOsds.Suspicion(osd.getQuarantine(), osd.getCompared()));
    }
    return new GrantSuspects(
        new Lsn(suspects.getNumber()), new ObjectId(suspects.getObjectId()), new SuspectOsds(osds));
  }
}
