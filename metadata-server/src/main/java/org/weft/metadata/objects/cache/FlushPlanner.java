package org.weft.metadata.objects.cache;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect.GrantClosed;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.EncodedPage;
import org.weft.metadata.objects.FlushStamp;
import org.weft.metadata.objects.cache.FlushRound.Removal;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/** Turns what has changed in the tables into rounds of writes to copies. Single-threaded, pure. */
final class FlushPlanner {
  private static final int MAX_COMPLETIONS = 1_000;

  private final int metaCopies;
  private final AttributeTable attributes;
  private final DirectoryTable directories;
  private final LaggingCopies lagging;
  private final Map<ObjectId, SortedMap<Lsn, Long>> completions = new HashMap<>();
  private Function<ObjectId, Optional<Lsn>> lowestGrants = object -> Optional.empty();
  private List<Removal> removals = new ArrayList<>();

  FlushPlanner(
      int metaCopies,
      AttributeTable attributes,
      DirectoryTable directories,
      LaggingCopies lagging) {
    this.metaCopies = metaCopies;
    this.attributes = attributes;
    this.directories = directories;
    this.lagging = lagging;
  }

  /**
   * @param lowest the first grant that anything pending of an object may be written under; empty if
   *     the object has no writer and all is in order
   */
  void lowestGrants(Function<ObjectId, Optional<Lsn>> lowest) {
    lowestGrants = lowest;
  }

  Optional<Lsn> lowestGrant(ObjectId object) {
    return lowestGrants.apply(object);
  }

  void removed(Removal removal) {
    removals.add(removal);
    completions.remove(removal.effect().object());
  }

  /** Leaves with the next flush of the file's attributes. */
  void closed(GrantClosed grant) {
    if (grant.completeUpTo() != 0) {
      complete(grant.object(), grant.number(), grant.completeUpTo());
    }
  }

  /** With very many grants since the last flush the newest count; the floor ends older ones. */
  private void complete(ObjectId object, Lsn grant, long upTo) {
    SortedMap<Lsn, Long> ofObject = completions.computeIfAbsent(object, key -> new TreeMap<>());
    ofObject.merge(grant, upTo, Math::max);
    if (ofObject.size() > MAX_COMPLETIONS) {
      ofObject.remove(ofObject.firstKey());
    }
  }

  boolean hasDirty() {
    return dirtyObjects() > 0 || directories.hasDirty();
  }

  /** How many objects have other attributes, or are gone, since the last flush was planned. */
  int dirtyObjects() {
    return attributes.dirtyObjects() + removals.size();
  }

  /** Takes everything that is dirty. */
  FlushRound take(Lsn upTo, long records, FlushStamp stamp, boolean whole) {
    List<FlushItem> items = new ArrayList<>();
    for (ObjectId object : attributes.takeDirty()) {
      items.add(planAttributes(attributes.find(object)));
    }
    SortedMap<ObjectId, SortedMap<Integer, byte[]>> blocks = new TreeMap<>();
    for (ObjectId object : directories.takeDirty()) {
      DirectorySlot slot = directories.slot(object);
      SortedMap<Integer, byte[]> dirty = slot.takeDirty();
      blocks.put(object, dirty);
      items.add(planDirectory(slot, dirty));
    }
    List<Removal> taken = removals;
    removals = new ArrayList<>();
    taken.forEach(removal -> items.add(planRemoval(removal)));
    completions.clear();
    return new FlushRound(upTo, records, stamp, items, blocks, taken, whole);
  }

  /** All that a round wrote may be lost on some copy: it will be in the next round again. */
  void again(FlushRound round) {
    for (FlushItem item : round.items()) {
      switch (item.phase()) {
        case ATTRIBUTES -> {
          attributes.makeDirty(item.object());
          item.targets().forEach(osd -> completeAgain(item.writeFor(osd)));
        }
        case DIRECTORIES -> directories.makeDirty(item.object());
        case REMOVALS -> {}
      }
    }
    removals.addAll(0, round.removals());
  }

  private void completeAgain(CopyWrite write) {
    if (write instanceof CopyWrite.WriteAttributes page) {
      page.completions().forEach((grant, upTo) -> complete(page.object(), grant, upTo));
    }
  }

