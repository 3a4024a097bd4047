package org.weft.soak;

import java.nio.file.Path;
import java.util.List;

/**
 * How a soak is run.
 *
 * @param directory for everything it leaves behind
 * @param seconds how long; 0: until every kind of fault has come once
 * @param seed chooses the faults, their victims, their moments, and the clients' operations
 * @param osds how many OSDs
 * @param clients how many processes of clients
 * @param managers how many; of two or more each volume has a backup
 * @param members how many SysMgr has: 1 or 3
 * @param cuts each process has a network namespace, and the network is cut
 * @param kinds which kinds of faults
 */
public record SoakOptions(
    Path directory,
    long seconds,
    long seed,
    int osds,
    int clients,
    int managers,
    int members,
    boolean cuts,
    List<SoakFault> kinds) {
  /** What clients log, below the directory. */
  static final String LOGS = "logs";

  public static final int MIN_OSDS = 6;
  public static final int MIN_CLIENTS = 2;

  public SoakOptions {
    kinds = List.copyOf(kinds);
    if (kinds.isEmpty() || seconds < 0 || osds < MIN_OSDS || clients < MIN_CLIENTS) {
      throw new IllegalArgumentException(
          "a soak needs at least "
              + MIN_OSDS
              + " OSDs and "
              + MIN_CLIENTS
              + " clients, some kind of fault, and a length that is not negative");
    }
    if (managers < 1 || (members != 1 && members != 3)) {
      throw new IllegalArgumentException(
          "a soak needs at least one manager, and 1 or 3 members of SysMgr; got "
              + managers
              + " and "
              + members);
    }
    if (!cuts && kinds.stream().anyMatch(SoakFault::needsNetwork)) {
      throw new IllegalArgumentException("faults whose name begins with CUT need --cuts");
    }
    if (managers == 1 && kinds.stream().anyMatch(SoakFault::needsBackup)) {
      throw new IllegalArgumentException(
          "WIPE_MANAGER and MOVE_VOLUME need two managers: give --managers 2 or more");
    }
    if (members == 1 && kinds.stream().anyMatch(SoakFault::needsMembers)) {
      throw new IllegalArgumentException("WIPE_SYSMGR needs three members: give --sysmgrs 3");
    }
  }

  Path logs() {
    return directory.resolve(LOGS);
  }
}
