package org.weft.client.number;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads of a file that follow each other, a little out of order at most, and the pieces that were
 * fetched for them. What it begins and leaves, it adds to lists of its caller, which fetches and
 * releases them after its lock. Guarded by its caller.
 */
final class AheadStream {
  /** Beside the one that is being read. */
  private static final int PIECES_AHEAD = 2;

  private final FetchedAhead.Source source;
  private final AheadMemory memory;
  private final Map<Long, AheadPiece> pieces = new TreeMap<>();
  private long furthestBytes;
  private long inOrderBytes;
  private long nextPiece;
  private long usedAtBytes;

  AheadStream(FetchedAhead.Source source, AheadMemory memory) {
    this.source = source;
    this.memory = memory;
  }

  /** From the end of what it has read so far, before or behind. */
  long distanceBytes(long positionBytes) {
    return Math.abs(positionBytes - furthestBytes);
  }

  /** So much was read in order that it is worth fetching ahead. */
  boolean isInOrder() {
    return inOrderBytes >= FetchedAhead.ORDER_BYTES;
  }

  /** What the file's reads had read together when this one read last. */
  long usedAtBytes() {
    return usedAtBytes;
  }

  /** A read of it, at this point of all that is read of the file. */
  void follow(long positionBytes, int lengthBytes, long nowBytes) {
    inOrderBytes += lengthBytes;
    furthestBytes = Math.max(furthestBytes, positionBytes + lengthBytes);
    usedAtBytes = nowBytes;
  }

  /**
   * What the read gets its bytes from, held for it; null: it asks by itself. Of a stream that is in
   * order.
   */
  AheadPiece pieceOf(
      long fileBytes,
      long positionBytes,
      int lengthBytes,
      List<AheadPiece> begun,
      List<AheadPiece> left) {
    long number = positionBytes / FetchedAhead.PIECE_BYTES;
    boolean within = (positionBytes + lengthBytes - 1) / FetchedAhead.PIECE_BYTES == number;
    if (!within) {
      return null;
    }
    for (int ahead = 0; ahead <= PIECES_AHEAD; ahead++) {
      long from = ahead == 0 ? positionBytes : (number + ahead) * FetchedAhead.PIECE_BYTES;
      begin(number + ahead, from, fileBytes, begun);
    }
    long behind = furthestBytes - FetchedAhead.WINDOW_BYTES;
    pieces.values().removeIf(each -> each.endsBy(behind - 1) && left.add(each));
    AheadPiece piece = pieces.get(number);
    if (piece == null || !piece.has(positionBytes, lengthBytes)) {
      return null;
    }
    if (piece.hold(lengthBytes)) {
      pieces.remove(number);
      left.add(piece);
    }
    return piece;
  }

  /** Each piece once: what was given whole is not fetched again for one that comes late. */
  private void begin(long number, long fromBytes, long fileBytes, List<AheadPiece> begun) {
    long endBytes = Math.min(fileBytes, (number + 1) * FetchedAhead.PIECE_BYTES);
    if (number < nextPiece || fromBytes >= endBytes || !memory.take(endBytes - fromBytes)) {
      return;
    }
    nextPiece = number + 1;
    AheadPiece piece = new AheadPiece(source, memory, fromBytes, endBytes);
    pieces.put(number, piece);
    begun.add(piece);
  }

  /** It is not used again. */
  void leave(List<AheadPiece> left) {
    left.addAll(pieces.values());
    pieces.clear();
  }
}
