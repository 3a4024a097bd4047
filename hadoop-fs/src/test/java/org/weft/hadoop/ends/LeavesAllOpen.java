package org.weft.hadoop.ends;

import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A program that closes nothing. One file is written whole, and one is read in part. A third is
 * still being written by a thread while Hadoop's shutdown hook closes all file systems.
 */
final class LeavesAllOpen {
  static final int BYTES = 3_000_000;
  static final byte VALUE = 5;

  private LeavesAllOpen() {}

  /** Arguments: the cluster's URI, the file that is to be whole, one that is there. */
  public static void main(String[] args) throws Exception {
    FileSystem fs = FileSystem.get(URI.create(args[0]), new Configuration(false));
    byte[] content = new byte[BYTES];
    Arrays.fill(content, VALUE);
    fs.create(new Path(args[1]), true).write(content);
    int first = fs.open(new Path(args[2])).read();
    CountDownLatch begun = new CountDownLatch(1);
    Thread writer = new Thread(() -> writeOn(fs, new Path(args[1] + "-endless"), begun));
    writer.setDaemon(true);
    writer.start();
    begun.await();
    System.out.println("read " + first);
    System.exit(0);
  }

  private static void writeOn(FileSystem fs, Path file, CountDownLatch begun) {
    try {
      FSDataOutputStream out = fs.create(file, true);
      for (byte[] some = new byte[10_000]; ; begun.countDown()) {
        out.write(some);
      }
    } catch (IOException e) {
      System.out.println("the writer ends: " + e.getMessage());
    }
  }
}
