package org.weft.hadoop;

import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_WRITE_BYTES;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_WRITE_EXCEPTIONS;
import static org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding.trackDurationOfInvocation;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.ref.Cleaner;
import java.util.Locale;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsAggregator;
import org.apache.hadoop.fs.statistics.IOStatisticsContext;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import org.weft.client.WeftOutput;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.protocol.error.WeftException;

/**
 * A file being written. {@code hflush} makes everything so far readable for a client that opens the
 * file now, {@code hsync} puts it on stable storage besides; {@code flush} does neither. Calls of
 * several threads take turns.
 */
final class WeftHadoopOutputStream extends OutputStream
    implements Syncable, StreamCapabilities, IOStatisticsSource {
  /** Hadoop deprecates its constant, not what it means. */
  private static final String HFLUSH = "hflush";

  private final WeftPath path;
  private final WeftOutputStream output;
  private final Connection connection;
  private final Cleaner.Cleanable whenUnreachable;
  private final IOStatisticsStore statistics = StatisticsStores.writeStatistics();

  /** The context of the thread that opened the file. */
  private final IOStatisticsAggregator context =
      IOStatisticsContext.getCurrentIOStatisticsContext().getAggregator();

  /** Nothing more is written. */
  private boolean closed;

  /** The cluster knows. */
  private boolean ended;

  WeftHadoopOutputStream(WeftPath path, WeftOutputStream output, Connection connection) {
    this.path = path;
    this.output = output;
    this.connection = connection;
    this.whenUnreachable = connection.opened(this, givingUp(output.asynchronous()));
  }

  private static Runnable givingUp(WeftOutput output) {
    return () -> {
      var unused = output.abort();
    };
  }

  @Override
  public synchronized void write(int b) throws IOException {
    run(() -> output.write(b));
    statistics.incrementCounter(STREAM_WRITE_BYTES, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
    run(() -> output.write(bytes, offset, length));
    statistics.incrementCounter(STREAM_WRITE_BYTES, length);
  }

  @Override
  public synchronized void flush() throws IOException {
    requireOpen();
  }

  @Override
  public synchronized void hflush() throws IOException {
    trackDurationOfInvocation(statistics, StoreStatisticNames.OP_HFLUSH, () -> run(output::hflush));
  }

  @Override
  public synchronized void hsync() throws IOException {
    trackDurationOfInvocation(statistics, StoreStatisticNames.OP_HSYNC, () -> run(output::hsync));
  }

  private void run(InvocationRaisingIOE call) throws IOException {
    requireOpen();
    try {
      call.apply();
    } catch (WeftException e) {
      statistics.incrementCounter(STREAM_WRITE_EXCEPTIONS);
      throw HadoopFailures.ofChange(e, path);
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException(path + ": " + FSExceptionMessages.STREAM_IS_CLOSED);
    }
    connection.requireOpen();
  }

  @Override
  public boolean hasCapability(String capability) {
    return switch (capability.toLowerCase(Locale.ENGLISH)) {
      case HFLUSH,
          StreamCapabilities.HSYNC,
          StreamCapabilities.IOSTATISTICS,
          StreamCapabilities.IOSTATISTICS_CONTEXT ->
          true;
      default -> false;
    };
  }

  @Override
  public IOStatistics getIOStatistics() {
    return statistics;
  }

  /**
   * Publishes the file. Closing again does nothing.
   *
   * @throws InterruptedIOException if an interrupted thread waited in vain for ten seconds, or was
   *     interrupted again; closing again then waits on
   */
  @Override
  public synchronized void close() throws IOException {
    if (ended) {
      return;
    }
    closed = true;
    try {
      output.close();
      // A closed file has nothing left to give up.
      whenUnreachable.clean();
    } catch (InterruptedIOException e) {
      throw e;
    } catch (WeftException e) {
      statistics.incrementCounter(STREAM_WRITE_EXCEPTIONS);
      end();
      throw HadoopFailures.ofChange(e, path);
    } catch (IOException | RuntimeException | Error e) {
      end();
      throw e;
    }
    end();
  }

  private void end() {
    ended = true;
    connection.ended(this);
    connection.totals().aggregate(statistics);
    context.aggregate(statistics);
  }

  @Override
  public String toString() {
    return "WeftHadoopOutputStream{" + path + ", " + statistics + "}";
  }
}
