package org.weft.sysmgr.service;

import com.google.protobuf.ByteString;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Environment;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.restore.SealedCopy;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Copies of the configuration go to some OSDs with the answers of their heartbeats, at most once a
 * second. So SysMgr can be built again where all its disks are lost. Only what is committed is
 * copied. Confined to the home executor.
 */
final class ConfigurationCopies {
  /** How many OSDs keep a copy, on as many hosts as there are. */
  static final int HOLDERS = 5;

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Environment environment;
  private final SortedMap<OsdId, Long> versions = new TreeMap<>();
  private ByteString sealed = ByteString.EMPTY;
  private long sealedVersion;
  private long sealedNanos;

  ConfigurationCopies(Environment environment) {
    this.environment = environment;
  }

  /** What the OSD is to keep; empty if it has the newest copy, or need not have it. */
  ByteString forOsd(Configuration state, OsdId osd, long itsVersion) {
    versions.put(osd, itsVersion);
    versions.keySet().retainAll(state.osds().keySet());
    if (state.cluster().isEmpty() || !holders(state).contains(osd)) {
      return ByteString.EMPTY;
    }
    long nowNanos = environment.ticker().nowNanos();
    boolean stale = sealedVersion != state.version();
    if (sealed.isEmpty() || stale && nowNanos - sealedNanos >= INTERVAL_NANOS) {
      sealed = SealedCopy.seal(state, environment.clock().nowMillis());
      sealedVersion = state.version();
      sealedNanos = nowNanos;
    }
    return Long.compareUnsigned(itsVersion, sealedVersion) < 0 ? sealed : ByteString.EMPTY;
  }

  /** OSDs that have said that they keep the last copy that was made. */
  int upToDate() {
    return sealed.isEmpty()
        ? 0
        : (int) versions.values().stream().filter(each -> each >= sealedVersion).count();
  }

  /** The first OSD of each host, then more; those that are DOWN count last. */
  private static SortedSet<OsdId> holders(Configuration state) {
    SortedSet<OsdId> chosen = new TreeSet<>();
    for (boolean up : new boolean[] {true, false}) {
      Set<String> hosts = new HashSet<>();
      state.osds().values().stream()
          .filter(osd -> isUp(osd) == up && hosts.add(osd.node().host()))
          .limit(HOLDERS - chosen.size())
          .forEach(osd -> chosen.add(osd.id()));
      state.osds().values().stream()
          .filter(osd -> isUp(osd) == up && !chosen.contains(osd.id()))
          .limit(HOLDERS - chosen.size())
          .forEach(osd -> chosen.add(osd.id()));
    }
    return chosen;
  }

  private static boolean isUp(OsdNode osd) {
    return osd.node().liveness() != Liveness.DOWN;
  }
}
