package org.weft.metadata.volume.operation.repair;

import com.google.protobuf.MessageLite;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.operation.UnfinishedCuts;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: an OSD holds blocks of a file or directory that it does not give back as they
 * were written (P 6.8b).
 *
 * <p>Blocks of a file are written anew where they are, under the number of this record, while the
 * {@link org.weft.metadata.repair.RebuildTable} names it. That ends with the record that lets a
 * client write the file. A directory's copy counts as left behind from now on, and is caught up.
 *
 * <p>Answers with the file's attributes, or empty if nothing can or need be written.
 *
 * @param osd that has the blocks
 * @param alsoBadOn other OSDs with such blocks of the same object
 */
public record BeginBlockRepair(ObjectId object, OsdId osd, Set<OsdId> alsoBadOn)
    implements Operation {
  public BeginBlockRepair {
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(osd, "osd");
    alsoBadOn = Collections.unmodifiableSet(new TreeSet<>(alsoBadOn));
  }

  /**
   * @throws WeftException BUSY, with the reason, if the file has to come to rest first.
   *     TOO_MANY_LOST if no copy of a directory is left without damage. NOT_FOUND if it is gone
   */
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    if (on.view().isBeingRemoved(object)) {
      on.view().sawAll();
      return Empty.getDefaultInstance();
    }
    Attributes file = on.view().attributes(object, List.of(), "object " + object);
    OptionalInt component = componentOn(file.map());
    if (component.isEmpty() || file.isAttributesAlone()) {
      // What it holds there is no part of the file any more.
      on.view().sawAll();
      return Empty.getDefaultInstance();
    }
    if (file.isDirectory()) {
      refresh(on, file);
      return Empty.getDefaultInstance();
    }
    BeginRebuild rules = new BeginRebuild(object, Set.of(), Set.of());
    rules.requireUnwritten(on, file);
    if (new UnfinishedCuts(on).take(file)) {
      return Replies.attributes(file);
    }
    rules.requireRest(on, file, removed(on, file.map()));
    on.draft()
        .add(
            new LiveEffect.RebuildBegun(
                object,
                component.getAsInt(),
                osd,
                on.draft().lsn(),
                file.map().generation(),
                false,
                0,
                true,
                false));
    return Replies.attributes(file);
  }

  private OptionalInt componentOn(StorageMap map) {
    SortedSet<Integer> there = map.presentOn(Set.of(osd));
    return there.isEmpty() ? OptionalInt.empty() : OptionalInt.of(there.first());
  }

  /** OSDs of the file that do not come back. */
  private static SortedSet<OsdId> removed(Execution on, StorageMap map) {
    SortedSet<OsdId> removed = new TreeSet<>();
    for (OsdId each : map.components()) {
      if (on.cluster().isRemoved(each)) {
        removed.add(each);
      }
    }
    return removed;
  }

  /** What is caught up comes from a copy that is up to date, and has no damage that is known. */
  private void refresh(Execution on, Attributes directory) throws WeftException {
    SortedSet<OsdId> lagging = on.view().laggingOn(object);
    if (lagging.contains(osd)) {
      on.view().sawAll();
      return;
    }
    Set<OsdId> up = new HashSet<>(on.cluster().pool().up());
    boolean hasSource = false;
    StorageMap map = directory.map();
    for (int each = 0; each < map.components().size(); each++) {
      OsdId other = map.osdOf(each);
      hasSource |=
          !other.equals(osd)
              && !map.isMissing(each)
              && !lagging.contains(other)
              && !alsoBadOn.contains(other)
              && up.contains(other);
    }
    if (!hasSource) {
      throw new WeftException(
          ErrorCode.TOO_MANY_LOST,
          "directory %s, object %s, has damaged blocks on OSD %s, and no copy on an OSD that is up and without damage: start its OSDs %s"
              .formatted(directory.parent().name(), object, osd, map.components()));
    }
    on.draft().add(new LiveEffect.LaggingAdded(osd, object, LaggingKind.REFRESH, Lsn.ZERO));
  }
}
