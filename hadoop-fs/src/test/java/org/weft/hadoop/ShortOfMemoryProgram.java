package org.weft.hadoop;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.hadoop.config.ConnectorKey;

/** A program of its own that reads and writes more at a time than it has direct memory for. */
final class ShortOfMemoryProgram {
  private static final int THREADS = 8;
  private static final int BYTES = 6_000_000;

  private ShortOfMemoryProgram() {}

  /** Arguments: the cluster's URI, and a file of zeros to be read. */
  public static void main(String[] args) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(ConnectorKey.REQUEST_TIMEOUT.key(), "8s");
    FileSystem fs = FileSystem.get(URI.create(args[0]), conf);
    List<FutureTask<String>> tasks = new ArrayList<>();
    for (int number = 0; number < THREADS; number++) {
      Path own = new Path("/tmp/short-" + number);
      tasks.add(new FutureTask<>(() -> write(fs, own)));
      tasks.add(new FutureTask<>(() -> read(fs, new Path(args[1]))));
    }
    for (FutureTask<String> task : tasks) {
      Thread thread = new Thread(task);
      thread.setDaemon(true);
      thread.start();
    }
    for (FutureTask<String> task : tasks) {
      try {
        System.out.println(task.get());
      } catch (ExecutionException e) {
        System.out.println("failed: " + e.getCause());
      }
    }
    System.out.println("end");
  }

  private static String write(FileSystem fs, Path file) throws IOException {
    try (FSDataOutputStream out = fs.create(file, true)) {
      out.write(new byte[BYTES]);
    }
    return "written";
  }

  private static String read(FileSystem fs, Path file) throws IOException {
    try (FSDataInputStream in = fs.open(file)) {
      byte[] all = in.readAllBytes();
      if (!Arrays.equals(new byte[all.length], all)) {
        throw new IOException("other bytes than were written");
      }
    }
    return "read";
  }
}
