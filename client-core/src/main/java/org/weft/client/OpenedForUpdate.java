package org.weft.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.weft.client.file.WritableFile;

/** A file that is open for changes, under the path by which its user named it. */
record OpenedForUpdate(WeftPath path, WritableFile<FileStatus> file) implements WeftFile {
  @Override
  public long objectId() {
    return file.objectId();
  }

  @Override
  public boolean isGranted() {
    return file.isGranted();
  }

  @Override
  public boolean isLent() {
    return file.isLent();
  }

  @Override
  public boolean hasFailed() {
    return file.hasFailed();
  }

  @Override
  public long sizeBytes() {
    return file.sizeBytes();
  }

  @Override
  public CompletableFuture<Void> write(long positionBytes, ByteBuffer data) {
    return file.write(positionBytes, data);
  }

  @Override
  public CompletableFuture<Integer> read(long positionBytes, ByteBuffer target) {
    return file.read(positionBytes, target);
  }

  @Override
  public CompletableFuture<Void> setLength(long sizeBytes) {
    return file.setLength(sizeBytes);
  }

  @Override
  public CompletableFuture<Void> punch(long positionBytes, long lengthBytes) {
    return file.punch(positionBytes, lengthBytes);
  }

  @Override
  public CompletableFuture<Void> hflush() {
    return file.hflush();
  }

  @Override
  public CompletableFuture<Void> hsync() {
    return file.hsync();
  }

  @Override
  public CompletableFuture<FileStatus> close() {
    return file.close();
  }

  @Override
  public CompletableFuture<Void> abort() {
    return file.abort();
  }
}
