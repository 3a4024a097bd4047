package org.weft.osd.store;

import java.util.List;
import org.weft.osd.store.value.BlockRun;
import org.weft.osd.store.value.CompletionMark;
import org.weft.osd.store.value.ObjectTag;

/**
 * What an object knows of writes that may be under way, all as of one commit (P 5.4, 5.5).
 *
 * @param handle of the object: another one of the same name has another
 * @param change grows with each commit that changes the object
 * @param writes by grant as an unsigned number, then by sequence
 * @param version grants below it are refused
 * @param resolvedBelow every write of a smaller grant is complete; no marks are kept of them
 * @param eofBytes the largest file length of the newest truncation number, pending writes included
 * @param givenBack blocks that hold older bytes than what was written there last (P 5.9)
 */
public record PendingList(
    long handle,
    long change,
    List<PendingWrite> writes,
    List<CompletionMark> marks,
    long version,
    long resolvedBelow,
    long eofBytes,
    int truncationNumber,
    ObjectTag tag,
    long componentBytes,
    List<BlockRun> givenBack) {
  public PendingList {
    writes = List.copyOf(writes);
    marks = List.copyOf(marks);
    givenBack = List.copyOf(givenBack);
  }

  /** With nothing given back. */
  public PendingList(
      long handle,
      long change,
      List<PendingWrite> writes,
      List<CompletionMark> marks,
      long version,
      long resolvedBelow,
      long eofBytes,
      int truncationNumber,
      ObjectTag tag,
      long componentBytes) {
    this(
        handle,
        change,
        writes,
        marks,
        version,
        resolvedBelow,
        eofBytes,
        truncationNumber,
        tag,
        componentBytes,
        List.of());
  }
}
