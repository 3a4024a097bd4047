package org.weft.sysmgr;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** What has been opened, to be closed in the opposite order, once. Thread-safe. */
final class Parts {
  private boolean closed;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** Of a thread that comes too late the part is closed at once, with an IllegalStateException. */
  <T extends AutoCloseable> T add(T part) {
    if (!push(part)) {
      IllegalStateException late = new IllegalStateException("closed meanwhile");
      try {
        part.close();
      } catch (Exception e) {
        late.addSuppressed(e);
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

  /** Closes everything, also if some of it fails; the first failure is thrown. */
  void close() throws IOException {
    IOException first = null;
    for (AutoCloseable part = pop(); part != null; part = pop()) {
      try {
        part.close();
      } catch (Exception e) {
        if (first == null) {
          first = new IOException("not everything could be closed: " + e, e);
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /** Closes everything because of a failure, which stays the one that counts. */
  void closeAfter(Exception failure) {
    try {
      close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private synchronized AutoCloseable pop() {
    closed = true;
    return opened.poll();
  }
}
