package org.weft.soak;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.weft.client.WeftFile;
import org.weft.client.WeftFileSystem;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * The thread of a client that takes files from killed or frozen clients. It opens the files once
 * the leases are over, keeps what it found, and goes on changing the files.
 */
final class LeaseTaker implements Runnable {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final int CHANGES = 4;
  private static final String END = "";

  private final WeftFiles files;
  private final Work work;
  private final Path logs;
  private final Random random;
  private final BlockingQueue<String> orders = new LinkedBlockingQueue<>();

  LeaseTaker(WeftFiles files, Work work, Path logs, long seed) {
    this.files = files;
    this.work = work;
    this.logs = logs;
    this.random = new Random(seed);
  }

  /** Thread-safe. */
  void take(String path) {
    orders.add(path);
  }

  /** Thread-safe. */
  void end() {
    orders.add(END);
  }

  @Override
  public void run() {
    try {
      for (String path = orders.take(); !path.equals(END); path = orders.take()) {
        takeNow(path);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void takeNow(String path) {
    WeftFileSystem weft = files.asynchronous();
    SoakOp take = work.next(SoakOp.Kind.TAKE, path);
    SoakFile[] taken = new SoakFile[1];
    boolean done =
        work.perform(
            take,
            () -> {
              WeftFile file = open(weft, WeftPath.of(path));
              taken[0] = new SoakFile(weft, work, path, file);
              byte[] found;
              try (InputStream in = files.open(WeftPath.of(path))) {
                found = in.readAllBytes();
              }
              Files.write(Ledger.snapshot(logs, take), found);
              return (long) found.length;
            });
    if (!done) {
      if (taken[0] != null) {
        taken[0].giveUp();
      }
      return;
    }
    for (int change = 0; change < CHANGES; change++) {
      // Where nothing is truncated, everything shows that its former owner may yet write.
      boolean goesOn =
          Flooder.isFlooded(path) ? taken[0].write(random) : taken[0].change(random, false);
      if (!goesOn) {
        return;
      }
    }
    taken[0].close();
  }

  /** Each attempt waits for a lease itself. */
  private static WeftFile open(WeftFileSystem weft, WeftPath path) throws Exception {
    long deadlineNanos = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      try {
        return SoakDeadline.await(weft.openForUpdate(path));
      } catch (WeftException e) {
        if (e.code() != ErrorCode.BEING_WRITTEN || System.nanoTime() - deadlineNanos > 0) {
          throw e;
        }
      }
    }
  }
}
