package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.Stamp;

/**
 * A range of one unit that is to be read, where its bytes go, and what became of it. Ranges of
 * different wants are filled by different threads; each want by one.
 */
final class UnitWant {
  /** In the order in which neighbours can be read in one request. */
  static final Comparator<UnitWant> BY_PLACE =
      Comparator.comparingInt(UnitWant::component).thenComparingLong(UnitWant::offsetBytes);

  private final int component;
  private final long offsetBytes;
  private final ByteBuffer sink;
  private int filledBytes;
  private RpcException failure;
  private long eofBytes;
  private int truncationNumber;
  private boolean empty = true;
  private boolean pending;
  private List<Stamp> stamps = List.of();

  /**
   * Wants as many bytes as the sink is long.
   *
   * @param component index in the file's map
   * @param offsetBytes in the component
   * @param sink filled from index 0 to its capacity
   */
  UnitWant(int component, long offsetBytes, ByteBuffer sink) {
    this.component = component;
    this.offsetBytes = offsetBytes;
    this.sink = sink;
  }

  int component() {
    return component;
  }

  long offsetBytes() {
    return offsetBytes;
  }

  int lengthBytes() {
    return sink.capacity();
  }

  long endBytes() {
    return offsetBytes + sink.capacity();
  }

  ByteBuffer sink() {
    return sink;
  }

  /** Takes what of these bytes belongs here; what was left out since the last ones is a hole. */
  void fill(long fromOffsetBytes, ByteBuffer from, int index, int count) {
    long start = Math.max(fromOffsetBytes, offsetBytes);
    long end = Math.min(fromOffsetBytes + count, endBytes());
    empty = false;
    if (start < end) {
      int at = (int) (start - offsetBytes);
      Zeros.fill(sink, filledBytes, at - filledBytes);
      sink.put(at, from, index + (int) (start - fromOffsetBytes), (int) (end - start));
      filledBytes = at + (int) (end - start);
    }
  }

  /** All stored bytes have come: the rest is a hole. */
  void complete(long eof, int truncation, boolean isPending, List<Stamp> lastStamps) {
    Zeros.fill(sink, filledBytes, sink.capacity() - filledBytes);
    filledBytes = sink.capacity();
    eofBytes = eof;
    truncationNumber = truncation;
    pending = isPending;
    stamps = lastStamps;
  }

  void fail(RpcException cause) {
    failure = cause;
  }

  /** Why the bytes are not there; null if they are. */
  RpcException failure() {
    return failure;
  }

  /** File length as the component knows it. */
  long eofBytes() {
    return eofBytes;
  }

  /** How often the file had been cut, as the component knows it (P 4.3). */
  int truncationNumber() {
    return truncationNumber;
  }

  /**
   * True if the component has never heard of a byte of the file: it was made anew, for attributes
   * or for a recovery, where one that held something was lost (P 4.2).
   */
  boolean isBlank() {
    return empty && eofBytes == 0 && truncationNumber == 0;
  }

  /** A write in the range was not known to be complete. */
  boolean isPending() {
    return pending;
  }

  /** Last write ids of the range, if they were asked for. */
  List<Stamp> stamps() {
    return stamps;
  }
}
