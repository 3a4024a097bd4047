package org.weft.client.number;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.weft.client.file.Turns;
import org.weft.client.stripe.base.References;
import org.weft.protocol.rpc.Payload;

/**
 * What is fetched ahead while a file is read in order, in pieces of some stripes: one request to an
 * OSD brings what several reads ask for. Reads may be under way beside each other, and come a
 * little out of order. Reads at random places fetch nothing ahead: each asks for its own bytes.
 *
 * <p>A piece belongs to the read grant that was there before it was asked for: no client changes
 * the file while that lasts, and a read under another grant gets nothing of it (P 6.5e). It is
 * forgotten once all of it was given, or reading goes on elsewhere. Memory counts until the last
 * reader has given its part back. Thread-safe; never blocks.
 */
final class FetchedAhead {
  static final int PIECE_BYTES = 4 << 20;

  /** Beside the one that is being read. */
  private static final int PIECES_AHEAD = 2;

  /** So much is read in order before anything is fetched ahead. */
  static final long ORDER_BYTES = 2 << 20;

  /** Reads that are under way together lie no further apart. */
  private static final long WINDOW_BYTES = 8 << 20;

  /** Where the bytes of the file come from, as one opening has them. */
  interface Source {
    /** Fewer bytes than asked for come at the end alone; the caller releases them. */
    CompletableFuture<Payload> read(long positionBytes, int lengthBytes);
  }

  private final Source source;
  private final AheadMemory memory;

