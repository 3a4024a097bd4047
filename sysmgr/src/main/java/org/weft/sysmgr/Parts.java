package org.weft.sysmgr;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** What has been opened, to be closed in the opposite order, once. Thread-safe. */
final class Parts {
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  synchronized <T extends AutoCloseable> T add(T part) {
    opened.push(part);
    return part;
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
    return opened.poll();
  }
}
