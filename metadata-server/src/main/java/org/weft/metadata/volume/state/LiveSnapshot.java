package org.weft.metadata.volume.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.weft.metadata.grant.GrantTable;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.CounterKind;
import org.weft.metadata.readmission.UnsettledGrant;
import org.weft.metadata.session.Session;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.ByteRanges;

/** The live state of a volume as a snapshot has it (P 6.4). */
final class LiveSnapshot {
  private LiveSnapshot() {}

  /** The whole live state as effects that make it again when applied to nothing (P 6.4). */
  static List<LiveEffect> of(VolumeState state) {
    List<LiveEffect> effects = new ArrayList<>();
    GrantTable grants = state.grants();
    state.created().ifPresent(effects::add);
    for (CounterKind kind : CounterKind.values()) {
      effects.add(new LiveEffect.Counter(kind, state.counters().get(kind)));
    }
    for (Session session : state.sessions().all()) {
      effects.add(
          new LiveEffect.SessionOpened(
              session.id(),
              session.credentials().user(),
              session.credentials().groups(),
              session.clientName(),
              session.nonce(),
              session.slotCount(),
              session.openedMillis(),
              session.secret(),
              session.keeping(),
              state.reads().isCaching(session.id()),
              session.trusted()));
      session.forEachSuccess(
          (slot, sequence, answer) ->
              effects.add(new LiveEffect.Reply(session.id(), slot, sequence, answer.body())));
    }
    effects.addAll(state.firstAnswers().snapshot());
    for (WriteGrant grant : grants.all()) {
      effects.add(
          new LiveEffect.GrantOpened(
              grant.number(),
              grant.first(),
              grant.object(),
              grant.session(),
              grant.map(),
              grant.sinceMillis(),
              grant.clientName(),
              grant.shared()));
      if (grant.awaitsResolve()) {
        effects.add(
            new LiveEffect.GrantResolving(grant.number(), grant.object(), grant.renewing()));
      } else if (grant.superseded()) {
        effects.add(new LiveEffect.GrantSuperseded(grant.number(), grant.object()));
      }
      ByteRanges owned = grants.ranges().of(grant.number());
      if (!owned.isEmpty()) {
        effects.add(new LiveEffect.GrantRanges(grant.number(), grant.object(), owned));
      }
      if (!grant.suspects().isEmpty()) {
        effects.add(new LiveEffect.GrantSuspects(grant.number(), grant.object(), grant.suspects()));
      }
    }
    grants
        .revoked()
        .forEach((number, why) -> effects.add(new LiveEffect.GrantsRevoked(List.of(number), why)));
    state.lengths().live().forEach(object -> effects.add(new LiveEffect.LengthLive(object, true)));
    for (Map.Entry<ObjectId, List<OsdId>> orphan : grants.orphans().entrySet()) {
      effects.add(new LiveEffect.OrphanAdded(orphan.getKey(), orphan.getValue()));
    }
    effects.addAll(state.repairTables().snapshot());
    for (UnsettledGrant grant : state.unsettled().all()) {
      effects.add(new LiveEffect.GrantUnsettled(grant.number(), grant.object(), grant.map()));
      if (!grant.suspects().isEmpty()) {
        effects.add(new LiveEffect.GrantSuspects(grant.number(), grant.object(), grant.suspects()));
      }
    }
    effects.addAll(state.damaged().values());
    effects.addAll(state.locks().table().snapshot());
    effects.addAll(state.quotas().snapshot());
    effects.addAll(state.scrub().snapshot());
    effects.addAll(state.cache().laggingState());
    return effects;
  }
}
