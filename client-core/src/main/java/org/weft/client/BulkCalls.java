package org.weft.client;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Many small files at once: their attributes, inputs or contents. A bounded number is under way at
 * a time, so the round trips of some files hide behind those of others. Thread-safe.
 *
 * <p>The taker gets each file's outcome as it comes, in any order. It runs on the client's callback
 * executor, possibly on several of its threads at a time. The next file is begun when the taker
 * returns. So a slow taker holds the others up, and memory holds only what it has not yet returned
 * from. What fails for one file does not touch the others. The paths are asked for one by one, by
 * one thread at a time. The future completes when all outcomes have been taken; it fails only if
 * the iterator or the taker throws, and then begins no more files.
 */
public final class BulkCalls {
  private final WeftFileSystem files;
  private final BulkOptions options;

  BulkCalls(WeftFileSystem files, BulkOptions options) {
    this.files = files;
    this.options = options;
  }

  /**
   * A whole file in memory.
   *
   * @param bytes from position 0 to its limit
   */
  public record FileContent(FileStatus status, ByteBuffer bytes) {}

  /** What is known of each; NOT_FOUND where there is nothing. */
  public CompletableFuture<Void> attributes(
      Iterator<WeftPath> paths, Consumer<BulkOutcome<FileStatus>> taker) {
    return new Run<>(paths, files::attributes, taker).start();
  }

  /** Opens each for reading; the taker closes what it is given. */
  public CompletableFuture<Void> open(
      Iterator<WeftPath> paths, ReadOptions reading, Consumer<BulkOutcome<WeftInput>> taker) {
    return new Run<>(paths, path -> files.open(path, reading), taker).start();
  }

  /** Opens each, reads it to its end as it was then, and closes it. */
  public CompletableFuture<Void> read(
      Iterator<WeftPath> paths, ReadOptions reading, Consumer<BulkOutcome<FileContent>> taker) {
    return new Run<>(paths, path -> content(path, reading), taker).start();
  }

  private CompletableFuture<FileContent> content(WeftPath path, ReadOptions reading) {
    return files
        .open(path, reading)
        .thenCompose(input -> content(input).whenComplete((content, failure) -> input.close()));
  }

  private CompletableFuture<FileContent> content(WeftInput input) {
    long size = input.status().sizeBytes();
    if (size > options.mostFileBytes()) {
      return CompletableFuture.failedFuture(
          new WeftException(
              ErrorCode.INVALID_ARGUMENT,
              "%s: the file has %d bytes, more than the %d that a bulk read takes; open it by itself"
                  .formatted(input.status().path(), size, options.mostFileBytes())));
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) size);
    return size == 0
        ? CompletableFuture.completedFuture(new FileContent(input.status(), bytes))
        : input.read(0, bytes).thenApply(count -> new FileContent(input.status(), bytes.flip()));
  }

  /** One bulk call. */
  private final class Run<T> {
    private final Iterator<WeftPath> paths;
    private final Function<WeftPath, CompletableFuture<T>> call;
    private final Consumer<BulkOutcome<T>> taker;
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    /**
     * Places for files that are free; the thread that raises it from 0 begins files for all
     * threads.
     */
    private final AtomicInteger free = new AtomicInteger();

    // Touched by the thread that begins files.
    private int underWay;
    private boolean ended;
    private Throwable failure;

    Run(
        Iterator<WeftPath> paths,
        Function<WeftPath, CompletableFuture<T>> call,
        Consumer<BulkOutcome<T>> taker) {
      this.paths = paths;
      this.call = call;
      this.taker = taker;
    }

    CompletableFuture<Void> start() {
      underWay = options.parallel();
      freed(options.parallel(), null);
      return done;
    }

    /** Not deeper and deeper where everything is answered at once: one loop begins them all. */
    private void freed(int places, Throwable thrown) {
      if (thrown != null) {
        synchronized (this) {
          failure = failure == null ? thrown : failure;
        }
      }
      if (free.getAndAdd(places) > 0) {
        return;
      }
      int left = places;
      do {
        for (int i = 0; i < left; i++) {
          begin();
        }
        left = free.addAndGet(-left);
      } while (left > 0);
    }

    /** In a place that is free; without another file the place is given up. */
    private void begin() {
      WeftPath path = next();
      if (path == null) {
        underWay--;
        if (underWay == 0) {
          end();
        }
        return;
      }
      CompletableFuture<T> called;
      try {
        called = call.apply(path);
      } catch (RuntimeException | Error e) {
        called = CompletableFuture.failedFuture(e);
      }
      var unused = called.whenComplete((value, thrown) -> take(path, value, thrown));
    }

    private void take(WeftPath path, T value, Throwable thrown) {
      Throwable fault = null;
      try {
        taker.accept(BulkOutcome.of(path, value, thrown));
      } catch (RuntimeException | Error e) {
        fault = e;
      }
      freed(1, fault);
    }

    private WeftPath next() {
      synchronized (this) {
        ended |= failure != null;
      }
      if (ended) {
        return null;
      }
      try {
        if (paths.hasNext()) {
          return paths.next();
        }
      } catch (RuntimeException | Error e) {
        synchronized (this) {
          failure = e;
        }
      }
      ended = true;
      return null;
    }

    private void end() {
      Throwable thrown;
      synchronized (this) {
        thrown = failure;
      }
      if (thrown == null) {
        done.complete(null);
      } else {
        done.completeExceptionally(thrown);
      }
    }
  }
}
