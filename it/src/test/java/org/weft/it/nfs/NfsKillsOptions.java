package org.weft.it.nfs;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a run does.
 *
 * @param directory a new one, for data and logs
 * @param seconds how long faults come
 * @param guest a command that uses a gateway by a client of its own; empty: the harness's own
 *     client does
 */
record NfsKillsOptions(
    Path directory,
    long seconds,
    long seed,
    int gateways,
    int osds,
    int managers,
    int members,
    List<NfsFault> faults,
    Optional<String> guest) {
  private static final int MAX_GATEWAYS = 9;
  private static final int MIN_OSDS = 5;

  NfsKillsOptions {
    faults = List.copyOf(faults);
    if (gateways < 1 || gateways > MAX_GATEWAYS) {
      throw new IllegalArgumentException("1 to 9 gateways, not " + gateways);
    }
    if (osds < MIN_OSDS) {
      throw new IllegalArgumentException("at least 5 OSDs, of which one may be away, not " + osds);
    }
    if (managers < 1) {
      throw new IllegalArgumentException("at least 1 manager, not " + managers);
    }
    if (members != 1 && members != 3) {
      throw new IllegalArgumentException("1 or 3 members of SysMgr, not " + members);
    }
    if (faults.isEmpty()) {
      throw new IllegalArgumentException("without victims nothing happens");
    }
  }
}
