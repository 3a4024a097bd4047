package org.weft.bench.rebuild;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.weft.client.Blocking;
import org.weft.client.CreateOptions;
import org.weft.client.WeftClient;
import org.weft.client.WeftInputStream;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;

/**
 * Clients with a steady load: so many reads of 64 KiB at random places and so many new files of 256
 * KiB a second. The load does not wait for earlier operations. A latency counts from the moment at
 * which the operation was due: where one waits, those behind it wait as well.
 */
final class Foreground implements AutoCloseable {
  static final int READS_PER_SECOND = 20;
  static final int WRITES_PER_SECOND = 4;
  private static final long READ_NANOS = TimeUnit.SECONDS.toNanos(1) / READS_PER_SECOND;
  private static final long WRITE_NANOS = TimeUnit.SECONDS.toNanos(1) / WRITES_PER_SECOND;
  private static final int READERS = 4;
  private static final int READ_BYTES = 64 << 10;
  private static final int WRITE_BYTES = 256 << 10;
  private static final long MAX_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int DIGITS = 3;
  private static final double MILLION = 1e6;
  private static final double P99 = 99;
  private static final double P50 = 50;

  private interface Operation {
    void run(SplittableRandom random, long number) throws IOException;
  }

  private final WeftClient client;
  private final FilledFiles files;
  private final String directory;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private Histogram reads = histogram();
  private Histogram writes = histogram();
  private volatile boolean stopped;

  Foreground(WeftClient client, FilledFiles files, String directory) {
    this.client = client;
    this.files = files;
    this.directory = directory;
  }

  private static Histogram histogram() {
    return new Histogram(MAX_NANOS, DIGITS);
  }

  void begin() {
    for (int i = 0; i < READERS; i++) {
      start("reader-" + i, i, READ_NANOS * READERS, (random, number) -> read(random), true);
    }
    start("writer", READERS, WRITE_NANOS, this::write, false);
  }

  private void start(String name, int seed, long everyNanos, Operation operation, boolean isRead) {
    Thread thread =
        new Thread(
            () -> {
              SplittableRandom random = new SplittableRandom(seed);
              long begunNanos = System.nanoTime();
              for (long number = 0; !stopped; number++) {
                long dueNanos = begunNanos + number * everyNanos;
                for (long left = dueNanos - System.nanoTime();
                    left > 0;
                    left = dueNanos - System.nanoTime()) {
                  LockSupport.parkNanos(left);
                }
                try {
                  operation.run(random, number);
                } catch (IOException | RuntimeException e) {
                  failure.compareAndSet(null, e);
                  return;
                }
                record(isRead, System.nanoTime() - dueNanos);
              }
            },
            "foreground-" + name);
    threads.add(thread);
    thread.start();
  }

  private synchronized void record(boolean isRead, long nanos) {
    (isRead ? reads : writes).recordValue(Math.min(MAX_NANOS, nanos));
  }

  private void read(SplittableRandom random) throws IOException {
    int file = random.nextInt(files.count());
    int most = Math.max(1, files.fileBytes() - READ_BYTES + 1);
    byte[] bytes = new byte[Math.min(READ_BYTES, files.fileBytes())];
    try (WeftInputStream in = client.files().open(files.path(file))) {
      in.readFully((long) random.nextInt(most), bytes, 0, bytes.length);
    }
  }

  private void write(SplittableRandom random, long number) throws IOException {
    byte[] bytes = new byte[WRITE_BYTES];
    random.nextBytes(bytes);
    WeftOutput file =
        Blocking.await(
            client
                .files()
                .asynchronous()
                .create(WeftPath.of(directory + "/w" + number), CreateOptions.replacing()));
    var unused = Blocking.await(file.write(ByteBuffer.wrap(bytes)));
    var unusedEither = Blocking.await(file.close());
  }

  /**
   * What was measured since the last time, by name.
   *
   * @throws IOException if an operation has failed: the load is not what it should be
   */
  synchronized Map<String, Object> taken() throws IOException {
    if (failure.get() != null) {
      throw new IOException(
          "a client's operation failed during the measurement: " + failure.get().getMessage(),
          failure.get());
    }
    Map<String, Object> taken = new LinkedHashMap<>();
    put(taken, "read", reads);
    put(taken, "write", writes);
    reads = histogram();
    writes = histogram();
    return taken;
  }

  private static void put(Map<String, Object> taken, String name, Histogram nanos) {
    taken.put(name + "s", nanos.getTotalCount());
    taken.put(name + "P50Millis", nanos.getValueAtPercentile(P50) / MILLION);
    taken.put(name + "P99Millis", nanos.getValueAtPercentile(P99) / MILLION);
    taken.put(name + "MaxMillis", nanos.getMaxValue() / MILLION);
  }

  @Override
  public void close() {
    stopped = true;
    for (Thread thread : threads) {
      boolean interrupted = false;
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
