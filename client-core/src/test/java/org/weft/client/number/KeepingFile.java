package org.weft.client.number;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.client.file.WritableFile;
import org.weft.client.stripe.base.References;
import org.weft.protocol.wire.FileAttributes;

/**
 * A file that keeps all that it may keep until it is told to send it, and fails where a test says
 * so. Its calls are over at once. Single-threaded.
 */
final class KeepingFile implements WritableFile<Void> {
  private final List<References> kept = new ArrayList<>();
  private int keptWrites;
  private int writes;
  private int syncs;
  private int flushes;
  private long sizeBytes;
  private int cuts;
  private boolean failed;
  private long readableBytes;
  private CompletableFuture<Void> syncsGoOn = CompletableFuture.completedFuture(null);

  /** Until now, those included that were sent since. */
  int keptWrites() {
    return keptWrites;
  }

  int writes() {
    return writes;
  }

  int flushes() {
    return flushes;
  }

  int syncs() {
    return syncs;
  }

  /** It has so many bytes, each with the lowest bits of its position. */
  void holds(long bytes) {
    readableBytes = bytes;
  }

  /** What it keeps is on its way, and its memory is not looked at any more. */
  void send() {
    kept.forEach(References::release);
    kept.clear();
  }

  /** Syncs are over when the result completes. */
  CompletableFuture<Void> holdSyncs() {
    syncsGoOn = new CompletableFuture<>();
    return syncsGoOn;
  }

  /** What it keeps is lost. */
  void fail() {
    send();
    failed = true;
  }

  private CompletableFuture<Void> done() {
    return failed
        ? CompletableFuture.failedFuture(new IllegalStateException("made to fail"))
        : CompletableFuture.completedFuture(null);
  }

  @Override
  public long objectId() {
    return 1;
  }

  @Override
  public boolean hasFailed() {
    return failed;
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
  }

  @Override
  public long writtenBytes(int cutsByNow) {
    return cutsByNow > cuts ? 0 : sizeBytes;
  }

  @Override
  public CompletableFuture<Void> write(long positionBytes, ByteBuffer data) {
    writes++;
    return done();
  }

  @Override
  public CompletableFuture<Void> write(long positionBytes, ByteBuffer data, References memory) {
    memory.retain();
    kept.add(memory);
    keptWrites++;
    return write(positionBytes, data);
  }

  @Override
  public CompletableFuture<Integer> read(long positionBytes, ByteBuffer target) {
    if (failed) {
      return CompletableFuture.failedFuture(new IllegalStateException("made to fail"));
    }
    int count = (int) Math.min(target.remaining(), readableBytes - positionBytes);
    for (int index = 0; index < count; index++) {
      target.put((byte) (positionBytes + index));
    }
    return CompletableFuture.completedFuture(count > 0 ? count : -1);
  }

  @Override
  public CompletableFuture<Void> setLength(long newSizeBytes) {
    cuts++;
    sizeBytes = newSizeBytes;
    return done();
  }

  @Override
  public CompletableFuture<Void> punch(long positionBytes, long lengthBytes) {
    return done();
  }

  @Override
  public CompletableFuture<Void> hflush() {
    flushes++;
    send();
    return done();
  }

  @Override
  public CompletableFuture<Void> hsync() {
    syncs++;
    send();
    return done();
  }

  @Override
  public CompletableFuture<Optional<FileAttributes>> sync() {
    return hsync().thenCompose(nothing -> syncsGoOn).thenApply(nothing -> Optional.empty());
  }

  @Override
  public CompletableFuture<Optional<FileAttributes>> writeAndSync(
      long positionBytes, ByteBuffer data) {
    return write(positionBytes, data).thenCompose(nothing -> sync());
  }

  @Override
  public CompletableFuture<Void> close() {
    return hsync();
  }

  @Override
  public CompletableFuture<Void> abort() {
    send();
    return CompletableFuture.completedFuture(null);
  }
}
