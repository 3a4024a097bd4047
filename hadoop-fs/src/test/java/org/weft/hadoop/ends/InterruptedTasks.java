package org.weft.hadoop.ends;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.channels.ClosedByInterruptException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.testkit.process.Await;

/**
 * A program of tasks that are interrupted, each at a later moment of its life. A task makes its
 * file system, creates, writes, flushes, closes, reads, renames and deletes. The cluster is in
 * another process, so that what this process holds belongs to clients alone. Prints how many tasks
 * failed, and whether it holds more at the end than after the first two.
 */
final class InterruptedTasks {
  private static final long MORE_DIRECT_BYTES = 8 << 20;
  private static final byte[] CONTENT = new byte[400_000];
  private static final Path ROOT = new Path("/tmp/interrupted-anywhere");
  private static final long MAX_WAIT_SECONDS = 60;

  private final URI uri;
  private final int moments;

  private InterruptedTasks(URI uri, int moments) {
    this.uri = uri;
    this.moments = moments;
  }

  /** Arguments: the cluster's URI, how many moments of a task's life. */
  public static void main(String[] args) throws Exception {
    Arrays.fill(CONTENT, (byte) 5);
    new InterruptedTasks(URI.create(args[0]), Integer.parseInt(args[1])).run();
  }

  private FileSystem open(String client) throws IOException {
    Configuration conf = new Configuration();
    conf.set("fs.weft.client.name", client);
    conf.set("fs.weft.client.keep", "1ms");
    return FileSystem.newInstance(uri, conf);
  }

  private void work(int number) throws IOException {
    Path file = file(number);
    try (FileSystem fs = open("interrupted")) {
      fs.mkdirs(file.getParent());
      try (FSDataOutputStream out = fs.create(file, true)) {
        out.write(CONTENT, 0, 1_000);
        out.hflush();
        out.write(CONTENT, 1_000, 200_000);
        out.hsync();
        out.write(CONTENT, 201_000, CONTENT.length - 201_000);
      }
      try (FSDataInputStream in = fs.open(file)) {
        byte[] read = new byte[CONTENT.length];
        in.readFully(0, read, 0, 5_000);
        in.readFully(read);
        assertTrue(Arrays.equals(CONTENT, read), "other bytes than were written");
      }
      fs.rename(file, renamed(number));
      fs.listStatus(ROOT);
    }
  }

  private static Path file(int number) {
    return new Path(ROOT, "file-" + number);
  }

  private static Path renamed(int number) {
    return new Path(ROOT, "renamed-" + number);
  }

  private void run() throws Exception {
    work(0);
    long begunNanos = System.nanoTime();
    work(1);
    long wholeNanos = System.nanoTime() - begunNanos;
    ProcessUse before = ProcessUse.atRest();
    int failed = 0;
    for (int number = 0; number < moments; number++) {
      failed += interrupted(number, wholeNanos * number / moments) ? 1 : 0;
    }
    System.out.println("failed " + failed);
    try (FileSystem other = open("other")) {
      for (int number = 0; number < moments; number++) {
        check(other, number);
      }
    }
    ProcessUse after = ProcessUse.awaitNoMoreThan(before, MORE_DIRECT_BYTES);
    System.out.println("before " + before);
    System.out.println("after " + after);
    System.out.println(after.isWithin(before, MORE_DIRECT_BYTES) ? "no more" : "more");
  }

  /** Whether the task failed; one that was not met by the interrupt has done all. */
  private boolean interrupted(int number, long delayNanos) throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread task =
        new Thread(
            () -> {
              try {
                work(number);
              } catch (Throwable e) {
                failure.set(e);
              }
            },
            "task-" + number);
    long atNanos = System.nanoTime() + delayNanos;
    task.start();
    while (System.nanoTime() - atNanos < 0) {
      LockSupport.parkNanos(atNanos - System.nanoTime());
    }
    task.interrupt();
    task.join(TimeUnit.SECONDS.toMillis(MAX_WAIT_SECONDS));
    assertFalse(task.isAlive(), () -> "an interrupted task does not end: " + stack(task));
    Throwable met = failure.get();
    if (met != null && !isInterrupt(met)) {
      throw new AssertionError("task " + number + " failed otherwise than by its interrupt", met);
    }
    return met != null;
  }

  private static String stack(Thread thread) {
    return Arrays.toString(thread.getStackTrace());
  }

  private static boolean isInterrupt(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof InterruptedIOException
          || each instanceof InterruptedException
          || each instanceof ClosedByInterruptException) {
        return true;
      }
    }
    return false;
  }

  /** The file is closed, holds a prefix of its bytes, and another client may write it at once. */
  private void check(FileSystem other, int number) throws Exception {
    Path there = other.exists(renamed(number)) ? renamed(number) : file(number);
    try {
      awaitClosed(other, there);
      try (FSDataOutputStream out = other.append(there)) {
        out.write(9);
      }
      try (FSDataInputStream in = other.open(there)) {
        byte[] read = in.readAllBytes();
        int length = read.length - 1;
        assertTrue(length <= CONTENT.length, () -> there + " has " + length + " bytes");
        assertEquals(-1, Arrays.mismatch(read, 0, length, CONTENT, 0, length), there::toString);
      }
    } catch (FileNotFoundException e) {
      assertFalse(other.exists(there), () -> there + ": " + e.getMessage());
    }
  }

  private static void awaitClosed(FileSystem other, Path file) throws Exception {
    Await.until(
        MAX_WAIT_SECONDS,
        () -> file + " is written for ever",
        () -> ((org.weft.hadoop.WeftHadoopFileSystem) other).isFileClosed(file));
  }
}
