package org.weft.client.file;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.stripe.read.LentBuffer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;

/** Both ends of a file in memory, with a grant that remembers how it was given back. */
public final class MemoryData implements FileSink, FileSource, FileGrant {
  public final ByteArrayOutputStream written = new ByteArrayOutputStream();
  public final List<String> events = new ArrayList<>();
  public byte[] content = new byte[0];
  public long failAtBytes = Long.MAX_VALUE;
  public boolean failFinish;
  public boolean live = true;
  public ErrorCode nextReadFailure;
  public int longestReadBytes = Integer.MAX_VALUE;

  /** Says what streams have at hand; null: nothing ever. */
  public SplittableRandom arrivals;

  /** Made to throw by the next read of what is at hand, after it has moved the stream. */
  public RuntimeException nextArrivedFailure;

  /** So many bytes the next read of a stream copies; then it fails as said, or never ends. */
  public int leftByNextRead;

  /** The next read of a stream fails after it has moved it. */
  public boolean failNextReadWhenMoved;

  /** What is read comes when this is done. */
  public CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

  private static WeftException broken(ErrorCode code) {
    return new WeftException(code, "OSD 3 made to fail");
  }

  @Override
  public long objectId() {
    return 70_000;
  }

  @Override
  public CompletableFuture<Void> write(ByteBuffer data) {
    if (written.size() + data.remaining() > failAtBytes) {
      return CompletableFuture.failedFuture(broken(ErrorCode.UNAVAILABLE));
    }
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    written.writeBytes(bytes);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Written> flush(boolean onStableStorage) {
    events.add(onStableStorage ? "synced" : "flushed");
    return failFinish
        ? CompletableFuture.failedFuture(broken(ErrorCode.UNAVAILABLE))
        : CompletableFuture.completedFuture(new Written(written.size(), new CompletePoint(11, 7)));
  }

  @Override
  public CompletableFuture<Written> finish() {
    events.add("finish");
    return failFinish
        ? CompletableFuture.failedFuture(broken(ErrorCode.UNAVAILABLE))
        : CompletableFuture.completedFuture(new Written(written.size(), new CompletePoint(11, 7)));
  }

  @Override
  public void drop() {
    events.add("sink abandoned");
  }

  @Override
  public CompletableFuture<Integer> read(long offsetBytes, LentBuffer target) {
    return gate.thenCompose(
        nothing -> {
          if (!target.enter()) {
            return CompletableFuture.failedFuture(broken(ErrorCode.CANCELLED));
          }
          try {
            return read(offsetBytes, target.memory().duplicate());
          } finally {
            target.leave();
          }
        });
  }

  @Override
  public CompletableFuture<Payload> bytes(long offsetBytes, int lengthBytes) {
    ByteBuffer target = ByteBuffer.allocate(lengthBytes);
    return gate.thenCompose(nothing -> read(offsetBytes, target))
        .thenApply(count -> Payload.of(target.flip()));
  }

  private CompletableFuture<Integer> read(long offsetBytes, ByteBuffer target) {
    if (nextReadFailure != null) {
      ErrorCode code = nextReadFailure;
      nextReadFailure = null;
      return CompletableFuture.failedFuture(broken(code));
    }
    int count = (int) Math.min(target.remaining(), content.length - offsetBytes);
    if (count <= 0) {
      return CompletableFuture.completedFuture(target.hasRemaining() ? -1 : 0);
    }
    target.put(content, (int) offsetBytes, count);
    return CompletableFuture.completedFuture(count);
  }

  @Override
  public Stream stream(long positionBytes) {
    events.add("stream at " + positionBytes);
    return new Stream() {
      private long position = positionBytes;

      @Override
      public void seek(long newPositionBytes) {
        position = newPositionBytes;
      }

      @Override
      public void readAhead(int mostBytes) {
        // There is nothing ahead: all of it is in memory.
      }

      @Override
      public int readArrived(byte[] target, int offset, int length) {
        boolean isAtHand = arrivals != null && arrivals.nextBoolean() && gate.isDone();
        if (!isAtHand || nextReadFailure != null || leftByNextRead > 0) {
          return 0;
        }
        int most = Math.min(length, longestReadBytes);
        int count = (int) Math.max(0, Math.min(most, content.length - position));
        System.arraycopy(content, (int) position, target, offset, count);
        position += count;
        if (nextArrivedFailure != null) {
          RuntimeException failure = nextArrivedFailure;
          nextArrivedFailure = null;
          throw failure;
        }
        return count;
      }

      @Override
      public CompletableFuture<Integer> read(ByteBuffer target) {
        if (leftByNextRead > 0) {
          target.put(content, (int) position, Math.min(leftByNextRead, target.remaining()));
          leftByNextRead = 0;
          return nextReadFailure == null
              ? new CompletableFuture<>()
              : MemoryData.this.read(position, target);
        }
        if (failNextReadWhenMoved) {
          failNextReadWhenMoved = false;
          position += Math.min(target.remaining(), content.length - position);
          return CompletableFuture.failedFuture(broken(ErrorCode.UNAVAILABLE));
        }
        int limit = target.limit();
        target.limit(target.position() + Math.min(target.remaining(), longestReadBytes));
        return gate.thenCompose(nothing -> MemoryData.this.read(position, target))
            .whenComplete(
                (count, failure) -> {
                  target.limit(limit);
                  position += count == null ? 0 : Math.max(0, count);
                });
      }

      @Override
      public void close() {
        events.add("stream closed");
      }
    };
  }

  @Override
  public boolean isLive() {
    return live;
  }

  @Override
  public CompletableFuture<Optional<FileAttributes>> publish(Written file) {
    events.add("published at " + file.sizeBytes());
    return CompletableFuture.completedFuture(Optional.empty());
  }

  @Override
  public CompletableFuture<FileAttributes> close(Written file) {
    events.add("closed at " + file.sizeBytes() + ", complete up to " + file.complete().seq());
    return CompletableFuture.completedFuture(
        FileAttributes.newBuilder().setKind(FileKind.FILE).setSize(file.sizeBytes()).build());
  }

  @Override
  public CompletableFuture<FileAttributes> abandon() {
    events.add("grant abandoned");
    return CompletableFuture.completedFuture(FileAttributes.getDefaultInstance());
  }
}