  private FlushItem planAttributes(AttributeTable.Slot slot) {
    Attributes value = slot.attributes();
    SortedMap<Lsn, Long> closed =
        completions.getOrDefault(value.object(), Collections.emptySortedMap());
    Lsn floor = floor(value.object(), closed);
    EncodedPage page = new EncodedPage(value);
    SortedMap<OsdId, CopyWrite> writes = new TreeMap<>();
    attributeCopies(value.map())
        .forEach(
            (osd, index) -> {
              if (!lagging.isLeftOut(osd, value.object())) {
                writes.put(
                    osd,
                    new CopyWrite.WriteAttributes(value, page, slot.lsn(), index, closed, floor));
              }
            });
    // OSDs that redo did not compare get no attributes either: that must be said before they
    // settle.
    List<OsdId> unheard = List.copyOf(directories.takeUnheard(value.object()).keySet());
    return new FlushItem(FlushItem.Phase.ATTRIBUTES, value.object(), Lsn.ZERO, writes, unheard);
  }

  /**
   * The lowest grant that is open or not resolved, else the first number behind the grants that
   * have ended. Of smaller grants an OSD then keeps neither marks nor records (P 5.4). No larger
   * number: clients that have opened the file for reading since are not shut out.
   */
  private Lsn floor(ObjectId object, SortedMap<Lsn, Long> closed) {
    if (closed.isEmpty()) {
      return Lsn.ZERO;
    }
    return lowestGrant(object).orElseGet(() -> closed.lastKey().next());
  }

  /** OSDs that hold a file's attributes, and the index that each has in the map (P 4.4). */
  SortedMap<OsdId, Integer> attributeCopies(StorageMap map) {
    int inComponents = Math.min(metaCopies, map.layout().width());
    List<OsdId> holders = map.attributeHolders(metaCopies);
    SortedMap<OsdId, Integer> copies = new TreeMap<>();
    for (int place = 0; place < holders.size(); place++) {
      boolean component = place < inComponents;
      int index = component ? place : map.components().size() + place - inComponents;
      if (!component || !map.isMissing(index) || map.keepsAttributes(index)) {
        copies.put(holders.get(place), index);
      }
    }
    return copies;
  }

  /**
   * OSDs that hold a directory's blocks, and the index that each has in the map. It includes the
   * OSD that is about to take the place of one (P 6.8).
   */
  static SortedMap<OsdId, Integer> directoryCopies(StorageMap map) {
    SortedMap<OsdId, Integer> copies = new TreeMap<>();
    for (int index = 0; index < map.components().size(); index++) {
      if (!map.isMissing(index)) {
        copies.put(map.osdOf(index), index);
      }
    }
    for (int place = 0; place < map.attributeOsds().size(); place++) {
      copies.putIfAbsent(map.attributeOsds().get(place), map.components().size() + place);
    }
    return copies;
  }

  private FlushItem planDirectory(DirectorySlot slot, SortedMap<Integer, byte[]> blocks) {
    List<OsdId> unheard = List.copyOf(slot.takeUnheard().keySet());
    SortedMap<OsdId, CopyWrite> writes = new TreeMap<>();
    directoryCopies(slot.map())
        .forEach(
            (osd, index) -> {
              if (!lagging.isLeftOut(osd, slot.directory())) {
                writes.put(
                    osd,
                    new CopyWrite.WriteBlocks(
                        slot.directory(), slot.map(), index, slot.endBlock(), blocks));
              }
            });
    return new FlushItem(FlushItem.Phase.DIRECTORIES, slot.directory(), Lsn.ZERO, writes, unheard);
  }

  private FlushItem planRemoval(Removal removal) {
    ObjectId object = removal.effect().object();
    SortedMap<OsdId, CopyWrite> writes = new TreeMap<>();
    List<OsdId> mustLag = new ArrayList<>();
    for (OsdId osd : removal.effect().holders()) {
      LaggingCopies.Lag lag = lagging.find(osd, object);
      if (lag == null) {
        writes.put(osd, new CopyWrite.RemoveCopy(object, removal.lsn()));
      } else if (lag.effect().kind() != LaggingKind.REMOVE) {
        mustLag.add(osd);
      }
    }
    return new FlushItem(FlushItem.Phase.REMOVALS, object, removal.lsn(), writes, mustLag);
  }
}
