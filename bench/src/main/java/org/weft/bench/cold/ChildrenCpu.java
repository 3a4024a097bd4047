package org.weft.bench.cold;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time of the processes that this one has started and that have ended, with theirs. */
final class ChildrenCpu {
  private static final int CLOCK_TICKS = 100;
  private static final int FIELDS_BEFORE_STATE = 2;
  private static final int USER_TICKS = 15;
  private static final int SYSTEM_TICKS = 16;

  private ChildrenCpu() {}

  static long millis() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    // The second field is a name in brackets, which may have blanks.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long ticks =
        Long.parseLong(fields[USER_TICKS - FIELDS_BEFORE_STATE])
            + Long.parseLong(fields[SYSTEM_TICKS - FIELDS_BEFORE_STATE]);
    return ticks * (1_000 / CLOCK_TICKS);
  }
}
