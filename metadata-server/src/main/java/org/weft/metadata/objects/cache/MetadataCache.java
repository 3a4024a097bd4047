package org.weft.metadata.objects.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.BlockResult;
import org.weft.metadata.directory.Directory;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.DirectoryPage;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.objects.FlushStamp;
import org.weft.metadata.objects.Loadable;
import org.weft.metadata.objects.Loaded;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.objects.Missing.MissingAttributes;
import org.weft.metadata.objects.Missing.MissingBlocks;
import org.weft.metadata.objects.Missing.Source;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/**
 * Attributes and directory blocks of a volume, with what has to be flushed of them.
 * Single-threaded; does no IO. What is newer than the copies under a checkpoint is never evicted (P
 * 6.1, 6.3).
 */
public final class MetadataCache {
  private CacheLimits limits;
  private final AttributeTable attributes;
  private final DirectoryTable directories;
  private final LaggingCopies lagging = new LaggingCopies();
  private final FlushPlanner planner;
  private final Set<ObjectId> startedOver = new HashSet<>();
  private final RecordApplier applier;
  private Lsn createFloor = Lsn.ZERO;
  private long rounds;
  private Lsn applied = Lsn.ZERO;
  private boolean replaying;
  private long unsettledRecords;
  private long unplannedRecords;
  private long blocksInRounds;
  private long journalBytes;

  public MetadataCache(int metaCopies, CacheLimits limits) {
    this.limits = limits;
    this.attributes = new AttributeTable(limits.cleanAttributes(), limits.packedBytes());
    this.directories = new DirectoryTable(limits.cleanBlocks(), limits.directoryChangedBlocks());
    this.planner = new FlushPlanner(metaCopies, attributes, directories, lagging);
    this.applier = new RecordApplier(attributes, directories, lagging, planner);
  }

  /** Keeps what is clean, and takes changes, within other limits from now on. */
  public void limits(CacheLimits changed) {
    limits = changed;
    attributes.limit(changed.cleanAttributes(), changed.packedBytes());
    directories.limit(changed.cleanBlocks());
  }

  /**
   * The node's attributes; empty if no OSD has them ({@link #lostReason} says why).
   *
   * @param hints of the entry that led here; may be empty: then every OSD is asked
   */
  public Loadable<Optional<Attributes>> attributes(ObjectId object, List<OsdId> hints) {
    AttributeTable.Slot slot = attributes.find(object);
    return slot == null
        ? Loadable.need(List.of(missingAttributes(object, hints)))
        : Loadable.ready(Optional.ofNullable(slot.attributes()));
  }

  /** OSDs whose copy of the object's metadata is out of date, or to be removed. */
  public SortedSet<OsdId> laggingOn(ObjectId object) {
    return lagging.osdsLaggingOn(object);
  }

  private MissingAttributes missingAttributes(ObjectId object, List<OsdId> hints) {
    return new MissingAttributes(
        object, hints, lagging.osdsLaggingOn(object), attributes.generation());
  }

  /** Why {@link #attributes} was empty, as text for a person. */
  public String lostReason(ObjectId object) {
    AttributeTable.Slot slot = attributes.find(object);
    return slot == null ? "" : slot.reason();
  }

  /**
   * OSDs that may have attributes that {@link #attributes} did not find: they have not answered.
   * Empty: they are lost for good, since all existing OSDs have said that they have none.
   */
  public SortedSet<OsdId> mayHaveAttributes(ObjectId object) {
    AttributeTable.Slot slot = attributes.find(object);
    return slot == null ? new TreeSet<>() : slot.silent();
  }

  /** Where the name leads. The directory's attributes must have been asked for before. */
  public Loadable<Optional<DirectoryEntry>> lookup(ObjectId directory, String name) {
    return read(directory, blocks -> blocks.lookup(name));
  }

  /** Number of names in the directory. */
  public Loadable<Long> entryCount(ObjectId directory) {
    return read(directory, Directory::entryCount);
  }

  /** Entries with larger cookies, at most {@code max}; cookie 0 starts at the beginning. */
  public Loadable<DirectoryPage> readdir(ObjectId directory, long afterCookie, int max) {
    return read(directory, blocks -> blocks.list(afterCookie, max));
  }

  /** Receives each change of a name while names are counted. */
  public NameWatch nameWatch() {
    return applier.watch();
  }

