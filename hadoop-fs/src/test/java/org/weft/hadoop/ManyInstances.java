package org.weft.hadoop;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A program of its own that opens many instances and closes none. Prints what it uses of the
 * process after some of them, and at the end: {@code used threads descriptors direct-bytes}.
 */
final class ManyInstances {
  private static final int WARM = 40;

  private ManyInstances() {}

  /** Arguments: the cluster's URI, "contexts" or "instances", how many. */
  public static void main(String[] args) throws IOException {
    URI uri = URI.create(args[0]);
    int count = Integer.parseInt(args[2]);
    List<Object> kept = new ArrayList<>();
    for (int number = 1; number <= count; number++) {
      Path file = new Path("/tmp/many-" + args[1] + "-" + number % 20);
      kept.add(args[1].equals("contexts") ? context(uri, file) : instance(uri, file));
      if (number == WARM || number == count) {
        System.out.println("used " + threads() + " " + descriptors() + " " + directBytes());
      }
    }
    System.out.println("kept " + kept.size());
  }

  private static FileContext context(URI uri, Path file) throws IOException {
    FileContext context = FileContext.getFileContext(uri, configuration());
    try (FSDataOutputStream out =
        context.create(file, EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE))) {
      out.write(bytes());
    }
    try (FSDataInputStream in = context.open(file)) {
      check(in);
    }
    return context;
  }

  private static FileSystem instance(URI uri, Path file) throws IOException {
    FileSystem fs = FileSystem.newInstance(uri, configuration());
    try (FSDataOutputStream out = fs.create(file)) {
      out.write(bytes());
    }
    try (FSDataInputStream in = fs.open(file)) {
      check(in);
    }
    return fs;
  }

  private static Configuration configuration() {
    Configuration conf = new Configuration(false);
    conf.set("fs.AbstractFileSystem.weft.impl", WeftFs.class.getName());
    return conf;
  }

  private static byte[] bytes() {
    byte[] bytes = new byte[10_000];
    Arrays.fill(bytes, (byte) 7);
    return bytes;
  }

  private static void check(FSDataInputStream in) throws IOException {
    if (!Arrays.equals(bytes(), in.readAllBytes())) {
      throw new IOException("other bytes than were written");
    }
  }

  private static int threads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  private static long descriptors() throws IOException {
    try (Stream<java.nio.file.Path> open = Files.list(java.nio.file.Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
