package org.weft.bench.cold;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A fixed number of operations through Hadoop's FileSystem by some threads of a new JVM: what a job
 * does in its first seconds. Fixed, so that its time and its CPU can be compared.
 */
public final class ColdLoad {
  private static final int THREADS = 4;
  private static final int RECORD_BYTES = 4 << 10;
  private static final int BUFFER_BYTES = 128 << 10;
  private static final int MEBIBYTE = 1 << 20;

  private final FileSystem fs;
  private final AtomicLong firstMillis = new AtomicLong();

  private ColdLoad(FileSystem fs) {
    this.fs = fs;
  }

  /** One thread's part. */
  @FunctionalInterface
  private interface Part {
    void run(int thread) throws IOException;
  }

  /**
   * @param arguments four: a file for the time of the first operation's end, in milliseconds of the
   *     epoch; the load; the path that it works on. The last is how many operations, or MiB, of all
   *     threads
   */
  public static void main(String[] arguments) throws Exception {
    Path path = new Path(arguments[2]);
    int count = Integer.parseInt(arguments[3]);
    FileSystem fs = path.getFileSystem(new Configuration());
    ColdLoad load = new ColdLoad(fs);
    load.inThreads(load.part(arguments[1], path, count));
    fs.close();
    Files.writeString(java.nio.file.Path.of(arguments[0]), load.firstMillis.toString());
    System.exit(0);
  }

  private Part part(String load, Path path, int count) throws IOException {
    int each = count / THREADS;
    return switch (load) {
      case "hflush" -> thread -> flush(new Path(path, "log-" + thread), each);
      case "create" -> thread -> create(path, thread, each);
      case "write" -> thread -> write(new Path(path, "part-" + thread), each);
      case "read" -> thread -> read(path, (long) thread * each * MEBIBYTE, each);
      case "stat" -> {
        FileStatus[] names = fs.listStatus(path);
        yield thread -> stat(names, thread, each);
      }
      case "list" -> thread -> list(path, each);
      default -> throw new IllegalArgumentException("there is no load " + load);
    };
  }

  private void inThreads(Part part) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<?>> parts = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      int number = thread;
      parts.add(
          threads.submit(
              () -> {
                part.run(number);
                return null;
              }));
    }
    // So that the JVM ends, too, where a part fails.
    threads.shutdown();
    for (Future<?> each : parts) {
      each.get();
    }
  }

  private void done() {
    if (firstMillis.get() == 0) {
      firstMillis.compareAndSet(0, System.currentTimeMillis());
    }
  }

  private void flush(Path file, int records) throws IOException {
    byte[] record = new byte[RECORD_BYTES];
    try (FSDataOutputStream out = fs.create(file, true)) {
      for (int number = 0; number < records; number++) {
        out.write(record);
        out.hflush();
        done();
      }
    }
  }

  private void create(Path directory, int thread, int files) throws IOException {
    for (int number = 0; number < files; number++) {
      fs.create(new Path(directory, thread + "-" + number), true).close();
      done();
    }
  }

  private void write(Path file, int mebibytes) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (FSDataOutputStream out = fs.create(file, true)) {
      for (long left = (long) mebibytes * MEBIBYTE; left > 0; left -= buffer.length) {
        out.write(buffer);
        done();
      }
    }
  }

  private void read(Path file, long offset, int mebibytes) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (FSDataInputStream in = fs.open(file)) {
      in.seek(offset);
      for (long left = (long) mebibytes * MEBIBYTE; left > 0; ) {
        int count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (count < 0) {
          throw new EOFException(file + " ends at " + in.getPos());
        }
        left -= count;
        done();
      }
    }
  }

  private void stat(FileStatus[] names, int thread, int times) throws IOException {
    for (int number = 0; number < times; number++) {
      FileStatus known = names[(number * THREADS + thread) % names.length];
      if (fs.getFileStatus(known.getPath()).getLen() != known.getLen()) {
        throw new IOException(known.getPath() + " has another length than listed");
      }
      done();
    }
  }

  private void list(Path directory, int times) throws IOException {
    int names = fs.listStatus(directory).length;
    for (int number = 0; number < times; number++) {
      if (fs.listStatus(directory).length != names) {
        throw new IOException(directory + " has another number of names than before");
      }
      done();
    }
  }
}