  private <T> Loadable<T> read(ObjectId directory, Function<Directory, BlockResult<T>> operation) {
    DirectorySlot slot = directories.slot(directory);
    BlockResult<T> result = operation.apply(new Directory(slot));
    return result.blocks().isEmpty()
        ? Loadable.ready(result.value())
        : missingBlocks(slot, result.blocks());
  }

  private <T> Loadable<T> missingBlocks(DirectorySlot slot, List<Integer> blocks) {
    Missing missing =
        mapOf(slot, null)
            .map(map -> missingBlocks(slot, map, blocks))
            .orElseGet(() -> missingAttributes(slot.directory(), List.of()));
    return Loadable.need(List.of(missing));
  }

  private Missing missingBlocks(DirectorySlot slot, StorageMap map, List<Integer> blocks) {
    boolean started = !slot.changed.isEmpty() || !slot.sources().isEmpty();
    Collection<OsdId> copies =
        slot.sources().isEmpty() ? FlushPlanner.directoryCopies(map).keySet() : slot.sources();
    return new MissingBlocks(
        slot.directory(),
        presentOf(copies, slot.directory()),
        blocks,
        replaying && !started ? Source.LOWEST : Source.ANY,
        directories.generation());
  }

  /**
   * @param put by the effects at hand; null if they do not touch the directory's attributes
   */
  private Optional<StorageMap> mapOf(DirectorySlot slot, StorageMap put) {
    AttributeTable.Slot known = attributes.find(slot.directory());
    if (known != null && known.attributes() != null) {
      return Optional.of(known.attributes().map());
    }
    return Optional.ofNullable(put == null ? slot.map() : put);
  }

  /** The effects again, once {@link #apply} of a record with them misses nothing. */
  public Loadable<List<Effect>> prepare(List<Effect> effects) {
    List<Missing> missing = missingFor(effects, true);
    return missing.isEmpty() ? Loadable.ready(effects) : Loadable.need(missing);
  }

  /** What a record that comes later in redo will miss, as far as that shows; changes nothing. */
  List<Missing> foreseen(List<Effect> effects) {
    return missingFor(effects, false);
  }

  private List<Missing> missingFor(List<Effect> effects, boolean keepMaps) {
    List<Missing> missing = new ArrayList<>();
    Map<ObjectId, StorageMap> maps = applier.mapsIn(effects);
    applier
        .namesIn(effects)
        .forEach(
            (directory, names) -> {
              DirectorySlot slot = directories.slot(directory);
              StorageMap put = maps.get(directory);
              if (keepMaps && put != null) {
                slot.map(put);
              }
              Optional<StorageMap> map = mapOf(slot, put);
              if (map.isEmpty()) {
                missing.add(missingAttributes(directory, List.of()));
                return;
              }
              Directory blocks = new Directory(slot);
              for (String name : names) {
                List<Integer> unread = blocks.lookup(name).blocks();
                if (!unread.isEmpty()) {
                  missing.add(missingBlocks(slot, map.get(), unread));
                }
              }
            });
    return missing;
  }

  /** Applies a record, whole or, if something is missing, not at all; answers with its LSN. */
  public Loadable<Lsn> apply(JournalRecord record) {
    return prepare(record.effects())
        .map(
            effects -> {
              applyPrepared(record);
              return record.lsn();
            });
  }

  /** Applies a record whose effects {@link #prepare} has just found to miss nothing. */
  public void applyPrepared(JournalRecord record) {
    applier.apply(record);
    if (!replaying) {
      applied(record.lsn());
    }
  }

  private void applied(Lsn lsn) {
    applied = lsn.compareTo(applied) > 0 ? lsn : applied;
    unsettledRecords++;
    unplannedRecords++;
  }

  /** Takes in the lagging copies of a snapshot of live state; the rest of it is not looked at. */
  public void restore(List<LiveEffect> liveState) {
    liveState.forEach(effect -> lagging.apply(effect, Lsn.ZERO));
  }

  /** The lagging copies as effects: part of a snapshot of live state. */
  public List<LiveEffect> laggingState() {
    return lagging.effects();
  }

  /** Copies that lag; for status. */
  public int laggingCopies() {
    return lagging.size();
  }

