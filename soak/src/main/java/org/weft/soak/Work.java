package org.weft.soak;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The operations of one thread of a client, one after another, with their log. */
final class Work implements AutoCloseable {
  private static final long AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Bytes were read that must not be there. */
  static final class Mismatch extends Exception {
    private static final long serialVersionUID = 1;

    Mismatch(String what) {
      super(what);
    }
  }

  private final OperationLog log;
  private final Ledger ledger;
  private long last;

  /**
   * @param before the number before the first one
   */
  Work(Path file, long before) throws IOException {
    this.log = new OperationLog(file);
    this.ledger = new Ledger(file.getParent());
    this.last = before;
  }

  /** What the log says. */
  Ledger ledger() {
    return ledger;
  }

  SoakOp next(SoakOp.Kind kind, String path) {
    return next(kind, path, SoakOp.NOTHING, 0, 0);
  }

  SoakOp next(SoakOp.Kind kind, String path, String other, int position, int length) {
    return new SoakOp(++last, kind, path, other, position, length);
  }

  /** The number that the next operation gets. */
  long upcoming() {
    return last + 1;
  }

  /**
   * Carries out an operation that was made by {@link #next}.
   *
   * @param call gives the number of bytes that were read and compared
   * @return false if it failed: it may have happened or not
   */
  boolean perform(SoakOp operation, Callable<Long> call) {
    log.begin(operation);
    ledger.begun(operation);
    try {
      long bytes = call.call();
      log.done(operation, bytes);
      var unused = ledger.done(operation.number());
      return true;
    } catch (Mismatch | SoakDeadline.Hung e) {
      log.bad(operation + ": " + e.getMessage());
      failed(operation, e);
    } catch (Exception e) {
      failed(operation, e);
      LockSupport.parkNanos(AFTER_FAILURE_NANOS);
    }
    return false;
  }

  private void failed(SoakOp operation, Exception why) {
    log.fail(operation, why);
    var unused = ledger.failed(operation.number());
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
