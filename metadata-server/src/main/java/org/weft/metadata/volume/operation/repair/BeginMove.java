package org.weft.metadata.volume.operation.repair;

import com.google.protobuf.MessageLite;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.balance.BalanceRound;
import org.weft.metadata.balance.BalanceTargets;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.operation.UnfinishedCuts;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.Empty;
import org.weft.recovery.rebuild.ComponentRebuild;

/**
 * The manager's own: a component is to move from an OSD that holds more than others to one that
 * holds less (P 6.8c). The map stays as it is until {@link FinishRebuild}; the record only says
 * where the component is being written, and under which number, as for a drain.
 *
 * <p>Answers with the file's attributes, or with nothing if the component is not where the round
 * takes it from. What has begun is in the {@link org.weft.metadata.repair.RebuildTable} then. No
 * writer is asked for its grant.
 *
 * @param avoided OSDs that took nothing when they were tried last
 */
public record BeginMove(ObjectId object, int component, BalanceRound round, Set<OsdId> avoided)
    implements Operation {
  public BeginMove {
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(round, "round");
    avoided = Collections.unmodifiableSet(new TreeSet<>(avoided));
  }

  /**
   * @throws WeftException BUSY, with the reason, if the file is being written, not at rest or not
   *     whole; NO_SPACE if no OSD takes the component; NOT_FOUND if the file is gone
   */
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    if (on.view().isBeingRemoved(object)) {
      on.view().sawAll();
      return Empty.getDefaultInstance();
    }
    Attributes file = on.view().attributes(object, List.of(), "object " + object);
    StorageMap map = file.map();
    if (!isToMove(file)) {
      return Empty.getDefaultInstance();
    }
    requireUnwritten(on, file);
    if (new UnfinishedCuts(on).take(file)) {
      return Replies.attributes(file);
    }
    requireWhole(on, file);
    new BeginRebuild(object, Set.of(), avoided).requireRest(on, file, new TreeSet<>());
    long bytes = ComponentRebuild.bytesOf(map.layout(), file.sizeBytes(), component);
    // What an OSD is to be rid of first would take the new component with it.
    Set<OsdId> unfit = new HashSet<>(avoided);
    unfit.addAll(on.view().laggingOn(object));
    OsdId target =
        new BalanceTargets(on.cluster().pool(), round, on.rebuilds().pledgedBytes(), on.random())
            .choose(map, component, bytes, unfit)
            .orElseThrow(
                () ->
                    new WeftException(
                        ErrorCode.NO_SPACE,
                        "no OSD that holds less than others takes component %d of %s, object %s"
                            .formatted(component, file.parent().name(), object)));
    on.draft()
        .add(
            new LiveEffect.RebuildBegun(
                object,
                component,
                target,
                on.draft().lsn(),
                map.generation(),
                true,
                bytes,
                false,
                true));
    return Replies.attributes(file);
  }

  private boolean isToMove(Attributes file) {
    StorageMap map = file.map();
    return !file.isDirectory()
        && !file.isAttributesAlone()
        && component < map.components().size()
        && ComponentRebuild.exists(map.layout(), file.sizeBytes(), component)
        && round.leaves(map.osdOf(component), object, component);
  }

  private void requireUnwritten(Execution on, Attributes file) throws WeftException {
    List<WriteGrant> grants = on.grants().of(object);
    if (!grants.isEmpty()) {
      throw busy(file, "is being written by " + grants.get(0).clientName());
    }
  }

  /** What is to be repaired is repaired first, and what is read must all be there. */
  private void requireWhole(Execution on, Attributes file) throws WeftException {
    if (!file.map().missing().isEmpty()) {
      throw busy(file, "has components that are missing");
    }
    Set<OsdId> up = new HashSet<>(on.cluster().pool().up());
    for (OsdId osd : file.map().components()) {
      if (!up.contains(osd)) {
        throw busy(file, "has a component on OSD " + osd + ", which is not up");
      }
    }
    if (!on.repairTables().leftOn(object).isEmpty()) {
      throw busy(file, "has just moved, and is removed where it was first");
    }
  }

  private WeftException busy(Attributes file, String why) {
    return new WeftException(
        ErrorCode.BUSY, file.parent().name() + ", object " + object + ", " + why);
  }
}
