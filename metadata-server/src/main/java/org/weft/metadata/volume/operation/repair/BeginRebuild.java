package org.weft.metadata.volume.operation.repair;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.help.NoRoom;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.readmission.UnsettledGrant;
import org.weft.metadata.repair.OsdsToEmpty;
import org.weft.metadata.repair.RebuildNeed;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.PowerLosses;
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
import org.weft.recovery.rebuild.ComponentRebuild;

/**
 * The manager's own: something of a file or directory lies on an OSD that is lost for good, or is
 * missing in the map, and is to be on another one (P 6.8).
 *
 * <p>Copies of attributes and directories move at once: the map names the other OSD from now on,
 * and flushing and catching up bring it what it lacks. A component with bytes stays in the map as
 * it is; the record only says where it is being written anew, and under which number. So if its OSD
 * comes back before that is done, nothing was lost by it: what it holds is the file's still. What
 * is on OSDs that are drained moves in the same way, and directories by {@link DirectoryMove}.
 *
 * <p>Answers with the file's attributes, or with nothing if there is nothing to do. What has begun
 * is in the {@link org.weft.metadata.repair.RebuildTable} then.
 *
 * @param lost OSDs that do not come back, as far as the cluster calls them down still
 * @param avoided OSDs that took nothing when they were tried last
 * @param shunned OSDs that a component with bytes does not go to; what would lie best on one of
 *     these is not begun
 * @param kept of the lost ones, those that nothing is written anew for now
 */
