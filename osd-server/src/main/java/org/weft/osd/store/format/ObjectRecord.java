package org.weft.osd.store.format;

import org.weft.osd.store.ObjectTag;
import org.weft.protocol.id.Lsn;

/**
 * An object without its attributes and extents.
 *
 * @param handle the store's own number for it, see {@link StoreKeys}
 * @param change grows with every commit that touches the object, its extents or its attributes
 * @param version grants below it are refused (P 5.7)
 * @param eofBytes file length as this component knows it, of that truncation number (P 4.3)
 * @param componentBytes end of the last stored byte
 * @param usedBlocks blocks that its extents hold
 * @param snapshot number of the volume's snapshot that its state belongs to
 */
public record ObjectRecord(
    long handle,
    long change,
    long version,
    ObjectTag tag,
    int truncationNumber,
    long eofBytes,
    long componentBytes,
    long usedBlocks,
    int snapshot,
    CompletionMarks completions) {
  /** An object that was just made. */
  public static ObjectRecord created(long handle, ObjectTag tag) {
    return new ObjectRecord(handle, 0, 0, tag, 0, 0, 0, 0, 0, CompletionMarks.NONE);
  }

  /** Raised to at least this version; grants below it are resolved and forgotten. */
  public ObjectRecord atVersion(long least) {
    if (Long.compareUnsigned(least, version) <= 0) {
      return this;
    }
    return new ObjectRecord(
        handle,
        change,
        least,
        tag,
        truncationNumber,
        eofBytes,
        componentBytes,
        usedBlocks,
        snapshot,
        completions.since(least));
  }

  public ObjectRecord completed(long grant, long upTo) {
    CompletionMarks next =
        Long.compareUnsigned(grant, version) < 0 ? completions : completions.with(grant, upTo);
    return new ObjectRecord(
        handle,
        change,
        version,
        tag,
        truncationNumber,
        eofBytes,
        componentBytes,
        usedBlocks,
        snapshot,
        next);
  }

  /** With a file length that a write of that truncation number establishes (P 4.3). */
  public ObjectRecord established(int truncation, long eof) {
    int order = Integer.compareUnsigned(truncation, truncationNumber);
    if (order < 0) {
      return this;
    }
    long next = order > 0 ? eof : Math.max(eof, eofBytes);
    return new ObjectRecord(
        handle,
        change,
        version,
        tag,
        truncation,
        next,
        componentBytes,
        usedBlocks,
        snapshot,
        completions);
  }

  /** After a write that ends at this byte and makes the extents hold so many blocks more. */
  public ObjectRecord written(long endBytes, long moreBlocks) {
    return new ObjectRecord(
        handle,
        change,
        version,
        tag,
        truncationNumber,
        eofBytes,
        Math.max(componentBytes, endBytes),
        usedBlocks + moreBlocks,
        snapshot,
        completions);
  }

  /** Ending at this byte, if it ended behind it. */
  public ObjectRecord endingAt(long endBytes) {
    return new ObjectRecord(
        handle,
        change,
        version,
        tag,
        truncationNumber,
        eofBytes,
        Math.min(componentBytes, endBytes),
        usedBlocks,
        snapshot,
        completions);
  }

  public ObjectRecord changed() {
    return new ObjectRecord(
        handle,
        change + 1,
        version,
        tag,
        truncationNumber,
        eofBytes,
        componentBytes,
        usedBlocks,
        snapshot,
        completions);
  }

  /**
   * True if a write with this id is not known to be complete (P 5.6). Grants below the version are
   * resolved; one with index 0 is a manager's own, which writes only what no client writes.
   */
  public boolean isPending(long grant, long sequence) {
    return new Lsn(grant).index() != 0
        && Long.compareUnsigned(grant, version) >= 0
        && Long.compareUnsigned(sequence, completions.upTo(grant)) > 0;
  }
}
