package org.weft.protocol.system;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Closes what was opened, the last first, each once, and each even if another fails. A part that is
 * added after the end is closed at once. Thread-safe. One thread closes all parts; another that
 * closes meanwhile waits for it.
 */
public final class OpenParts implements AutoCloseable {
  /** Held while parts are closed, so that each is closed before the one that was opened before. */
  private final Object closing = new Object();

  private boolean closed;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /**
   * Takes over what was opened.
   *
   * @return the part
   * @throws IllegalStateException if these parts are closed already; then this one is, too
   */
  public <T extends AutoCloseable> T add(T part) {
    if (!push(part)) {
      IllegalStateException late = new IllegalStateException("closed meanwhile");
      Throwable failure = failureOf(part);
      if (failure != null) {
        late.addSuppressed(failure);
      }
      throw late;
    }
    return part;
  }

  private synchronized boolean push(AutoCloseable part) {
    if (!closed) {
      opened.push(part);
    }
    return !closed;
  }

  private synchronized AutoCloseable pop() {
    closed = true;
    return opened.poll();
  }

  /**
   * Closes everything. May be called again, and then does nothing.
   *
   * @throws IOException caused by the first failure; the others are suppressed in it. An error is
   *     thrown in its place
   */
  @Override
  public void close() throws IOException {
    Throwable first = null;
    synchronized (closing) {
      for (AutoCloseable part = pop(); part != null; part = pop()) {
        first = both(first, failureOf(part));
      }
    }
    if (first instanceof Error error) {
      throw error;
    }
    if (first != null) {
      throw (IOException) first;
    }
  }

  /** Closes a part; gives what failed, or null. */
  private static Throwable failureOf(AutoCloseable part) {
    try {
      part.close();
      return null;
    } catch (Error e) {
      return e;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      return new IOException(
          "not everything could be closed: " + part.getClass().getName() + ": " + e, e);
    }
  }

  /** The failure that counts, with the other suppressed in it; null if there is none. */
  private static Throwable both(Throwable earlier, Throwable later) {
    if (earlier == null || later instanceof Error && !(earlier instanceof Error)) {
      suppress(later, earlier);
      return later;
    }
    suppress(earlier, later);
    return earlier;
  }

  /** Closes everything because of a failure, which stays the one that counts. */
  public void closeAfter(Throwable failure) {
    try {
      close();
    } catch (IOException | Error e) {
      suppress(failure, e);
    }
  }

  /** Parts may fail with one and the same throwable, which cannot be suppressed in itself. */
  private static void suppress(Throwable counting, Throwable other) {
    if (counting != null && other != null && counting != other) {
      counting.addSuppressed(other);
    }
  }
}
