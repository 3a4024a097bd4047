package org.weft.hadoop;

import java.io.EOFException;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.CanSetReadahead;
import org.apache.hadoop.fs.CanUnbuffer;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsAggregator;
import org.apache.hadoop.fs.statistics.IOStatisticsContext;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.weft.client.WeftInput;
import org.weft.client.WeftInputStream;
import org.weft.hadoop.config.Settings;
import org.weft.protocol.error.WeftException;

/**
 * A file being read. Positional reads may run beside each other on any number of threads. The
 * stream's own position is read ahead once it is read in order. Its length is the one published
 * when it was opened. Sometimes a read must ask the manager for the file again, because an OSD is
 * gone or refuses. Then the length is the one published at that moment, as in HDFS. The end never
 * moves back below a position that was read, and no read at the end sends a request.
 */
final class WeftHadoopInputStream extends FSInputStream
    implements ByteBufferReadable,
        ByteBufferPositionedReadable,
        CanSetReadahead,
        CanUnbuffer,
        StreamCapabilities,
        IOStatisticsSource {
  private final WeftInput input;
  private final Connection connection;
  private final Cleaner.Cleanable whenUnreachable;
  private final FileSystem.Statistics counters;
  private final VectoredReading vectored;
  private final ReadCounts counts = new ReadCounts();

  /** The context of the thread that opened the file. */
  private final IOStatisticsAggregator context =
      IOStatisticsContext.getCurrentIOStatisticsContext().getAggregator();

  // Guarded by this.
  private final WeftInputStream ordered;
  private long position;
  private volatile boolean closed;

  WeftHadoopInputStream(
      WeftInput input, Connection connection, Settings settings, FileSystem.Statistics counters) {
    this.input = input;
    this.ordered = new WeftInputStream(input);
    this.connection = connection;
    this.counters = counters;
    this.vectored = new VectoredReading(input, settings, counts, this::taken);
    this.whenUnreachable = connection.reads(this, input::close);
    counts.increment(ReadCounter.OPENED);
  }

  @Override
  public synchronized void seek(long target) throws IOException {
    requireOpen();
    if (target < 0) {
      throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + " " + target);
    }
    if (target > sizeBytes()) {
      throw new EOFException(
          FSExceptionMessages.CANNOT_SEEK_PAST_EOF + ": " + target + " of " + sizeBytes());
    }
    if (target != position) {
      counts.increment(ReadCounter.SEEK_OPERATIONS);
      position = target;
    }
  }

  @Override
  public synchronized long getPos() {
    return position;
  }

  /** There is one source: whatever OSDs hold the file. */
  @Override
  public boolean seekToNewSource(long target) {
    return false;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  /** Nearly all reads of a file in order come here: it is short, and calls little. */
  @Override
  public synchronized int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    requireOpen();
    if (length == 0) {
      return 0;
    }
    counts.increment(ReadCounter.OPERATIONS);
    try {
      // Refuses a position behind an end that has moved back; where nothing moves it costs little.
      ordered.seek(position);
      return moved(ordered.read(target, offset, length));
    } catch (WeftException e) {
      throw failed(e);
    }
  }

  private int moved(int count) {
    if (count > 0) {
      position += count;
      taken(count);
    }
    return count;
  }

  @Override
  public synchronized int read(ByteBuffer target) throws IOException {
    requireOpen();
    if (!target.hasRemaining()) {
      return 0;
    }
    counts.increment(ReadCounter.OPERATIONS);
    try {
      ordered.seek(position);
      return moved(ordered.read(target));
    } catch (WeftException e) {
      throw failed(e);
    }
  }

  @Override
  public int read(long offset, byte[] target, int start, int length) throws IOException {
    requireOpen();
    validatePositionedReadArgs(offset, target, start, length);
    return read(offset, ByteBuffer.wrap(target, start, length));
  }

  @Override
  public int read(long offset, ByteBuffer target) throws IOException {
    requireOpen();
    if (offset < 0) {
      throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + " " + offset);
    }
    if (!target.hasRemaining()) {
      return 0;
    }
    counts.increment(ReadCounter.OPERATIONS);
    if (offset >= sizeBytes()) {
      return -1;
    }
    try {
      int count = input.readAndWait(offset, target);
      taken(Math.max(0, count));
      return count;
    } catch (WeftException e) {
      throw failed(e);
    }
  }

  @Override
  public void readFully(long offset, byte[] target, int start, int length) throws IOException {
    requireOpen();
    validatePositionedReadArgs(offset, target, start, length);
    readFully(offset, ByteBuffer.wrap(target, start, length));
  }

  @Override
  public void readFully(long offset, ByteBuffer target) throws IOException {
    counts.increment(ReadCounter.FULLY_OPERATIONS);
    long at = offset;
    while (target.hasRemaining()) {
      int count = read(at, target);
      if (count < 0) {
        throw new EOFException(
            FSExceptionMessages.EOF_IN_READ_FULLY
                + ": "
                + input.status().path()
                + " has "
                + sizeBytes()
                + " bytes, asked from "
                + offset);
      }
      at += count;
    }
  }

  @Override
  public int minSeekForVectorReads() {
    return vectored.gapBytes();
  }

  @Override
  public int maxReadSizeForVectorReads() {
    return vectored.mergedBytes();
  }

  @Override
  public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate)
      throws IOException {
    readVectored(ranges, allocate, WeftHadoopInputStream::leftToTheCollector);
  }

  /** A buffer of a caller that names no pool to give it back to. */
  private static void leftToTheCollector(ByteBuffer buffer) {}

  /**
   * With a pool that takes back the buffers of reads that fail. Hadoop calls it from 3.4.2 on;
   * before, its interface does not have it.
   */
  public void readVectored(
      List<? extends FileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release)
      throws IOException {
    requireOpen();
    vectored.read(ranges, allocate, release);
  }

  /** It may have grown since the file was opened: see the class. */
  private long sizeBytes() {
    return input.status().sizeBytes();
  }

  private void taken(int bytes) {
    counts.add(ReadCounter.BYTES, bytes);
    if (counters != null) {
      counters.incrementBytesRead(bytes);
    }
  }

  private IOException failed(WeftException failure) {
    counts.increment(ReadCounter.EXCEPTIONS);
    return HadoopFailures.ofLookup(failure, input.status().path());
  }

  /** Bytes up to the end, as HDFS has it. */
  @Override
  public synchronized int available() throws IOException {
    requireOpen();
    return (int) Math.min(Integer.MAX_VALUE, Math.max(0, sizeBytes() - position));
  }

  @Override
  public synchronized long skip(long count) throws IOException {
    requireOpen();
    long skipped = Math.max(0, Math.min(count, sizeBytes() - position));
    position += skipped;
    return skipped;
  }

  /**
   * Fetches no more than so many bytes ahead from the next read on, nor more than {@code
   * fs.weft.read.ahead}; null for that much again.
   */
  @Override
  public synchronized void setReadahead(Long bytes) throws IOException {
    requireOpen();
    if (bytes != null && bytes < 0) {
      throw new IllegalArgumentException("read-ahead cannot be negative: " + bytes);
    }
    ordered.readAhead(bytes == null ? Integer.MAX_VALUE : (int) Math.min(bytes, Integer.MAX_VALUE));
  }

  /** Gives back what was fetched ahead; the position stays, and the next read begins anew. */
  @Override
  public synchronized void unbuffer() {
    counts.increment(ReadCounter.UNBUFFERED);
    ordered.unbuffer();
  }

  @Override
  public boolean hasCapability(String capability) {
    return switch (capability.toLowerCase(Locale.ENGLISH)) {
      case StreamCapabilities.UNBUFFER,
          StreamCapabilities.READAHEAD,
          StreamCapabilities.READBYTEBUFFER,
          StreamCapabilities.PREADBYTEBUFFER,
          StreamCapabilities.IOSTATISTICS,
          StreamCapabilities.IOSTATISTICS_CONTEXT,
          StreamCapabilities.VECTOREDIO ->
          true;
      default -> false;
    };
  }

  @Override
  public IOStatistics getIOStatistics() {
    return counts.statistics();
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException(input.status().path() + ": " + FSExceptionMessages.STREAM_IS_CLOSED);
    }
    connection.requireOpen();
  }

  /**
   * The file system is closed, and this stream with it: the file need not be kept for it any more.
   * Never blocks; a read that is under way ends by itself.
   */
  void giveBack() {
    whenUnreachable.clean();
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      counts.increment(ReadCounter.CLOSED);
      ordered.close();
      whenUnreachable.clean();
      connection.endedReading(this);
      counts.addTo(connection.totals(), context);
    }
  }

  @Override
  public String toString() {
    return "WeftHadoopInputStream{"
        + input.status().path()
        + ", "
        + sizeBytes()
        + " bytes, "
        + counts.statistics()
        + "}";
  }
}
