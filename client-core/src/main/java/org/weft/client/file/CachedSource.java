package org.weft.client.file;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.client.cache.DataCache;
import org.weft.client.cache.GrantedData;
import org.weft.client.stripe.read.LentBuffer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;

/**
 * A file of which small reads are answered from the client's memory, as long as the file is granted
 * to it for reading (P 6.5e). All else, and streams of files that are not small, come from the OSDs
 * as always. A read whose pages were asked for before fetches them whole and keeps them.
 */
final class CachedSource implements FileSource {
  /** Streams of files up to so many bytes look at what is kept, and keep what they read. */
  private static final int SMALL_FILE_BYTES = DataCache.MAX_READ_BYTES;

  private final FileSource plain;
  private final GrantedData data;

  CachedSource(FileSource plain, GrantedData data) {
    this.plain = plain;
    this.data = data;
  }

  @Override
  public CompletableFuture<Integer> read(long offsetBytes, LentBuffer target) {
    int known = data.read(offsetBytes, target);
    if (known != GrantedData.UNKNOWN) {
      return CompletableFuture.completedFuture(known);
    }
    Optional<GrantedData.Fill> fill = data.begin(offsetBytes, target.lengthBytes(), offsetBytes);
    return fill.isEmpty()
        ? plain.read(offsetBytes, target)
        : filled(fill.get(), offsetBytes, target);
  }

  /**
   * Reads whole pages, and copies what was asked for. Where they cannot be read that alone is read:
   * the caller did not ask for the rest of them.
   */
  private CompletableFuture<Integer> filled(
      GrantedData.Fill fill, long offsetBytes, LentBuffer target) {
    return CallSequencer.begun(() -> plain.read(fill.fromBytes(), fill.target()))
        .handle((count, failure) -> failure == null && count == fill.lengthBytes())
        .thenCompose(
            whole -> {
              if (!whole) {
                return plain.read(offsetBytes, target);
              }
              fill.arrived();
              return entered(target, () -> fill.copyTo(target.memory()));
            });
  }

  /** What is kept is small, and would be copied for this: nothing is looked at. */
  @Override
  public CompletableFuture<Payload> bytes(long offsetBytes, int lengthBytes) {
    return plain.bytes(offsetBytes, lengthBytes);
  }

  /** Does something to a buffer, unless its caller has taken it back. */
  private static CompletableFuture<Integer> entered(LentBuffer target, Supplier<Integer> task) {
    if (!target.enter()) {
      return CompletableFuture.failedFuture(
          new WeftException(ErrorCode.CANCELLED, "the reader has taken its buffer back"));
    }
    try {
      return CompletableFuture.completedFuture(task.get());
    } finally {
      target.leave();
    }
  }

  @Override
  public Stream stream(long positionBytes) {
    return data.sizeBytes() > SMALL_FILE_BYTES
        ? plain.stream(positionBytes)
        : new SmallFileStream(positionBytes);
  }

  /** A small file in order. It fetches nothing ahead but the file as a whole. */
  private final class SmallFileStream implements Stream {
    private long positionBytes;
    private int mostAheadBytes = Integer.MAX_VALUE;

    /** From the OSDs; null as long as nothing had to come from there. */
    private Stream fetching;

    /** Where that one is, if nothing was read past it. */
    private long fetchingBytes;

    /** The buffer of the read that is under way, or was last; null before the first. */
    private LentBuffer lent;

    SmallFileStream(long positionBytes) {
      this.positionBytes = positionBytes;
    }

    @Override
    public void seek(long newPositionBytes) {
      positionBytes = newPositionBytes;
    }

    @Override
    public void readAhead(int mostBytes) {
      mostAheadBytes = mostBytes;
      if (fetching != null) {
        fetching.readAhead(mostBytes);
      }
    }

    /** What is in memory is answered at once by {@link #read} as well. */
    @Override
    public int readArrived(byte[] target, int offset, int length) {
      return 0;
    }

    @Override
    public CompletableFuture<Integer> read(ByteBuffer target) {
      if (positionBytes >= data.sizeBytes()) {
        return CompletableFuture.completedFuture(target.hasRemaining() ? -1 : 0);
      }
      LentBuffer buffer = new LentBuffer(target);
      lent = buffer;
      int known = data.read(positionBytes, buffer);
      if (known != GrantedData.UNKNOWN) {
        return CompletableFuture.completedFuture(moved(target, known));
      }
      boolean goesOn = fetching != null && fetchingBytes == positionBytes;
      Optional<GrantedData.Fill> fill =
          goesOn
              ? Optional.empty()
              : data.begin(positionBytes, buffer.lengthBytes(), data.sizeBytes());
      if (fill.isEmpty()) {
        return fetched(target);
      }
      return filled(fill.get(), positionBytes, buffer)
          .thenCompose(count -> entered(buffer, () -> moved(target, count)));
    }

    private int moved(ByteBuffer target, int count) {
      target.position(target.position() + Math.max(0, count));
      positionBytes += Math.max(0, count);
      return count;
    }

    private CompletableFuture<Integer> fetched(ByteBuffer target) {
      if (fetching == null) {
        fetching = plain.stream(positionBytes);
        fetching.readAhead(mostAheadBytes);
      } else if (fetchingBytes != positionBytes) {
        fetching.seek(positionBytes);
      }
      return fetching
          .read(target)
          .thenApply(
              count -> {
                positionBytes += Math.max(0, count);
                fetchingBytes = positionBytes;
                return count;
              });
    }

    @Override
    public void close() {
      if (lent != null) {
        lent.takeBack();
      }
      if (fetching != null) {
        fetching.close();
      }
    }
  }
}
