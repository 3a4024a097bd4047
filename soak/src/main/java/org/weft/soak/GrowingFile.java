package org.weft.soak;

import java.io.IOException;
import java.util.Random;
import org.weft.client.WeftFiles;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;

/** A file that grows at its end, and is published at each step. Confined to its thread. */
final class GrowingFile {
  private static final int[] LENGTHS = {7, 5_000, 20_000, 70_000, 160_000};
  private static final int MAX_BYTES = 600_000;

  private final WeftFiles files;
  private final Work work;
  private final String path;
  private WeftOutputStream output;
  private int length;

  GrowingFile(WeftFiles files, Work work, String path, WeftOutputStream output) {
    this.files = files;
    this.work = work;
    this.path = path;
    this.output = output;
  }

  boolean isLong() {
    return length > MAX_BYTES;
  }

  String path() {
    return path;
  }

  /** One step; false if it failed, and the file is given up. */
  boolean step(Random random) {
    return random.nextInt(8) == 0 ? reopen() : grow(random);
  }

  private boolean grow(Random random) {
    int more = LENGTHS[random.nextInt(LENGTHS.length)];
    boolean durable = random.nextInt(3) == 0;
    SoakOp operation = work.next(SoakOp.Kind.GROW, path, SoakOp.NOTHING, length, more);
    boolean done =
        work.perform(
            operation,
            () -> {
              output.write(operation.bytes());
              if (durable) {
                output.hsync();
              } else {
                output.hflush();
              }
              return 0L;
            });
    length += more;
    return done || giveUp();
  }

  private boolean reopen() {
    return work.perform(
            work.next(SoakOp.Kind.REOPEN, path),
            () -> {
              output.close();
              output = files.append(WeftPath.of(path));
              return 0L;
            })
        || giveUp();
  }

  boolean close() {
    return work.perform(
            work.next(SoakOp.Kind.CLOSE, path),
            () -> {
              output.close();
              return 0L;
            })
        || giveUp();
  }

  private boolean giveUp() {
    try {
      output.abort();
    } catch (IOException e) {
      // The manager finds out by itself.
      return false;
    }
    return false;
  }
}
