package org.weft.hadoop;

import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_EXCEPTIONS;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_VECTORED_COMBINED_RANGES;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_VECTORED_OPERATIONS;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_VECTORED_READ_BYTES_DISCARDED;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.VectoredReadUtils;
import org.apache.hadoop.fs.impl.CombinedFileRange;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.weft.client.WeftInput;
import org.weft.protocol.rpc.RpcException;

/**
 * Reads many ranges at once, those that lie close together as one. Every range gets a buffer of its
 * own: a caller may give each back to its pool.
 */
final class VectoredReading {
  /** Ranges need not begin anywhere in particular. */
  private static final int ANY_ALIGNMENT = 1;

  private final WeftInput input;
  private final int gapBytes;
  private final int mergedBytes;
  private final IOStatisticsStore statistics;
  private final IntConsumer taken;

  /**
   * @param taken learns of bytes that were handed to the caller
   */
  VectoredReading(
      WeftInput input, Settings settings, IOStatisticsStore statistics, IntConsumer taken) {
    this.input = input;
    this.gapBytes = settings.vectoredGapBytes();
    this.mergedBytes = settings.vectoredMergedBytes();
    this.statistics = statistics;
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
    List<? extends FileRange> sorted =
        VectoredReadUtils.validateAndSortRanges(ranges, Optional.of(input.status().sizeBytes()));
    sorted.forEach(range -> range.setData(new CompletableFuture<>()));
    List<CombinedFileRange> reads =
        VectoredReadUtils.mergeSortedRanges(sorted, ANY_ALIGNMENT, gapBytes, mergedBytes);
    statistics.incrementCounter(STREAM_READ_VECTORED_OPERATIONS);
    statistics.incrementCounter(STREAM_READ_VECTORED_INCOMING_RANGES, sorted.size());
    statistics.incrementCounter(STREAM_READ_VECTORED_COMBINED_RANGES, reads.size());
    for (CombinedFileRange read : reads) {
      if (read.getUnderlying().size() == 1) {
        readOne(read.getUnderlying().get(0), allocate, release);
      } else {
        readSeveral(read, allocate);
      }
    }
  }

  private void readOne(
      FileRange range, IntFunction<ByteBuffer> allocate, Consumer<ByteBuffer> release) {
    ByteBuffer buffer = sized(allocate, range.getLength());
    int start = buffer.position();
    var unused =
        input
            .read(range.getOffset(), buffer)
            .whenComplete(
                (count, failure) -> {
                  if (failure == null && count == range.getLength()) {
                    buffer.position(start);
                    taken.accept(count);
                    range.getData().complete(buffer);
                  } else {
                    release.accept(buffer);
                    fail(range, failure);
                  }
                });
  }

  private static ByteBuffer sized(IntFunction<ByteBuffer> allocate, int length) {
    ByteBuffer buffer = allocate.apply(length);
    return buffer.limit(buffer.position() + length);
  }

  /** What lies between the ranges is dropped. */
  private void readSeveral(CombinedFileRange read, IntFunction<ByteBuffer> allocate) {
    ByteBuffer all = ByteBuffer.allocate(read.getLength());
    var unused =
        input
            .read(read.getOffset(), all)
            .whenComplete(
                (count, failure) -> {
                  int wanted = 0;
                  for (FileRange range : read.getUnderlying()) {
                    wanted += range.getLength();
                    if (failure == null && count == read.getLength()) {
                      hand(
                          range,
                          all.array(),
                          (int) (range.getOffset() - read.getOffset()),
                          allocate);
                    } else {
                      fail(range, failure);
                    }
                  }
                  statistics.incrementCounter(
                      STREAM_READ_VECTORED_READ_BYTES_DISCARDED, read.getLength() - wanted);
                });
  }

  private void hand(FileRange range, byte[] bytes, int start, IntFunction<ByteBuffer> allocate) {
    try {
      ByteBuffer buffer = sized(allocate, range.getLength());
      buffer.mark();
      buffer.put(bytes, start, range.getLength());
      buffer.reset();
      taken.accept(range.getLength());
      range.getData().complete(buffer);
    } catch (RuntimeException e) {
      range.getData().completeExceptionally(e);
    }
  }

  private void fail(FileRange range, Throwable failure) {
    statistics.incrementCounter(STREAM_READ_EXCEPTIONS);
    IOException shown =
        failure == null
            ? new EOFException(
                FSExceptionMessages.EOF_IN_READ_FULLY + ": " + input.status().path() + " " + range)
            : Failures.ofLookup(RpcException.of(failure), input.status().path());
    range.getData().completeExceptionally(shown);
  }
}
