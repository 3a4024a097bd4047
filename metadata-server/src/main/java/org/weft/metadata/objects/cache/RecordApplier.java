package org.weft.metadata.objects.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.Directory;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.journal.ObjectEffect.CreateDirectory;
import org.weft.metadata.journal.ObjectEffect.PutAttributes;
import org.weft.metadata.journal.ObjectEffect.PutEntry;
import org.weft.metadata.journal.ObjectEffect.RemoveEntry;
import org.weft.metadata.journal.ObjectEffect.RemoveObject;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.StorageMap;

/**
 * Applies the effects of records to the tables. A directory that has seen a record already is left
 * alone. Its blocks are a function of the records in their order, and redo may begin with older
 * ones (P 6.3). Single-threaded.
 */
final class RecordApplier {
  private final AttributeTable attributes;
  private final DirectoryTable directories;
  private final LaggingCopies lagging;
  private final FlushPlanner planner;
  private final NameWatch watch = new NameWatch();

  RecordApplier(
      AttributeTable attributes,
      DirectoryTable directories,
      LaggingCopies lagging,
      FlushPlanner planner) {
    this.attributes = attributes;
    this.directories = directories;
    this.lagging = lagging;
    this.planner = planner;
  }

  /** Sets the receiver of each change of a name. */
  NameWatch watch() {
    return watch;
  }

  /** Maps of the nodes whose attributes the effects put. */
  Map<ObjectId, StorageMap> mapsIn(List<Effect> effects) {
    Map<ObjectId, StorageMap> maps = new HashMap<>();
    for (Effect effect : effects) {
      if (effect instanceof PutAttributes put) {
        maps.put(put.object(), put.attributes().map());
      }
    }
    return maps;
  }

  /** Names that change in directories that are there already. */
  SortedMap<ObjectId, List<String>> namesIn(List<Effect> effects) {
    SortedMap<ObjectId, List<String>> names = new TreeMap<>();
    Set<ObjectId> made = new HashSet<>();
    for (Effect effect : effects) {
      if (effect instanceof CreateDirectory create) {
        made.add(create.object());
      } else if (effect instanceof PutEntry put && !made.contains(put.object())) {
        names.computeIfAbsent(put.object(), object -> new ArrayList<>()).add(put.name());
      } else if (effect instanceof RemoveEntry remove && !made.contains(remove.object())) {
        names.computeIfAbsent(remove.object(), object -> new ArrayList<>()).add(remove.name());
      }
    }
    return names;
  }

  /** Applies a record of which nothing is missing. */
  void apply(JournalRecord record) {
    Map<ObjectId, StorageMap> maps = mapsIn(record.effects());
    Map<ObjectId, Boolean> seenBefore = new HashMap<>();
    for (Effect effect : record.effects()) {
      if (effect instanceof LiveEffect live) {
        applyLive(live, record.lsn());
      } else {
        apply((ObjectEffect) effect, record.lsn(), maps, seenBefore);
      }
    }
  }

  private void applyLive(LiveEffect effect, Lsn lsn) {
    lagging.apply(effect, lsn);
    if (effect instanceof LiveEffect.GrantClosed closed) {
      planner.closed(closed);
    }
  }

  private void apply(
      ObjectEffect effect,
      Lsn lsn,
      Map<ObjectId, StorageMap> maps,
      Map<ObjectId, Boolean> seenBefore) {
    if (effect instanceof PutAttributes put) {
      attributes.put(put.attributes(), lsn);
      // What waits to be flushed goes where the directory is now.
      directories.moved(put.object(), put.attributes().map());
    } else if (effect instanceof RemoveObject remove) {
      attributes.remove(remove.object(), lsn);
      directories.remove(remove.object());
      planner.removed(new FlushRound.Removal(remove, lsn));
    } else {
      changeDirectory(effect, lsn, maps, seenBefore);
    }
  }

  private void changeDirectory(
      ObjectEffect effect,
      Lsn lsn,
      Map<ObjectId, StorageMap> maps,
      Map<ObjectId, Boolean> seenBefore) {
    DirectorySlot slot = directories.slot(effect.object());
    boolean seen = seenBefore.computeIfAbsent(effect.object(), object -> hasSeen(slot, lsn));
    if (!seen) {
      Directory directory = new Directory(slot);
      if (effect instanceof CreateDirectory create) {
        directory.create(create.key(), lsn);
        watch.remade(effect.object());
      } else if (effect instanceof PutEntry put) {
        watch.change(
            effect.object(),
            directory,
            put.name(),
            () -> directory.put(put.name(), put.entry(), lsn).value());
      } else if (effect instanceof RemoveEntry remove) {
        watch.change(
            effect.object(),
            directory,
            remove.name(),
            () -> directory.remove(remove.name(), lsn).value());
      } else {
        throw new AssertionError("unhandled effect: " + effect);
      }
    } else if (slot.changed.isEmpty()) {
      // Nothing to write, but the copies have yet to say under which checkpoint they hold it.
      slot.write(DirectoryBlock.HEADER, slot.read(DirectoryBlock.HEADER));
    }
    slot.map(mapFor(slot, maps));
    directories.changed(slot);
  }

  private static boolean hasSeen(DirectorySlot slot, Lsn lsn) {
    byte[] header = slot.read(DirectoryBlock.HEADER);
    return header != null && DirectoryBlock.lsnOf(header).compareTo(lsn) >= 0;
  }

  private StorageMap mapFor(DirectorySlot slot, Map<ObjectId, StorageMap> maps) {
    StorageMap put = maps.get(slot.directory());
    if (put != null) {
      return put;
    }
    AttributeTable.Slot known = attributes.find(slot.directory());
    Attributes value = known == null ? null : known.attributes();
    return value == null ? slot.map() : value.map();
  }
}
