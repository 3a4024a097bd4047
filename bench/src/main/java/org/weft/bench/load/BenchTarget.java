package org.weft.bench.load;

import java.io.IOException;

/** The file system under load, as somebody who may connect to it as often as is wanted. */
@FunctionalInterface
public interface BenchTarget {
  /** A client of its own: its session, its connections and whatever it keeps in memory. */
  BenchFiles connect() throws IOException;
}