  /** Copies that lag on one OSD. */
  public int laggingCopies(OsdId osd) {
    return lagging.sizeAt(osd);
  }

  /** Objects that an OSD may still hold, and must not. */
  public int waitingRemovals(OsdId osd) {
    return lagging.removalsAt(osd);
  }

  /** The objects among these that still exist and were written anew elsewhere meanwhile. */
  public int rebuiltFrom(OsdId osd) {
    return lagging.rebuiltFrom(osd);
  }

  /** At most so many of the objects that an OSD must not hold. */
  public List<ObjectId> removalsAt(OsdId osd, int max) {
    return lagging.removalsAt(osd, max);
  }

  /** Takes in what was loaded, unless something newer is here. Execute again right after. */
  public void loaded(List<Loaded> found) {
    for (Loaded each : found) {
      if (each instanceof Loaded.LoadedAttributes loaded) {
        attributes.loaded(loaded.attributes(), loaded.lsn(), loaded.generation());
      } else if (each instanceof Loaded.LostAttributes lost) {
        attributes.lost(lost.object(), lost.silent(), lost.reason());
      } else if (each instanceof Loaded.LoadedBlocks loaded) {
        takeIn(loaded);
      } else {
        throw new AssertionError("unhandled: " + each);
      }
    }
  }

  private void takeIn(Loaded.LoadedBlocks loaded) {
    DirectorySlot slot = directories.slot(loaded.object());
    if (replaying && loaded.source() == Source.LOWEST) {
      if (!slot.changed.isEmpty() || !slot.sources().isEmpty()) {
        return;
      }
      List<OsdId> sources = presentOf(loaded.replicas(), loaded.object());
      if (sources.isEmpty()) {
        // A flush left them behind meanwhile, and relies on a replica that had not answered.
        return;
      }
      List<OsdId> unheard = presentOf(loaded.unheard(), loaded.object());
      slot.startedFrom(sources, lagging.suspectAll(unheard, loaded.object()));
      directories.keep(slot);
    }
    loaded
        .blocks()
        .forEach((number, block) -> directories.loaded(slot, number, block, loaded.generation()));
  }

  private List<OsdId> presentOf(Collection<OsdId> copies, ObjectId object) {
    return copies.stream().filter(osd -> !lagging.isLagging(osd, object)).toList();
  }

  /** The partition's create floor, the lowest live create grant: it goes with flushes (P 6.6). */
  public void createFloor(Lsn floor) {
    createFloor = floor;
  }

  /**
   * Sets the function that a flush asks for the first grant under which anything pending of a file
   * may be written. It is empty if the file has no writer and all is in order (P 5.4).
   */
  public void lowestGrants(Function<ObjectId, Optional<Lsn>> lowest) {
    planner.lowestGrants(lowest);
  }

  /** What a flush would say of it now. */
  public Optional<Lsn> lowestGrant(ObjectId object) {
    return planner.lowestGrant(object);
  }

  /** False while too much waits to be flushed: decide no more changes until it is true again. */
  public boolean hasRoom() {
    return unsettledRecords < limits.unflushedRecords() && directoriesHaveRoom();
  }

  /** From here on blocks are loaded from where redo has to start. */
  void beginReplay(List<LiveEffect> laggingInTheEnd) {
    replaying = true;
    restore(laggingInTheEnd);
  }

  /** Redo has applied everything up to this LSN, though younger live state may be here already. */
  void replayed(Lsn lsn) {
    applied(lsn);
  }

  /** How many can be loaded at once without evicting each other. */
  int blocksAtOnce() {
    return Math.max(1, limits.cleanBlocks() / 4);
  }

  boolean directoriesHaveRoom() {
    return directories.hasRoom() && unflushedBlocks() < limits.unflushedBlocks();
  }

  private long unflushedBlocks() {
    return directories.changedBlocks() + blocksInRounds;
  }

  /**
   * Forgets what redo has made of a directory: its source is gone, it starts from another. It may
   * start from a replica that had not answered before, unless a round has reported that it lags. A
   * source that is there and does not give its blocks lags from now on, if there are others. Else
   * the lowest header would make it the source for ever.
   */
  void startOver(ObjectId directory) {
    startedOver.add(directory);
    DirectorySlot slot = directories.slot(directory);
    List<OsdId> sources = presentOf(slot.sources(), directory);
    directories.startOver(directory).forEach(lagging::withdraw);
    int copies =
        mapOf(slot, null)
            .map(map -> presentOf(FlushPlanner.directoryCopies(map).keySet(), directory).size())
            .orElse(0);
    if (copies > sources.size()) {
      slot.startedFrom(List.of(), lagging.suspectAll(sources, directory));
      directories.keep(slot);
    }
  }

