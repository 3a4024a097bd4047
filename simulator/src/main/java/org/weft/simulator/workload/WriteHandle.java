package org.weft.simulator.workload;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.weft.client.WeftFile;
import org.weft.client.WeftOutput;

/** The calls that streams and files open for update have in common. */
interface WriteHandle {
  CompletableFuture<Void> hflush();

  CompletableFuture<Void> hsync();

  CompletableFuture<?> close();

  CompletableFuture<Void> abort();

  /** False while its grant is given back. */
  boolean isGranted();

  /** True once it has been given back. */
  boolean isLent();

  /** Asks for the grant again, and changes nothing. */
  CompletableFuture<Void> comeBack();

  long sizeBytes();

  static WriteHandle of(WeftOutput output) {
    return new WriteHandle() {
      @Override
      public boolean isGranted() {
        return output.isGranted();
      }

      @Override
      public boolean isLent() {
        return output.isLent();
      }

      @Override
      public CompletableFuture<Void> comeBack() {
        return output.write(ByteBuffer.allocate(0));
      }

      @Override
      public long sizeBytes() {
        return output.positionBytes();
      }

      @Override
      public CompletableFuture<Void> hflush() {
        return output.hflush();
      }

      @Override
      public CompletableFuture<Void> hsync() {
        return output.hsync();
      }

      @Override
      public CompletableFuture<?> close() {
        return output.close();
      }

      @Override
      public CompletableFuture<Void> abort() {
        return output.abort();
      }
    };
  }

  static WriteHandle of(WeftFile file) {
    return new WriteHandle() {
      @Override
      public boolean isGranted() {
        return file.isGranted();
      }

      @Override
      public boolean isLent() {
        return file.isLent();
      }

      @Override
      public CompletableFuture<Void> comeBack() {
        return file.write(0, ByteBuffer.allocate(0));
      }

      @Override
      public long sizeBytes() {
        return file.sizeBytes();
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
      public CompletableFuture<?> close() {
        return file.close();
      }

      @Override
      public CompletableFuture<Void> abort() {
        return file.abort();
      }
    };
  }
}
