package org.weft.osd;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a daemon that were opened so far; closed in reverse, each even if another fails.
 * Thread-safe.
 */
final class OpenParts implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OpenParts.class);

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  synchronized <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  @Override
  public void close() {
    for (AutoCloseable part = pop(); part != null; part = pop()) {
      try {
        part.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Exception e) {
        LOG.error("a part of the OSD did not close cleanly: {}", part.getClass().getName(), e);
      }
    }
  }

  private synchronized AutoCloseable pop() {
    return parts.poll();
  }
}
