package org.weft.metadata.objects;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect.CreateDirectory;
import org.weft.metadata.journal.ObjectEffect.PutAttributes;
import org.weft.metadata.journal.ObjectEffect.PutEntry;
import org.weft.metadata.journal.ObjectEffect.RemoveEntry;
import org.weft.metadata.journal.ObjectEffect.RemoveObject;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/** All records that were ever appended and not lost, and what the volume is after any of them. */
final class History {
  /** What a volume is. */
  static final class State {
    final SortedMap<ObjectId, SortedMap<String, DirectoryEntry>> directories = new TreeMap<>();
    final SortedMap<ObjectId, Attributes> attributes = new TreeMap<>();
    final SortedMap<ObjectId, Lsn> attributeLsns = new TreeMap<>();
    final SortedMap<ObjectId, Lsn> removed = new TreeMap<>();

    void apply(JournalRecord record) {
      for (Effect effect : record.effects()) {
        if (effect instanceof CreateDirectory create) {
          directories.put(create.object(), new TreeMap<>());
        } else if (effect instanceof PutEntry put) {
          directories.get(put.object()).put(put.name(), put.entry());
        } else if (effect instanceof RemoveEntry remove) {
          directories.get(remove.object()).remove(remove.name());
        } else if (effect instanceof PutAttributes put) {
          attributes.put(put.object(), put.attributes());
          attributeLsns.put(put.object(), record.lsn());
        } else if (effect instanceof RemoveObject remove) {
          directories.remove(remove.object());
          attributes.remove(remove.object());
          attributeLsns.remove(remove.object());
          removed.put(remove.object(), record.lsn());
        }
      }
    }
  }

  final List<JournalRecord> records = new ArrayList<>();
  State now = new State();

  void append(JournalRecord record) {
    records.add(record);
    now.apply(record);
  }

  /** A crash kept the records up to the LSN alone. */
  void truncate(Lsn last) {
    records.removeIf(record -> record.lsn().compareTo(last) > 0);
    now = stateAt(last);
  }

  State stateAt(Lsn lsn) {
    State state = new State();
    for (JournalRecord record : records) {
      if (record.lsn().compareTo(lsn) <= 0) {
        state.apply(record);
      }
    }
    return state;
  }

  /** A directory's entries after a record. */
  SortedMap<String, DirectoryEntry> directoryAt(ObjectId directory, Lsn lsn) {
    SortedMap<String, DirectoryEntry> entries = new TreeMap<>();
    for (JournalRecord record : records) {
      if (record.lsn().compareTo(lsn) > 0) {
        break;
      }
      for (Effect effect : record.effects()) {
        if (effect instanceof PutEntry put && put.object().equals(directory)) {
          entries.put(put.name(), put.entry());
        } else if (effect instanceof RemoveEntry remove && remove.object().equals(directory)) {
          entries.remove(remove.name());
        }
      }
    }
    return entries;
  }

  List<JournalRecord> from(Lsn lsn) {
    return records.stream().filter(record -> record.lsn().compareTo(lsn) >= 0).toList();
  }

  /** The lagging copies before a record, as a snapshot has them. */
  List<LiveEffect> laggingBefore(Lsn lsn) {
    MetadataCache state = new MetadataCache(1, CacheLimits.DEFAULT);
    for (JournalRecord record : records) {
      if (record.lsn().compareTo(lsn) < 0) {
        for (Effect effect : record.effects()) {
          if (effect instanceof LiveEffect live) {
            state.restore(List.of(live));
          }
        }
      }
    }
    return state.laggingState();
  }
}