  // Guarded by this; nothing is asked for while it is held.
  private final Map<Long, Piece> pieces = new TreeMap<>();
  private Object grant;
  private long furthestBytes;
  private long inOrderBytes;
  private long nextPiece;
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
    List<Piece> begun = new ArrayList<>(0);
    List<Piece> left = new ArrayList<>(0);
    Piece piece;
    synchronized (this) {
      follow(under, positionBytes, lengthBytes, left);
      piece = ended ? null : pieceOf(fileBytes, positionBytes, lengthBytes, begun, left);
    }
    begun.forEach(Piece::fetch);
    left.forEach(Piece::release);
    return piece == null
        ? source.read(positionBytes, lengthBytes)
        : piece.read(positionBytes, lengthBytes);
  }

  private void follow(Object under, long positionBytes, int lengthBytes, List<Piece> left) {
    boolean goesOn = isSame(under) && Math.abs(positionBytes - furthestBytes) <= WINDOW_BYTES;
    if (!goesOn) {
      leaveAll(left);
      grant = under;
      furthestBytes = 0;
      inOrderBytes = 0;
      nextPiece = 0;
    }
    inOrderBytes += lengthBytes;
    furthestBytes = Math.max(furthestBytes, positionBytes + lengthBytes);
  }

  @SuppressWarnings("ReferenceEquality") // That very grant, not one that says the same.
  private boolean isSame(Object under) {
    return under == grant;
  }

  private void leaveAll(List<Piece> left) {
    left.addAll(pieces.values());
    pieces.clear();
  }

  /** What the read gets its bytes from, held for it; null: it asks by itself. */
  private Piece pieceOf(
      long fileBytes, long positionBytes, int lengthBytes, List<Piece> begun, List<Piece> left) {
    long number = positionBytes / PIECE_BYTES;
    boolean within = (positionBytes + lengthBytes - 1) / PIECE_BYTES == number;
    if (inOrderBytes < ORDER_BYTES || !within) {
      return null;
    }
    for (int ahead = 0; ahead <= PIECES_AHEAD; ahead++) {
      long from = ahead == 0 ? positionBytes : (number + ahead) * PIECE_BYTES;
      begin(number + ahead, from, fileBytes, begun);
    }
    pieces
        .values()
        .removeIf(each -> each.endBytes + WINDOW_BYTES < furthestBytes && left.add(each));
    Piece piece = pieces.get(number);
    if (piece == null || !piece.has(positionBytes, lengthBytes)) {
      return null;
    }
    piece.references.retain();
    piece.givenBytes += lengthBytes;
    if (piece.givenBytes >= piece.lengthBytes()) {
      pieces.remove(number);
      left.add(piece);
    }
    return piece;
  }

  /** Each piece once: what was given whole is not fetched again for one that comes late. */
  private void begin(long number, long fromBytes, long fileBytes, List<Piece> begun) {
    long endBytes = Math.min(fileBytes, (number + 1) * PIECE_BYTES);
    if (number < nextPiece || fromBytes >= endBytes || !memory.take(endBytes - fromBytes)) {
      return;
    }
    nextPiece = number + 1;
    Piece piece = new Piece(fromBytes, endBytes);
    pieces.put(number, piece);
    begun.add(piece);
  }

  /** Gives up all pieces. Reading that goes on in order fetches ahead again after a while. */
  void forget() {
    List<Piece> left = new ArrayList<>();
    synchronized (this) {
      leaveAll(left);
      grant = null;
    }
    left.forEach(Piece::release);
  }

  /** Nothing is fetched ahead any more. */
  void end() {
    synchronized (this) {
      ended = true;
    }
    forget();
  }

  /** Some stripes, fetched or on their way. */
  private final class Piece {
    private final long startBytes;
    private final long endBytes;
    private final CompletableFuture<Payload> fetched = new CompletableFuture<>();

    /** Of the table at first; then of its fetching, and of each that reads it. */
    private final References references = new References(this::free);

    // Guarded by what it belongs to.
    private long givenBytes;

    Piece(long startBytes, long endBytes) {
      this.startBytes = startBytes;
      this.endBytes = endBytes;
      // Until it has been fetched: the table may leave it before that begins.
      references.retain();
    }

    private int lengthBytes() {
      return (int) (endBytes - startBytes);
    }

    private boolean has(long positionBytes, int lengthBytes) {
      return positionBytes >= startBytes && positionBytes + lengthBytes <= endBytes;
    }

    void fetch() {
      var unused =
          Turns.begun(() -> source.read(startBytes, lengthBytes()))
              .whenComplete(
                  (payload, thrown) -> {
                    if (thrown == null) {
                      fetched.complete(payload);
                    } else {
                      fetched.completeExceptionally(thrown);
                    }
                    references.release();
                  });
    }

    /** A part; where the whole has not come, the source is asked for the part alone. */
    CompletableFuture<Payload> read(long positionBytes, int lengthBytes) {
      int from = (int) (positionBytes - startBytes);
      return fetched
          .thenApply(whole -> partOf(whole, from, lengthBytes))
          .exceptionallyCompose(
              thrown -> {
                references.release();
                return Turns.begun(() -> source.read(positionBytes, lengthBytes));
              });
    }

    /** Fails if less has come than there was to be. */
    private Payload partOf(Payload whole, int fromBytes, int lengthBytes) {
      if (whole.lengthBytes() < fromBytes + lengthBytes) {
        throw new IllegalStateException("the file has ended early");
      }
      return Payload.of(part(whole, fromBytes, lengthBytes), references::release);
    }

    void release() {
      references.release();
    }

    private void free() {
      memory.give(lengthBytes());
      if (!fetched.isCompletedExceptionally()) {
        fetched.join().release();
      }
    }
  }

  /** Views of some bytes of a payload. */
  static List<ByteBuffer> part(Payload payload, int fromBytes, int lengthBytes) {
    List<ByteBuffer> views = new ArrayList<>();
    int skipped = fromBytes;
    int wanted = lengthBytes;
    for (ByteBuffer each : payload.buffers()) {
      int count = Math.min(wanted, each.remaining() - skipped);
      if (count > 0) {
        views.add(each.slice(each.position() + skipped, count));
        wanted -= count;
      }
      skipped = Math.max(0, skipped - each.remaining());
    }
    return views;
  }
}
