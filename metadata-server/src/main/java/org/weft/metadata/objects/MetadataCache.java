package org.weft.metadata.objects;

import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.DirectoryPage;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Attributes and directory blocks of a volume, with what has to be flushed of them.
 * Single-threaded; does no IO. What is newer than the copies under a checkpoint is never evicted.
 */
public final class MetadataCache {
  public MetadataCache(int metaCopies, CacheLimits limits) {
    throw new UnsupportedOperationException(metaCopies + " " + limits);
  }

  /**
   * The node's attributes; empty if no OSD has them ({@link #lostReason} says why).
   *
   * @param hints of the entry that led here; may be empty: then every OSD is asked
   */
  public Answer<Optional<Attributes>> attributes(ObjectId object, List<OsdId> hints) {
    throw new UnsupportedOperationException();
  }

  /** Why {@link #attributes} was empty, for a person. */
  public String lostReason(ObjectId object) {
    throw new UnsupportedOperationException();
  }

  /** Where the name leads. The directory's attributes must have been asked for before. */
  public Answer<Optional<DirectoryEntry>> lookup(ObjectId directory, String name) {
    throw new UnsupportedOperationException();
  }

  /** Number of names in the directory. */
  public Answer<Long> entryCount(ObjectId directory) {
    throw new UnsupportedOperationException();
  }

  /** Entries with larger cookies, at most {@code max}; cookie 0 starts at the beginning. */
  public Answer<DirectoryPage> readdir(ObjectId directory, long afterCookie, int max) {
    throw new UnsupportedOperationException();
  }

  /** The effects again, once {@link #apply} of a record with them misses nothing. */
  public Answer<List<Effect>> prepare(List<Effect> effects) {
    throw new UnsupportedOperationException();
  }

  /** Applies a record, whole or, if something is missing, not at all; answers with its LSN. */
  public Answer<Lsn> apply(JournalRecord record) {
    throw new UnsupportedOperationException();
  }

  /** Takes in the lagging copies of a snapshot of live state; the rest of it is not looked at. */
  public void restore(List<LiveEffect> liveState) {
    throw new UnsupportedOperationException();
  }

  /** The lagging copies as effects: part of a snapshot of live state. */
  public List<LiveEffect> laggingState() {
    throw new UnsupportedOperationException();
  }

  /** Copies that lag; for status. */
  public int laggingCopies() {
    throw new UnsupportedOperationException();
  }

  /**
   * Takes in what was loaded, unless something newer is here already. Execute again right after.
   */
  public void loaded(List<Loaded> found) {
    throw new UnsupportedOperationException();
  }

  /**
   * The partition's create floor: the lowest live create grant; OSDs learn it with the next flush
   * (P 6.6).
   */
  public void createFloor(Lsn floor) {
    throw new UnsupportedOperationException();
  }

  /** False while too much waits to be flushed: decide no more changes until it is true again. */
  public boolean hasRoom() {
    throw new UnsupportedOperationException();
  }
}
