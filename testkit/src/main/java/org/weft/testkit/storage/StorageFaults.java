package org.weft.testkit.storage;

import java.io.IOException;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * When the fakes of one machine fail. Every call to them is an operation; operations are numbered
 * from 1. Thread-safe.
 */
public final class StorageFaults {
  /** What an operation does. */
  public enum Kind {
    KEY_READ,
    KEY_WRITE,
    KEY_SYNC,
    FILE_READ,
    FILE_WRITE,
    FILE_SYNC,
    FILE_RESIZE,
    FOLDER_CHANGE,
    FOLDER_SYNC
  }

  /**
   * An operation about to happen.
   *
   * @param target name of the file, or "" for keys and folders
   */
  public record Operation(long number, Kind kind, String target) {}

  private long operations;
  private Predicate<Operation> failing = operation -> false;
  private Supplier<IOException> failure = IOException::new;
  private boolean powerless;

  /**
   * Operations for which this holds fail with an IOException of that message; replaces the last.
   */
  public synchronized void failWhere(Predicate<Operation> where, String text) {
    failWhere(where, () -> new IOException(text));
  }

  /** Like {@link #failWhere(Predicate, String)}, with an exception of the test's choice. */
  public synchronized void failWhere(Predicate<Operation> where, Supplier<IOException> with) {
    failing = where;
    failure = with;
  }

  /** From this operation on nothing succeeds: the power is gone. */
  public synchronized void losePowerAt(long operation) {
    failWhere(next -> next.number() >= operation, "the power is gone");
  }

  /** Nothing succeeds any more. */
  public synchronized void losePower() {
    powerless = true;
  }

  /** How many operations were tried. */
  public synchronized long operations() {
    return operations;
  }

  /** Counts an operation, and fails it if it is to fail. */
  synchronized void next(Kind kind, String target) throws IOException {
    operations++;
    if (powerless) {
      throw new IOException("the power is gone");
    }
    if (failing.test(new Operation(operations, kind, target))) {
      throw failure.get();
    }
  }
}
