package org.weft.bench.load;

import java.io.IOException;

/** The file system under load: makes as many clients of it as are wanted. */
@FunctionalInterface
public interface BenchTarget {
  /** A client of its own: its session, its connections and whatever it keeps in memory. */
  BenchFiles connect() throws IOException;
}
