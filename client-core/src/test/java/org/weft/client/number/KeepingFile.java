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
  private long sizeBytes;
  private int cuts;
  private boolean failed;

  /** Until now, those included that were sent since. */
  int keptWrites() {
    return keptWrites;
  }

  int writes() {
    return writes;
  }

  int syncs() {
    return syncs;
  }

  /** What it keeps is on its way, and its memory is not looked at any more. */
  void send() {
    kept.forEach(References::release);
    kept.clear();
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
    return CompletableFuture.completedFuture(-1);
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
    return hsync().thenApply(nothing -> Optional.empty());
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