  /** Redo of a directory that started over is where that of the others is. */
  void caughtUp(ObjectId directory) {
    startedOver.remove(directory);
  }

  /** True while the journal's tail is being laid over what the OSDs hold. */
  public boolean isReplaying() {
    return replaying;
  }

  void endReplay() {
    replaying = false;
    directories.endReplay();
  }

  /** Which copies miss something. The flusher marks and clears them; all others only look. */
  public LaggingCopies lagging() {
    return lagging;
  }

  /** OSDs that hold a node's attributes, and the index that each has in the map (P 4.4). */
  public SortedMap<OsdId, Integer> attributeCopies(StorageMap map) {
    return planner.attributeCopies(map);
  }

  /** OSDs that hold a directory's blocks, and the index that each has in the map. */
  public SortedMap<OsdId, Integer> directoryCopies(StorageMap map) {
    return FlushPlanner.directoryCopies(map);
  }

  /** A record has removed the object, and its copies may be there still. */
  public boolean isBeingRemoved(ObjectId object) {
    return attributes.isBeingRemoved(object);
  }

  /** LSN of the record that changed the object's attributes, which must be here. */
  public Lsn attributesLsn(ObjectId object) {
    return attributes.find(object).lsn();
  }

  /** One more than the largest number of a block of the directory. */
  public Loadable<Integer> endBlock(ObjectId directory) {
    return read(directory, Directory::endBlock);
  }

  /** LSN of the newest record whose effects are here, all earlier ones included. */
  public Lsn applied() {
    return applied;
  }

  /** Something was applied that no round has taken. */
  public boolean hasUnplanned() {
    return unplannedRecords > 0 || planner.hasDirty();
  }

  /** So much waits that checkpoints should not: three quarters of the records that may. */
  public boolean isPressed() {
    return unsettledRecords > 3L * limits.unflushedRecords() / 4 || isLarge();
  }

  /** How much the journal's files hold, as of now. */
  public void journalHolds(long bytes) {
    journalBytes = bytes;
  }

  /** The journal holds as much as may have to be read when the volume starts. */
  public boolean isTailFull() {
    return journalBytes > limits.journalBytes();
  }

  /**
   * So much has changed since the round before that another should begin. The work of a round is
   * its objects, however many records changed each of them. Of records, half of the bound may wait
   * for it.
   */
  public boolean isRoundFull() {
    return unplannedRecords > limits.unflushedRecords() / 2
        || planner.dirtyObjects() > limits.unflushedRecords() / 4
        || isLarge();
  }

  /** However few records it comes from, what waits takes more than half of its room. */
  private boolean isLarge() {
    return unflushedBlocks() > limits.unflushedBlocks() / 2
        || journalBytes > limits.journalBytes() / 2
        || directories.isPressed();
  }

  /** Everything that has changed since the round before. */
  public FlushRound plan() {
    long records = unplannedRecords;
    unplannedRecords = 0;
    rounds++;
    FlushRound round = planner.take(applied, records, stamp(), startedOver.isEmpty());
    blocksInRounds += round.blocks();
    return round;
  }

  /** The present stamp. */
  public FlushStamp stamp() {
    return new FlushStamp(rounds, createFloor);
  }

  /** The round's writes may be lost on some copy: they will be in the next round again. */
  public void planAgain(FlushRound round) {
    planner.again(round);
    blocksInRounds -= round.blocks();
    unplannedRecords += round.records();
  }

  /** Everything up to the round is under a checkpoint on all copies that do not lag. */
  public void settled(FlushRound round) {
    for (FlushItem item : round.items()) {
      attributes.settled(item.object(), round.upTo());
    }
    round.directoryBlocks().forEach(directories::settled);
    unsettledRecords -= round.records();
    blocksInRounds -= round.blocks();
  }

  /** Attributes that no OSD had are asked for once more. */
  public void forgetLost() {
    attributes.forgetLost();
  }
}
