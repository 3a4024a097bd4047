package org.weft.osd.store.format;

import org.weft.osd.store.value.ObjectTag;

/**
 * An object without its attributes, extents and pending list.
 *
 * @param handle the store's own number for it, see {@link StoreKeys}
 * @param change grows with every commit that touches the object, its extents, its attributes or its
 *     pending list
 * @param version grants below it are refused (P 5.7)
 * @param resolvedBelow every write of a grant below it is complete: a client wrote under a floor
 *     this high (P 5.4)
 * @param eofBytes file length that complete writes have settled, of that truncation number (P 4.3);
 *     what is told to others is {@link PendingRecords#effective}
 * @param componentBytes no stored byte lies at it or behind it
 * @param usedBlocks blocks that its extents and its pending list hold
 * @param snapshot number of the volume's snapshot that its state belongs to
 * @param hasPending there is a pending list, under a key of its own
 * @param onlyFirstPage no attribute page but page 0 was ever stored; false where that is not known
 */
public record ObjectRecord(
    long handle,
    long change,
    long version,
    long resolvedBelow,
    ObjectTag tag,
    int truncationNumber,
    long eofBytes,
    long componentBytes,
    long usedBlocks,
    int snapshot,
    CompletionMarks completions,
    boolean hasPending,
    boolean onlyFirstPage) {
  /** An object that was just made. */
  public static ObjectRecord created(long handle, ObjectTag tag) {
    return new ObjectRecord(handle, 0, 0, 0, tag, 0, 0, 0, 0, 0, CompletionMarks.NONE, false, true);
  }

  /** Raised to at least this version: no client writes under a grant below it any more (P 5.7). */
  public ObjectRecord atVersion(long least) {
    return Long.compareUnsigned(least, version) <= 0
        ? this
        : with(change, least, resolvedBelow, completions);
  }

  /**
   * At least at this version, with every grant below it resolved and forgotten. The caller drops
   * their records from the pending list in the same commit.
   */
  public ObjectRecord resolvedTo(long floor) {
    ObjectRecord raised = atVersion(floor);
    return Long.compareUnsigned(floor, resolvedBelow) <= 0
        ? raised
        : raised.with(change, raised.version, floor, completions.since(floor));
  }

  /** With the grant's mark raised. The caller drops the records below it likewise. */
  public ObjectRecord completed(long grant, long upTo) {
    CompletionMarks next =
        Long.compareUnsigned(grant, resolvedBelow) < 0
            ? completions
            : completions.with(grant, upTo);
    return next == completions ? this : with(change, version, resolvedBelow, next);
  }

  /** True if the write is known to be complete on every component (P 5.4). */
  public boolean isComplete(long grant, long sequence) {
    return Long.compareUnsigned(grant, resolvedBelow) < 0
        || Long.compareUnsigned(sequence, completions.upTo(grant)) <= 0;
  }

  /** With a file length that a write of that truncation number establishes (P 4.3). */
  public ObjectRecord established(int truncation, long eof) {
    int order = Integer.compareUnsigned(truncation, truncationNumber);
    if (order < 0) {
      return this;
    }
    long next = order > 0 ? eof : Math.max(eof, eofBytes);
    return sized(truncation, next, componentBytes, usedBlocks);
  }

  /** After a write that ends at this byte and makes the object hold so many blocks more. */
  public ObjectRecord written(long endBytes, long moreBlocks) {
    return sized(
        truncationNumber, eofBytes, Math.max(componentBytes, endBytes), usedBlocks + moreBlocks);
  }

  /** Ending at this byte, if it ended behind it. */
  public ObjectRecord endingAt(long endBytes) {
    return sized(truncationNumber, eofBytes, Math.min(componentBytes, endBytes), usedBlocks);
  }

  public ObjectRecord withPending(boolean has) {
    return has == hasPending ? this : flagged(has, onlyFirstPage);
  }

  /** With an attribute page of that number. */
  public ObjectRecord withPage(int page) {
    return page == 0 || !onlyFirstPage ? this : flagged(hasPending, false);
  }

  public ObjectRecord changed() {
    return with(change + 1, version, resolvedBelow, completions);
  }

  private ObjectRecord with(
      long newChange, long newVersion, long newResolved, CompletionMarks marks) {
    return new ObjectRecord(
        handle,
        newChange,
        newVersion,
        newResolved,
        tag,
        truncationNumber,
        eofBytes,
        componentBytes,
        usedBlocks,
        snapshot,
        marks,
        hasPending,
        onlyFirstPage);
  }

  private ObjectRecord flagged(boolean pending, boolean firstPageAlone) {
    return new ObjectRecord(
        handle,
        change,
        version,
        resolvedBelow,
        tag,
        truncationNumber,
        eofBytes,
        componentBytes,
        usedBlocks,
        snapshot,
        completions,
        pending,
        firstPageAlone);
  }

  private ObjectRecord sized(int truncation, long eof, long endBytes, long blocks) {
    return new ObjectRecord(
        handle,
        change,
        version,
        resolvedBelow,
        tag,
        truncation,
        eof,
        endBytes,
        blocks,
        snapshot,
        completions,
        hasPending,
        onlyFirstPage);
  }
}
