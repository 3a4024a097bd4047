package org.weft.it.simulation.workload;

import java.util.concurrent.CompletableFuture;
import org.weft.client.WeftFile;
import org.weft.client.WeftOutput;

/** The calls that streams and files open for update have in common. */
interface WriteHandle {
  CompletableFuture<Void> hflush();

  CompletableFuture<Void> hsync();

  CompletableFuture<?> close();

  CompletableFuture<Void> abort();

  static WriteHandle of(WeftOutput output) {
    return new WriteHandle() {
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
