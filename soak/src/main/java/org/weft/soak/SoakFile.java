package org.weft.soak;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.Callable;
import org.weft.client.WeftFile;
import org.weft.client.WeftFileSystem;
import org.weft.client.WeftPath;

/** A file open for changes at any position. Confined to its thread. */
final class SoakFile {
  private static final int MAX_BYTES = 400_000;

  private final WeftFileSystem weft;
  private final Work work;
  private final String path;
  private WeftFile file;
  private int operations;

  SoakFile(WeftFileSystem weft, Work work, String path, WeftFile file) {
    this.weft = weft;
    this.work = work;
    this.path = path;
    this.file = file;
  }

  int operations() {
    return operations;
  }

  String path() {
    return path;
  }

  /** One change at random; false if it failed, and the file is given up. */
  boolean change(Random random, boolean mayReopen) {
    operations++;
    int position = random.nextInt(MAX_BYTES);
    int length = 1 + random.nextInt(random.nextInt(4) == 0 ? 150_000 : 9_000);
    return switch (random.nextInt(14)) {
      case 0 ->
          perform(
              work.next(SoakOp.Kind.SET_LENGTH, path, SoakOp.NOTHING, position, 0),
              () -> SoakDeadline.await(file.setLength(position)));
      case 1, 2 ->
          perform(
              work.next(SoakOp.Kind.PUNCH, path, SoakOp.NOTHING, position, length),
              () -> SoakDeadline.await(file.punch(position, length)));
      case 3, 4 ->
          perform(work.next(SoakOp.Kind.HFLUSH, path), () -> SoakDeadline.await(file.hflush()));
      case 5 -> perform(work.next(SoakOp.Kind.HSYNC, path), () -> SoakDeadline.await(file.hsync()));
      case 6 -> !mayReopen || reopen();
      default -> write(position, length);
    };
  }

  /** One write at random; false as {@link #change} says. */
  boolean write(Random random) {
    return write(random.nextInt(MAX_BYTES), 1 + random.nextInt(9_000));
  }

  /** One write; false as {@link #change} says. */
  boolean write(int position, int length) {
    SoakOp operation = work.next(SoakOp.Kind.WRITE, path, SoakOp.NOTHING, position, length);
    ByteBuffer bytes = ByteBuffer.wrap(operation.bytes());
    return perform(operation, () -> SoakDeadline.await(file.write(position, bytes)));
  }

  private boolean reopen() {
    return perform(
        work.next(SoakOp.Kind.REOPEN, path),
        () -> {
          SoakDeadline.await(file.close());
          file = SoakDeadline.await(weft.openForUpdate(WeftPath.of(path)));
          return null;
        });
  }

  boolean close() {
    return perform(work.next(SoakOp.Kind.CLOSE, path), () -> SoakDeadline.await(file.close()));
  }

  private boolean perform(SoakOp operation, Callable<Object> call) {
    boolean done =
        work.perform(
            operation,
            () -> {
              var unused = call.call();
              return 0L;
            });
    if (!done) {
      giveUp();
    }
    return done;
  }

  void giveUp() {
    var unused = file.abort();
  }
}
