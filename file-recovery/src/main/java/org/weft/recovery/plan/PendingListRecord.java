package org.weft.recovery.plan;

import java.util.List;
import java.util.Objects;

/**
 * One record of a component's pending list (P 5.4).
 *
 * <p>A component that gets no bytes of a write lists it too in two cases. It was made for the
 * write's sake, or told how long the file is by it. That is undone if the write is (P 4.3).
 *
 * @param participants components that take part in the write
 * @param offsetBytes of what it changed, in the component
 * @param eofBytes file length that it establishes
 * @param truncationNumber of that length
 */
public record PendingListRecord(
    PendingId id,
    Kind kind,
    List<Integer> participants,
    long offsetBytes,
    long lengthBytes,
    long eofBytes,
    int truncationNumber) {
  /** What the write was to this component. */
  public enum Kind {
    /** A data or parity unit of a stripe write. */
    STRIPE,
    /** The data unit of an XOR write. */
    XOR_DATA,
    /** δ on a parity, in an XOR write. */
    XOR_DELTA,
    /** It was undone, and must not come back. */
    ABORTED
  }

  public PendingListRecord {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(kind, "kind");
    participants = List.copyOf(participants);
  }

  public boolean isAborted() {
    return kind == Kind.ABORTED;
  }

  /** The component takes no part, and knows of the length alone. */
  public boolean isLength() {
    return kind == Kind.STRIPE && lengthBytes == 0;
  }

  public boolean isXor() {
    return kind == Kind.XOR_DATA || kind == Kind.XOR_DELTA;
  }

  public long endBytes() {
    return offsetBytes + lengthBytes;
  }
}