public record BeginRebuild(
    ObjectId object, Set<OsdId> lost, Set<OsdId> avoided, Set<OsdId> shunned, Set<OsdId> kept)
    implements Operation {
  /** For all that are lost. */
  public BeginRebuild(ObjectId object, Set<OsdId> lost, Set<OsdId> avoided) {
    this(object, lost, avoided, Set.of(), Set.of());
  }

  public BeginRebuild {
    Objects.requireNonNull(object, "object");
    lost = Collections.unmodifiableSet(new TreeSet<>(lost));
    avoided = Collections.unmodifiableSet(new TreeSet<>(avoided));
    shunned = Collections.unmodifiableSet(new TreeSet<>(shunned));
    kept = Collections.unmodifiableSet(new TreeSet<>(kept));
  }

  /**
   * @throws WeftException BUSY, with the reason, if the file has to come to rest first;
   *     TOO_MANY_LOST if nothing of it can be written anew; NO_SPACE if no OSD takes it; NOT_FOUND
   *     if it is gone; with {@link NoRoom} if it would lie best on one that is shunned
   */
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    if (on.view().isBeingRemoved(object)) {
      on.view().sawAll();
      return Empty.getDefaultInstance();
    }
    Attributes file = on.view().attributes(object, List.of(), "object " + object);
    SortedSet<OsdId> gone = new TreeSet<>();
    for (OsdId osd : lost) {
      if (on.cluster().isDown(osd)) {
        gone.add(osd);
      }
    }
    SortedSet<OsdId> leaving = new TreeSet<>(on.cluster().pool().draining());
    RebuildNeed need =
        RebuildNeed.of(
            file,
            new OsdsToEmpty(gone, leaving, Collections.emptySortedMap(), new TreeSet<>(kept)));
    if (need.isEmpty()) {
      return Empty.getDefaultInstance();
    }
    if (on.grants().awaitsResolve(object) && !need.hopeless().isEmpty()) {
      // It cannot be put in order without them, and no writer would wait for that to end.
      throw hopeless(file, need.hopeless());
    }
    requireUnwritten(on, file);
    UnfinishedCuts cuts = new UnfinishedCuts(on);
    boolean isGivenUp = !file.isDirectory() && cuts.isGivenUp(file);
    if (!file.isDirectory() && !isGivenUp && cuts.take(file)) {
      return Replies.attributes(file);
    }
    requireRest(on, file, gone);
    ComponentSpares spares = new ComponentSpares(on, object, avoided);
    boolean moves = !need.moving().isEmpty() || !need.heirs().isEmpty();
    if (file.isDirectory() && moves) {
      return Replies.attributes(new DirectoryMove(on, spares).step(file, need));
    }
    Optional<Attributes> moved = move(on, file, need, spares);
    if (moved.isPresent()) {
      return Replies.attributes(moved.get());
    }
    if (!need.bytes().isEmpty() && !isGivenUp) {
      return begin(on, file, need.bytes().get(0), spares);
    }
    // As they are: a drain does not wait for a file that lost too much.
    if (moves) {
      return begin(on, file, need.moving().get(0), spares);
    }
    if (isGivenUp) {
      throw UnfinishedCuts.givenUp(file);
    }
    if (!need.hopeless().isEmpty()) {
      throw hopeless(file, need.hopeless());
    }
    if (file.isDirectory() || need.copies().isEmpty()) {
      throw noSpare(file);
    }
    return Replies.attributes(makeRoom(on, file, need.copies().get(0), 0, spares));
  }

  static WeftException hopeless(Attributes file, SortedSet<Integer> components) {
    return new WeftException(
        ErrorCode.TOO_MANY_LOST,
        "%s, object %s, has lost components %s, which were on OSDs %s, more than it has parity units; bring one of these OSDs back, or replace the file"
            .formatted(
                file.parent().name(),
                file.object(),
                components,
                components.stream().map(file.map()::osdOf).toList()));
  }

  /** What is computed from the others is to be believed only where nothing of them may change. */
  void requireUnwritten(Execution on, Attributes file) throws WeftException {
    List<WriteGrant> grants = on.grants().of(object);
    if (!grants.isEmpty()) {
      on.grantWishes().wantedForRepair(object, on.nowNanos());
      throw busy(
          file,
          on.grants().awaitsResolve(object)
              ? "was written by " + grants.get(0).clientName() + ", and is put in order first"
              : "is being written by " + grants.get(0).clientName());
    }
  }

  /** As the other one: nothing of it may be half done either. */
  void requireRest(Execution on, Attributes file, SortedSet<OsdId> gone) throws WeftException {
    // A client that gave it back for this goes on waiting, as long as may be.
    on.grantWishes().stillWanted(object, on.nowNanos());
    if (on.grants().isOrphan(object)) {
      throw busy(file, "has no name any more and goes with its last reader");
    }
    if (on.rebuilds().find(object).isPresent()) {
      throw busy(file, "is being rebuilt already");
    }
    if (file.isDirectory() || file.isAttributesAlone()) {
      return;
    }
    if (!new PowerLosses(on, object).decided().isEmpty()) {
      throw busy(file, "is compared after a loss of power first");
    }
    SortedSet<OsdId> awaited = awaited(on, file.map());
    awaited.removeAll(gone);
    if (!awaited.isEmpty()) {
      throw busy(file, "was written lately, and is not durable yet on OSDs " + awaited);
    }
  }

  /** OSDs of the file that may still lose with their power what was written last. */
  private SortedSet<OsdId> awaited(Execution on, StorageMap map) {
    SortedSet<OsdId> awaited = new TreeSet<>();
    for (UnsettledGrant grant : on.unsettled().of(object)) {
      awaited.addAll(on.unsettled().awaitedBy(grant.number()));
    }
    Set<OsdId> present = new HashSet<>();
    for (int component = 0; component < map.components().size(); component++) {
      if (!map.isMissing(component)) {
        present.add(map.osdOf(component));
      }
    }
    awaited.retainAll(present);
    return awaited;
  }

  private WeftException busy(Attributes file, String why) {
    return new WeftException(
        ErrorCode.BUSY, file.parent().name() + ", object " + object + ", " + why);
  }

  /**
   * The map names other OSDs from now on; what these are to hold is brought to them behind. Empty
   * if there is nothing of the kind, or no OSD takes it.
   */
  private Optional<Attributes> move(
      Execution on, Attributes file, RebuildNeed need, ComponentSpares spares)
      throws WeftException {
    StorageMap map = file.map();
    requireCopy(on, file, need);
    List<OsdId> left = new ArrayList<>();
    List<OsdId> taken = new ArrayList<>();
    for (int component : need.copies()) {
      Optional<OsdId> spare = spares.find(map, component, 0);
      if (spare.isPresent()) {
        left.add(map.osdOf(component));
        taken.add(spare.get());
        spares.left(map.osdOf(component));
        map = MovedMaps.component(map, component, spare.get());
      }
    }
    RebuiltComponents rebuilt = new RebuiltComponents(on);
    if (!file.isDirectory()) {
      for (OsdId osd : need.attributeOsds()) {
        Optional<OsdId> spare = spares.find(map, 0, 0);
        if (spare.isPresent()) {
          left.add(osd);
          taken.add(spare.get());
          spares.left(osd);
          map = MovedMaps.attributes(map, osd, spare.get());
        } else if (on.cluster().pool().draining().contains(osd)
            && spares.othersThan(map, osd) > map.layout().parityUnits()) {
          // The attributes survive what the bytes survive without it.
          rebuilt.drop(file, List.of(osd));
          map = MovedMaps.withoutCopies(map, List.of(osd));
        }
      }
    } else if (!need.attributeOsds().isEmpty()) {
      // It was to take the place of another copy, and that one has moved elsewhere, or will.
      rebuilt.drop(file, need.attributeOsds());
      map = MovedMaps.withoutCopies(map, need.attributeOsds());
    }
    if (map.generation() == file.map().generation()) {
      return Optional.empty();
    }
    rebuilt.leave(file, left, taken);
    if (file.isDirectory()) {
      for (OsdId osd : taken) {
        on.draft().add(new LiveEffect.LaggingAdded(osd, object, LaggingKind.REFRESH, Lsn.ZERO));
      }
    }
    return Optional.of(on.draft().put(file.edit().map(map).build()));
  }

  /**
   * A directory's blocks come from a copy that is up to date, on an OSD that is up. A good copy on
   * an OSD that may come back stays named: it could be the last one before the new one is whole.
   */
  private void requireCopy(Execution on, Attributes file, RebuildNeed need) throws WeftException {
    if (!file.isDirectory()) {
      return;
    }
    for (int component : need.copies()) {
      OsdId osd = file.map().osdOf(component);
      if (!file.map().isMissing(component) && !on.cluster().isRemoved(osd)) {
        throw busy(
            file,
            "a directory, is copied anew once OSD "
                + osd
                + " is back, or is removed (weft osd remove)");
      }
    }
    Set<OsdId> up = new HashSet<>(on.cluster().pool().up());
    boolean mayComeBack = false;
    SortedSet<OsdId> lagging = on.view().laggingOn(object);
    for (int component = 0; component < file.map().components().size(); component++) {
      OsdId osd = file.map().osdOf(component);
      if (!need.copies().contains(component) && !lagging.contains(osd)) {
        if (up.contains(osd)) {
          return;
        }
        mayComeBack |= !on.cluster().isRemoved(osd);
      }
    }
    if (mayComeBack) {
      throw busy(file, "a directory, has no copy on an OSD that is up: start its OSDs");
    }
    throw new WeftException(
        ErrorCode.TOO_MANY_LOST,
        "directory %s, object %s, has no copy left that is up to date: all were on OSDs %s; bring one of these back"
            .formatted(file.parent().name(), object, file.map().components()));
  }

  static WeftException noSpare(Attributes file) {
    return new WeftException(
        ErrorCode.NO_SPACE,
        "%s, object %s, waits for a spare: no OSD outside its map, which has OSDs %s, is up and has space for a component; add an OSD to its BladeSet, or free space"
            .formatted(file.parent().name(), file.object(), file.map().components()));
  }

  private MessageLite begin(Execution on, Attributes file, int component, ComponentSpares spares)
      throws WeftException {
    StorageMap map = file.map();
    long bytes = ComponentRebuild.bytesOf(map.layout(), file.sizeBytes(), component);
    Optional<OsdId> target = spares.find(map, component, bytes, shunned);
    if (target.isEmpty() && !shunned.isEmpty() && spares.find(map, component, bytes).isPresent()) {
      throw NoRoom.failure();
    }
    if (target.isEmpty()) {
      return Replies.attributes(makeRoom(on, file, component, bytes, spares));
    }
    on.draft()
        .add(
            new LiveEffect.RebuildBegun(
                object,
                component,
                target.get(),
                on.draft().lsn(),
                map.generation(),
                isMoving(on, map, component),
                bytes));
    return Replies.attributes(file);
  }

  /** The component is whole, and its OSD is drained. */
  private static boolean isMoving(Execution on, StorageMap map, int component) {
    return map.presentOn(Set.copyOf(on.cluster().pool().draining())).contains(component);
  }

  /**
   * A component goes before a further copy of the attributes: an OSD that has these alone is freed
   * of them, for it takes the component, with the attributes, once they are removed there.
   *
   * @param bytes of the component
   */
  private Attributes makeRoom(
      Execution on, Attributes file, int component, long bytes, ComponentSpares spares)
      throws WeftException {
    StorageMap map = file.map();
    // A drained component stays whole until it is moved: attributes must survive what it survives.
    int leastOthers = isMoving(on, map, component) ? map.layout().parityUnits() + 1 : 1;
    Optional<OsdId> freed = spares.beingFreed(map);
    if (freed.isPresent()) {
      throw busy(file, "goes to OSD " + freed.get() + " once that is rid of what it had of it");
    }
    OsdId holder =
        spares
            .holderOfAttributes(map, component, bytes, leastOthers)
            .orElseThrow(() -> noSpare(file));
    on.draft()
        .add(new LiveEffect.LaggingAdded(holder, object, LaggingKind.REMOVE, on.draft().lsn()));
    return on.draft().put(file.edit().map(MovedMaps.withoutCopies(map, List.of(holder))).build());
  }
}
