package org.weft.hadoop;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.VectoredReadUtils;
import org.apache.hadoop.fs.impl.CombinedFileRange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.WeftInput;
import org.weft.hadoop.config.Settings;
import org.weft.protocol.error.WeftException;

/**
 * Reads many ranges at once, those that lie close together as one. Every range gets a buffer of its
 * own: a caller may give each back to its pool.
 */
final class VectoredReading {
  private static final Logger LOG = LoggerFactory.getLogger(VectoredReading.class);

  /** Ranges need not begin anywhere in particular. */
  private static final int ANY_ALIGNMENT = 1;

  private final WeftInput input;
  private final int gapBytes;
  private final int mergedBytes;
  private final ReadCounts counts;
  private final IntConsumer taken;

  /**
   * @param taken learns of bytes that were handed to the caller
   */
  VectoredReading(WeftInput input, Settings settings, ReadCounts counts, IntConsumer taken) {
    this.input = input;
    this.gapBytes = settings.vectoredGapBytes();
    this.mergedBytes = settings.vectoredMergedBytes();
    this.counts = counts;
    this.taken = taken;
  }

  int gapBytes() {
    return gapBytes;
  }

  int mergedBytes() {
    return mergedBytes;
  }

  /**
   * Starts all reads and returns; each range's future completes with its buffer, on the client's
   * callback threads.
   *
   * @throws EOFException if a range begins before the file or reaches behind its end; then none is
   *     read
   */
  void read(
      List<? extends FileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release)
      throws IOException {
    Objects.requireNonNull(allocate, "allocate");
    Objects.requireNonNull(release, "release");
    List<? extends FileRange> sorted = VectoredRanges.sorted(ranges, input.status().sizeBytes());
    List<CombinedFileRange> reads =
        VectoredReadUtils.mergeSortedRanges(sorted, ANY_ALIGNMENT, gapBytes, mergedBytes);
    counts.increment(ReadCounter.VECTORED_OPERATIONS);
    counts.add(ReadCounter.VECTORED_INCOMING_RANGES, sorted.size());
    counts.add(ReadCounter.VECTORED_COMBINED_RANGES, reads.size());
    sorted.forEach(range -> range.setData(new CompletableFuture<>()));
    Buffers buffers = new Buffers(allocate, release);
    for (CombinedFileRange read : reads) {
      if (read.getUnderlying().size() == 1) {
        readOne(read.getUnderlying().get(0), buffers);
      } else {
        readSeveral(read, buffers);
      }
    }
  }

  /** Memory of the caller, whose allocator may fail or refuse a returned buffer. */
  private record Buffers(IntFunction<ByteBuffer> allocate, Consumer<ByteBuffer> release) {
    ByteBuffer take(int length) {
      ByteBuffer buffer = allocate.apply(length);
      try {
        return buffer.limit(buffer.position() + length);
      } catch (RuntimeException | Error e) {
        giveBack(buffer);
        throw e;
      }
    }

    /** What the caller's code throws here must not keep a range from being completed. */
    void giveBack(ByteBuffer buffer) {
      try {
        release.accept(buffer);
      } catch (RuntimeException | Error e) {
        LOG.warn("a buffer of a vectored read could not be given back: {}", e.toString());
      }
    }
  }

  /** Whatever is thrown, want of memory too, completes the range. */
  private void readOne(FileRange range, Buffers buffers) {
    ByteBuffer buffer;
    try {
      buffer = buffers.take(range.getLength());
    } catch (RuntimeException | Error e) {
      fail(range, e);
      return;
    }
    int start = buffer.position();
    var unused =
        reading(range.getOffset(), buffer)
            .whenComplete(
                (count, failure) -> {
                  if (failure == null && count == range.getLength()) {
                    buffer.position(start);
                    taken.accept(count);
                    range.getData().complete(buffer);
                  } else {
                    buffers.giveBack(buffer);
                    failed(range, failure);
                  }
                });
  }

  private CompletableFuture<Integer> reading(long offset, ByteBuffer target) {
    try {
      return input.read(offset, target);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** What lies between the ranges is dropped. */
  private void readSeveral(CombinedFileRange read, Buffers buffers) {
    ByteBuffer all;
    try {
      all = ByteBuffer.allocate(read.getLength());
    } catch (OutOfMemoryError e) {
      read.getUnderlying().forEach(range -> fail(range, e));
      return;
    }
    var unused =
        reading(read.getOffset(), all)
            .whenComplete(
                (count, failure) -> {
                  int wanted = 0;
                  for (FileRange range : read.getUnderlying()) {
                    wanted += range.getLength();
                    if (failure == null && count == read.getLength()) {
                      int index = (int) (range.getOffset() - read.getOffset());
                      hand(range, all.array(), index, buffers);
                    } else {
                      failed(range, failure);
                    }
                  }
                  counts.add(ReadCounter.VECTORED_BYTES_DISCARDED, read.getLength() - wanted);
                });
  }

  private void hand(FileRange range, byte[] bytes, int index, Buffers buffers) {
    ByteBuffer buffer;
    try {
      buffer = buffers.take(range.getLength());
    } catch (RuntimeException | Error e) {
      fail(range, e);
      return;
    }
    try {
      buffer.put(buffer.position(), bytes, index, range.getLength());
      taken.accept(range.getLength());
      range.getData().complete(buffer);
    } catch (RuntimeException | Error e) {
      buffers.giveBack(buffer);
      fail(range, e);
    }
  }

  /** The read itself has failed, or ended before the range's end. */
  private void failed(FileRange range, Throwable failure) {
    if (failure == null) {
      fail(
          range,
          new EOFException(
              FSExceptionMessages.EOF_IN_READ_FULLY + ": " + input.status().path() + " " + range));
      return;
    }
    try {
      fail(range, HadoopFailures.ofLookup(WeftException.of(failure), input.status().path()));
    } catch (RuntimeException e) {
      fail(range, e);
    }
  }

  private void fail(FileRange range, Throwable shown) {
    range.getData().completeExceptionally(shown);
    counts.increment(ReadCounter.EXCEPTIONS);
  }
}
