package org.weft.metadata.volume.state;

import java.util.ArrayList;
import java.util.List;
import org.weft.metadata.grant.GrantTable;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.OfGrants;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.metadata.readmission.UnsettledGrant;
import org.weft.metadata.readmission.UnsettledGrants;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.OwnedStripes;

/**
 * Write grants from their beginning until their writes are under checkpoints (P 5.5, 5.9, 6.5). It
 * is live state, changed by effects alone. Pure, confined to the volume's thread.
 */
final class GrantTables {
  private final GrantTable open = new GrantTable();
  private final UnsettledGrants unsettled = new UnsettledGrants();

  /** Grants that are open or await their resolve, and orphans. */
  GrantTable open() {
    return open;
  }

  /** Grants that have ended and may be lost in part. */
  UnsettledGrants unsettled() {
    return unsettled;
  }

  /**
   * Applies an effect.
   *
   * @param lsn of the record in which it stands
   */
  void apply(OfGrants effect, Lsn lsn) {
    if (effect instanceof LiveEffect.GrantOpened opened) {
      open.open(
          new WriteGrant(
              opened.number(),
              opened.first(),
              opened.object(),
              opened.session(),
              opened.map(),
              opened.sinceMillis(),
              opened.clientName(),
              opened.shared(),
              WriteGrant.State.HELD,
              SuspectOsds.NONE));
    } else if (effect instanceof LiveEffect.GrantRanges ranges) {
      open.own(ranges.number(), ranges.owned());
    } else if (effect instanceof LiveEffect.GrantSuperseded superseded) {
      open.supersede(superseded.number());
    } else if (effect instanceof LiveEffect.GrantResolving resolving) {
      resolve(resolving, lsn);
    } else if (effect instanceof LiveEffect.GrantsRevoked revoked) {
      revoked.numbers().forEach(number -> open.revoke(number, revoked.why()));
    } else if (effect instanceof LiveEffect.GrantMoved moved) {
      open.move(moved.number(), moved.map());
    } else if (effect instanceof LiveEffect.OrphanAdded orphan) {
      open.addOrphan(orphan.object(), orphan.holders());
    } else if (effect instanceof LiveEffect.OrphanRemoved orphan) {
      open.removeOrphan(orphan.object());
    } else {
      applyEnding(effect);
    }
  }

  private void applyEnding(OfGrants effect) {
    if (effect instanceof LiveEffect.GrantClosed closed) {
      open.find(closed.number())
          .ifPresent(
              grant ->
                  unsettled.add(
                      new UnsettledGrant(
                          grant.number(), grant.object(), grant.map(), grant.suspects())));
      open.close(closed.number());
    } else if (effect instanceof LiveEffect.GrantUnsettled left) {
      unsettled.add(new UnsettledGrant(left.number(), left.object(), left.map(), SuspectOsds.NONE));
    } else if (effect instanceof LiveEffect.GrantSuspects suspects) {
      open.suspect(suspects.number(), suspects.osds());
      unsettled.suspect(suspects.number(), suspects.osds());
    } else if (effect instanceof LiveEffect.GrantSettled settled) {
      unsettled.remove(settled.number());
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  private void resolve(LiveEffect.GrantResolving resolving, Lsn lsn) {
    // One that is renewed and taken from its holder meanwhile begins no other attempt.
    boolean begins =
        open.find(resolving.number())
            .filter(WriteGrant::awaitsResolve)
            .filter(grant -> grant.renewing() == resolving.renewing())
            .isPresent();
    if (resolving.renewing()) {
      open.markRenewing(resolving.number());
    } else {
      open.markResolving(resolving.number());
    }
    if (begins) {
      open.attempt(resolving.object(), lsn);
    }
  }

  /** All of them, as a snapshot has them. */
  List<LiveEffect> snapshot() {
    List<LiveEffect> effects = new ArrayList<>();
    open.all().forEach(grant -> add(grant, effects));
    open.revoked()
        .forEach((number, why) -> effects.add(new LiveEffect.GrantsRevoked(List.of(number), why)));
    open.orphans()
        .forEach((object, holders) -> effects.add(new LiveEffect.OrphanAdded(object, holders)));
    for (UnsettledGrant grant : unsettled.all()) {
      effects.add(new LiveEffect.GrantUnsettled(grant.number(), grant.object(), grant.map()));
      if (!grant.suspects().isEmpty()) {
        effects.add(new LiveEffect.GrantSuspects(grant.number(), grant.object(), grant.suspects()));
      }
    }
    return effects;
  }

  private void add(WriteGrant grant, List<LiveEffect> effects) {
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
      effects.add(new LiveEffect.GrantResolving(grant.number(), grant.object(), grant.renewing()));
    } else if (grant.superseded()) {
      effects.add(new LiveEffect.GrantSuperseded(grant.number(), grant.object()));
    }
    OwnedStripes owned = open.ranges().of(grant.number());
    if (!owned.isEmpty()) {
      effects.add(new LiveEffect.GrantRanges(grant.number(), grant.object(), owned));
    }
    if (!grant.suspects().isEmpty()) {
      effects.add(new LiveEffect.GrantSuspects(grant.number(), grant.object(), grant.suspects()));
    }
  }
}
