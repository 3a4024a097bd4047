package org.weft.client.stripe.read;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.weft.client.stripe.base.References;
import org.weft.client.stripe.base.Zeros;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.Stamp;

/**
 * A range of one unit that is to be read, where its bytes go, and what became of it. Ranges of
 * different wants are filled by different threads; each want by one.
 *
 * <p>Bytes go to the sink, or stay in the payload where that is allowed and they lie there in one
 * piece. Then {@link #takeArrived} gives them, unless they are wanted in the sink after all.
 */
public final class UnitRead {
  /** In the order in which neighbours can be read in one request. */
  static final Comparator<UnitRead> BY_PLACE =
      Comparator.comparingInt(UnitRead::component).thenComparingLong(UnitRead::offsetBytes);

  private final int component;
  private final long offsetBytes;
  private final int lengthBytes;
  private final Supplier<ByteBuffer> memory;
  private final boolean mayStay;
  private ByteBuffer sink;
  private ArrivedBytes arrived;
  private int filledBytes;
  private WeftException failure;
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
  public UnitRead(int component, long offsetBytes, ByteBuffer sink) {
    this(component, offsetBytes, sink.capacity(), () -> sink, false);
  }

  /**
   * Wants so many bytes.
   *
   * @param memory makes the sink if one is needed, filled from index 0 to its capacity
   * @param mayStay the bytes may stay in the payload: {@link #takeArrived} or {@link #drop} is
   *     called in the end
   */
  UnitRead(
      int component,
      long offsetBytes,
      int lengthBytes,
      Supplier<ByteBuffer> memory,
      boolean mayStay) {
    this.component = component;
    this.offsetBytes = offsetBytes;
    this.lengthBytes = lengthBytes;
    this.memory = memory;
    this.mayStay = mayStay;
  }

  public int component() {
    return component;
  }

  public long offsetBytes() {
    return offsetBytes;
  }

  int lengthBytes() {
    return lengthBytes;
  }

  long endBytes() {
    return offsetBytes + lengthBytes;
  }

  /** Nothing is copied of what comes in one piece. */
  boolean mayStay() {
    return mayStay;
  }

  /** What has come is in there from now on. */
  public ByteBuffer sink() {
    if (sink == null) {
      ByteBuffer made = memory.get();
      if (arrived != null) {
        made.put(0, arrived.buffer(), arrived.index(), filledBytes);
        drop();
      }
      sink = made;
    }
    return sink;
  }

  /**
   * Takes what of these bytes belongs here; what was left out since the last ones is a hole.
   *
   * @param of the payload that they came in
   */
  void fill(long fromOffsetBytes, ByteBuffer from, int index, int count, References of) {
    long start = Math.max(fromOffsetBytes, offsetBytes);
    long end = Math.min(fromOffsetBytes + count, endBytes());
    empty = false;
    if (start < end) {
      int at = (int) (start - offsetBytes);
      int place = index + (int) (start - fromOffsetBytes);
      if (!stays(at, from, place, of)) {
        ByteBuffer into = sink();
        Zeros.fill(into, filledBytes, at - filledBytes);
        into.put(at, from, place, (int) (end - start));
      }
      filledBytes = at + (int) (end - start);
    }
  }

  /** True if the bytes stay where they are: the first of all, or right behind such. */
  @SuppressWarnings("ReferenceEquality") // The very buffer, not one with the same bytes.
  private boolean stays(int at, ByteBuffer from, int place, References of) {
    if (mayStay && at == 0 && sink == null && arrived == null) {
      of.retain();
      arrived = new ArrivedBytes(from, place, lengthBytes, of);
      return true;
    }
    return arrived != null
        && arrived.buffer() == from
        && at == filledBytes
        && place == arrived.index() + filledBytes;
  }

  /** Hands the bytes over as they came; null if they are in the sink. */
  ArrivedBytes takeArrived() {
    ArrivedBytes taken = arrived;
    arrived = null;
    return taken;
  }

  /** Lets go of what stayed in its payload, if it is here still. */
  void drop() {
    ArrivedBytes left = takeArrived();
    if (left != null) {
      left.release();
    }
  }

  /** All stored bytes have come: the rest is a hole. */
  void complete(long eof, int truncation, boolean isPending, List<Stamp> lastStamps) {
    if (filledBytes < lengthBytes) {
      Zeros.fill(sink(), filledBytes, lengthBytes - filledBytes);
      filledBytes = lengthBytes;
    }
    eofBytes = eof;
    truncationNumber = truncation;
    pending = isPending;
    stamps = lastStamps;
  }

  public void fail(WeftException cause) {
    failure = cause;
  }

  /** Why the bytes are not there; null if they are. */
  public WeftException failure() {
    return failure;
  }

  /** File length as the component knows it. */
  public long eofBytes() {
    return eofBytes;
  }

  /** How often the file had been cut, as the component knows it (P 4.3). */
  public int truncationNumber() {
    return truncationNumber;
  }

  /**
   * True if the component has never heard of a byte of the file. It was made anew, for attributes
   * or for a recovery, where one that held something was lost (P 4.2).
   */
  public boolean isBlank() {
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
