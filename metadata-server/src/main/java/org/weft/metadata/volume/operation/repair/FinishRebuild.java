package org.weft.metadata.volume.operation.repair;

import com.google.protobuf.MessageLite;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.placement.OsdPool;
import org.weft.metadata.readmission.UnsettledGrant;
import org.weft.metadata.repair.GoneBytes;
import org.weft.metadata.repair.Rebuild;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: a component is written anew and durable on its new OSD. One record puts it
 * into the next generation of the map (P 6.8). It also has what the old OSD holds of it removed
 * whenever that OSD comes back. A drained OSD goes on serving. No client may write the file before
 * the old component was removed there, since an older map still leads to it.
 *
 * @param number under which it was written
 * @param lostBlocks blocks that no OSD could give any more
 * @param lostOffsets where the first of them are in the component, ascending
 */
public record FinishRebuild(ObjectId object, Lsn number, long lostBlocks, List<Long> lostOffsets)
    implements Operation {
  /** No block is lost, or their places are unknown. */
  public FinishRebuild(ObjectId object, Lsn number, long lostBlocks) {
    this(object, number, lostBlocks, List.of());
  }

  public FinishRebuild {
    lostOffsets = List.copyOf(lostOffsets);
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(number, "number");
  }

  /**
   * @throws WeftException GRANT_REVOKED if it was given up meanwhile. UNAVAILABLE if the OSD that
   *     had the component is back, or is not drained any more: then what it holds is the file's.
   *     Also UNAVAILABLE if a drain or a balance moves it, and the new OSD is not up, or is
   *     drained, too. TOO_MANY_LOST if blocks are lost that an OSD may bring back. BAD_CHECKSUM if
   *     the component moves for a balance and has damaged blocks
   */
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Rebuild rebuild =
        on.rebuilds()
            .find(object)
            .filter(each -> each.number().equals(number))
            .orElseThrow(
                () ->
                    new WeftException(
                        ErrorCode.GRANT_REVOKED,
                        "object " + object + " was written or changed while it was rebuilt"));
    Attributes file = on.view().attributes(object, List.of(), "object " + object);
    StorageMap map = file.map();
    int component = rebuild.component();
    OsdId before = map.osdOf(component);
    if (rebuild.balances()) {
      requireBetter(on, rebuild);
    } else if (!map.isMissing(component) && !on.cluster().isDown(before)) {
      requireLeaving(on, rebuild, before);
    }
    if (lostBlocks > 0) {
      requireNoneComesBack(on, map);
    }
    StorageMap next = MovedMaps.component(map, component, rebuild.target());
    on.draft().add(new LiveEffect.RebuildEnded(object));
    new RebuiltComponents(on).leave(file, List.of(before), List.of(rebuild.target()));
    settle(on, next);
    if (lostBlocks > 0) {
      String what =
          "%s, object %s, has lost %d blocks of 4 KiB in component %d: too many of what they were computed from is damaged; reading them fails, replace or remove the file"
              .formatted(file.parent().name(), object, lostBlocks, component);
      ByteRanges gone = GoneBytes.ofBlocks(map.layout(), file.sizeBytes(), component, lostOffsets);
      on.draft().add(new LiveEffect.FileDamaged(object, what, gone));
    }
    on.draft().put(file.edit().map(next).build());
    return Empty.getDefaultInstance();
  }

  /**
   * What moves for a balance stays where it is unless that is as good elsewhere. On an OSD that is
   * drained by now it could come too late to be found there.
   */
  private void requireBetter(Execution on, Rebuild rebuild) throws WeftException {
    OsdPool pool = on.cluster().pool();
    OsdId target = rebuild.target();
    if (!pool.up().contains(target) || pool.draining().contains(target)) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "OSD %s, where a component of object %s was copied to, is not up or is drained"
              .formatted(target, object));
    }
    if (lostBlocks > 0) {
      throw new WeftException(
          ErrorCode.BAD_CHECKSUM,
          "component %d of object %s has damaged blocks, and stays where it is"
              .formatted(rebuild.component(), object));
    }
  }

  private void requireLeaving(Execution on, Rebuild rebuild, OsdId before) throws WeftException {
    if (!rebuild.moves()) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "OSD " + before + " is back before object " + object + " was rebuilt");
    }
    if (!on.cluster().pool().draining().contains(before)) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "OSD " + before + " is not drained any more, and keeps object " + object);
    }
    if (!on.cluster().pool().up().contains(rebuild.target())) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "OSD %s, where object %s was copied to, is not up, and OSD %s, which is drained, is"
              .formatted(rebuild.target(), object, before));
    }
    if (on.cluster().pool().draining().contains(rebuild.target())) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "OSD %s, where object %s was copied to, is drained itself by now: another is drawn"
              .formatted(rebuild.target(), object));
    }
  }

  /** An OSD that is merely down may have what the others cannot give, and is not to lose it. */
  private void requireNoneComesBack(Execution on, StorageMap map) throws WeftException {
    for (int each = 0; each < map.components().size(); each++) {
      OsdId osd = map.osdOf(each);
      if (!map.isMissing(each) && on.cluster().isDown(osd) && !on.cluster().isRemoved(osd)) {
        throw new WeftException(
            ErrorCode.TOO_MANY_LOST,
            "%d blocks of object %s are damaged elsewhere, and OSD %s may have what they were computed from: start it, or remove it (weft osd remove)"
                .formatted(lostBlocks, object, osd));
      }
    }
  }

  /** What was written last waits no more for OSDs that the file is not on any more. */
  private void settle(Execution on, StorageMap next) {
    Set<OsdId> present = new HashSet<>();
    for (int each = 0; each < next.components().size(); each++) {
      if (!next.isMissing(each)) {
        present.add(next.osdOf(each));
      }
    }
    for (UnsettledGrant grant : on.unsettled().of(object)) {
      Set<OsdId> awaited = on.unsettled().awaitedBy(grant.number());
      if (grant.suspects().isEmpty() && awaited.stream().noneMatch(present::contains)) {
        on.draft().add(new LiveEffect.GrantSettled(grant.number()));
      }
    }
  }
}
