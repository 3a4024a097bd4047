package org.weft.it.soak;

import java.nio.file.Path;
import java.util.List;

/**
 * How a soak is run.
 *
 * @param directory for everything it leaves behind
 * @param seconds how long; 0: until every kind of fault has come once
 * @param seed chooses the faults, their victims, their moments, and what clients do
 * @param osds how many OSDs
 * @param clients how many processes of clients
 * @param kinds which kinds of faults
 */
record SoakOptions(
    Path directory, long seconds, long seed, int osds, int clients, List<FaultKind> kinds) {
  static final int LEAST_OSDS = 6;
  static final int LEAST_CLIENTS = 2;

  SoakOptions {
    kinds = List.copyOf(kinds);
    if (kinds.isEmpty() || seconds < 0 || osds < LEAST_OSDS || clients < LEAST_CLIENTS) {
      throw new IllegalArgumentException(
          "a soak needs at least "
              + LEAST_OSDS
              + " OSDs and "
              + LEAST_CLIENTS
              + " clients, some kind of fault, and a length that is not negative");
    }
  }

  Path logs() {
    return directory.resolve("logs");
  }
}
