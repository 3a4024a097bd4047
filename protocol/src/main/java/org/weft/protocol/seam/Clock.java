package org.weft.protocol.seam;

/** Wall time, to show and to store; never to decide what is safe. */
@FunctionalInterface
public interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  long nowMillis();
}
