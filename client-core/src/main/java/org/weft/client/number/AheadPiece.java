package org.weft.client.number;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.file.CallSequencer;
import org.weft.client.stripe.base.References;
import org.weft.protocol.rpc.Payload;

/**
 * Some stripes of a file, fetched or on their way. Its memory counts until the last reader has
 * given its part back. Thread-safe, but for {@link #hold}.
 */
final class AheadPiece {
  private final FetchedAhead.Source source;
  private final AheadMemory memory;
  private final long startBytes;
  private final long endBytes;
  private final CompletableFuture<Payload> fetched = new CompletableFuture<>();

  /** Of the stream at first; then of its fetching, and of each that reads it. */
  private final References references = new References(this::free);

  // Guarded by what the streams are.
  private long givenBytes;

  /** For a stream, which releases it; its bytes have been taken from the memory. */
  AheadPiece(FetchedAhead.Source source, AheadMemory memory, long startBytes, long endBytes) {
    this.source = source;
    this.memory = memory;
    this.startBytes = startBytes;
    this.endBytes = endBytes;
    // Until it has been fetched: the stream may leave it before that begins.
    references.retain();
  }

  private int lengthBytes() {
    return (int) (endBytes - startBytes);
  }

  boolean has(long positionBytes, int lengthBytes) {
    return positionBytes >= startBytes && positionBytes + lengthBytes <= endBytes;
  }

  /** It ends at this position or before. */
  boolean endsBy(long positionBytes) {
    return endBytes <= positionBytes;
  }

  /**
   * Holds it for a read of so many bytes. One thread at a time.
   *
   * @return whether all of it has been given now, so that the stream has no use for it
   */
  boolean hold(int readBytes) {
    references.retain();
    givenBytes += readBytes;
    return givenBytes >= lengthBytes();
  }

  /** Asks for it; to be called once. */
  void fetch() {
    var unused =
        CallSequencer.begun(() -> source.read(startBytes, lengthBytes()))
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

  /**
   * A part, after {@link #hold}; where the whole has not come, the source is asked for the part.
   */
  CompletableFuture<Payload> read(long positionBytes, int lengthBytes) {
    int from = (int) (positionBytes - startBytes);
    return fetched
        .thenApply(whole -> partOf(whole, from, lengthBytes))
        .exceptionallyCompose(
            thrown -> {
              references.release();
              return CallSequencer.begun(() -> source.read(positionBytes, lengthBytes));
            });
  }

  /** Fails if less has come than there was to be. */
  private Payload partOf(Payload whole, int fromBytes, int lengthBytes) {
    if (whole.lengthBytes() < fromBytes + lengthBytes) {
      throw new IllegalStateException("the file has ended early");
    }
    return Payload.of(part(whole, fromBytes, lengthBytes), references::release);
  }

  /** Its stream has no use for it any more. */
  void release() {
    references.release();
  }

  private void free() {
    memory.give(lengthBytes());
    if (!fetched.isCompletedExceptionally()) {
      fetched.join().release();
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
