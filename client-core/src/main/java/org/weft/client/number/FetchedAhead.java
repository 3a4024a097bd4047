package org.weft.client.number;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.weft.protocol.rpc.Payload;

/**
 * What is fetched ahead while a file is read in order, in pieces of some stripes. One request to an
 * OSD brings what several reads ask for. Reads may be under way beside each other, and come a
 * little out of order. Several clients may read the file at places of their own, each as a stream.
 * Reads at random places fetch nothing ahead: each asks for its own bytes.
 *
 * <p>A piece belongs to the read grant that was there before it was asked for. No client changes
 * the file while that lasts, and a read under another grant gets nothing of it (P 6.5e). It is
 * forgotten once all of it was given, or its stream has ended. Memory counts until the last reader
 * has given its part back. Thread-safe; never blocks.
 */
final class FetchedAhead {
  static final int PIECE_BYTES = 4 << 20;

  /** So much is read in order before anything is fetched ahead. */
  static final long ORDER_BYTES = 2 << 20;

  /** Reads of a stream that are under way together lie no further apart. */
  static final long WINDOW_BYTES = 8 << 20;

  /** Of one file that have pieces; further ones ask for each read until one of these has ended. */
  static final int MAX_STREAMS = 4;

  /** Of one file that may become streams: reads at random places displace each other here. */
  private static final int MAX_CANDIDATES = 16;

  /** A stream has ended when so much was read by others meanwhile. */
  static final long ENDED_AFTER_BYTES = 256 << 20;

  /** Where the bytes of the file come from, as one opening has them. */
  interface Source {
    /** Fewer bytes than asked for come at the end alone; the caller releases them. */
    CompletableFuture<Payload> read(long positionBytes, int lengthBytes);
  }

  private final Source source;
  private final AheadMemory memory;

  // Guarded by this; nothing is asked for while it is held.
  private final List<AheadStream> streams = new ArrayList<>(1);
  private final Deque<AheadStream> candidates = new ArrayDeque<>(1);
  private Object grant;
  private long readBytes;
  private boolean ended;

  FetchedAhead(Source source, AheadMemory memory) {
    this.source = source;
    this.memory = memory;
  }

  /**
   * Reads as the source does.
   *
   * @param under the read grant that the file has now; the same object as long as it lasts
   * @param fileBytes length of the file under it
   */
  CompletableFuture<Payload> read(
      Object under, long fileBytes, long positionBytes, int lengthBytes) {
    List<AheadPiece> begun = new ArrayList<>(0);
    List<AheadPiece> left = new ArrayList<>(0);
    AheadPiece piece;
    synchronized (this) {
      if (!isSame(under)) {
        leaveAll(left);
        grant = under;
      }
      streams.removeIf(each -> hasEnded(each, left));
      AheadStream stream = streamAt(positionBytes);
      readBytes += lengthBytes;
      stream.follow(positionBytes, lengthBytes, readBytes);
      boolean isAhead = !ended && takesIn(stream);
      piece = isAhead ? stream.pieceOf(fileBytes, positionBytes, lengthBytes, begun, left) : null;
    }
    begun.forEach(AheadPiece::fetch);
    left.forEach(AheadPiece::release);
    return piece == null
        ? source.read(positionBytes, lengthBytes)
        : piece.read(positionBytes, lengthBytes);
  }

  @SuppressWarnings("ReferenceEquality") // That very grant, not one that says the same.
  private boolean isSame(Object under) {
    return under == grant;
  }

  /** Its pieces are left if so. */
  private boolean hasEnded(AheadStream stream, List<AheadPiece> left) {
    boolean over = stream.usedAtBytes() + ENDED_AFTER_BYTES < readBytes;
    if (over) {
      stream.leave(left);
    }
    return over;
  }

  /** The nearest within reach, else a new candidate. */
  private AheadStream streamAt(long positionBytes) {
    return Stream.concat(streams.stream(), candidates.stream())
        .filter(each -> each.distanceBytes(positionBytes) <= WINDOW_BYTES)
        .min(Comparator.comparingLong(each -> each.distanceBytes(positionBytes)))
        .orElseGet(this::newCandidate);
  }

  private AheadStream newCandidate() {
    if (candidates.size() == MAX_CANDIDATES) {
      candidates.removeFirst();
    }
    AheadStream fresh = new AheadStream(source, memory);
    candidates.addLast(fresh);
    return fresh;
  }

  /** One that is read in order is fetched ahead of, as long as there is room for it. */
  private boolean takesIn(AheadStream stream) {
    if (streams.contains(stream)) {
      return true;
    }
    if (!stream.isInOrder() || streams.size() == MAX_STREAMS) {
      return false;
    }
    candidates.remove(stream);
    return streams.add(stream);
  }

  private void leaveAll(List<AheadPiece> left) {
    streams.forEach(each -> each.leave(left));
    streams.clear();
    candidates.clear();
  }

  /** Gives up all pieces. Reading that goes on in order fetches ahead again after a while. */
  void forget() {
    List<AheadPiece> left = new ArrayList<>();
    synchronized (this) {
      leaveAll(left);
      grant = null;
    }
    left.forEach(AheadPiece::release);
  }

  /** Nothing is fetched ahead any more. */
  void end() {
    synchronized (this) {
      ended = true;
    }
    forget();
  }
}
