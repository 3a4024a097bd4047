package org.weft.osd;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.weft.osd.store.Durability;
import org.weft.protocol.rpc.Endpoint;

/**
 * How an OSD is started.
 *
 * @param dataDirectory everything the OSD keeps; made if it is absent, and its own from then on
 * @param listen where it listens; port 0 takes any free one
 * @param advertised where others reach it; port 0 stands for the one it listens on
 * @param sysmgrs addresses of members of SysMgr, at least one
 * @param joinToken of the cluster; never leaves this process
 * @param host the fault domain: no two components of a parity group are placed in one
 * @param capacityBytes what the OSD offers; empty: what it offered before, at the first start what
 *     is free on the disk less 10 %, divided by {@code osdsOnDisk}
 * @param osdsOnDisk how many OSDs share the disk
 * @param joinTimeoutMillis how long the first join may take
 * @param scrubPeriodMillis in which everything stored is read once; 0: never
 * @param rack the fault domain above the host; empty: none is known
 * @param bladeSet that it joins at its first join; empty: the default one. Later it stays where it
 *     is
 */
public record OsdOptions(
    Path dataDirectory,
    Endpoint listen,
    Endpoint advertised,
    List<Endpoint> sysmgrs,
    byte[] joinToken,
    String host,
    OptionalLong capacityBytes,
    int osdsOnDisk,
    Durability durability,
    long joinTimeoutMillis,
    long scrubPeriodMillis,
    String rack,
    String bladeSet) {
  /** Two weeks. */
  public static final long DEFAULT_SCRUB_PERIOD_MILLIS = TimeUnit.DAYS.toMillis(14);

  /** Long enough for a SysMgr that starts at the same time and elects its leader. */
  public static final long DEFAULT_JOIN_TIMEOUT_MILLIS = 300_000;

  /** The smallest capacity of an OSD, in bytes. */
  public static final long MIN_CAPACITY_BYTES = 1 << 20;

  public OsdOptions {
    sysmgrs = List.copyOf(sysmgrs);
    check(!sysmgrs.isEmpty(), "an OSD needs the address of at least one SysMgr");
    check(joinToken.length > 0, "an OSD needs the cluster's join token");
    check(!host.isBlank(), "an OSD needs the name of its host, which is its fault domain");
    check(osdsOnDisk >= 1, "at least one OSD is on the disk: this one; got " + osdsOnDisk);
    check(joinTimeoutMillis > 0, "joining needs a deadline, got " + joinTimeoutMillis + " ms");
    check(
        scrubPeriodMillis >= 0,
        "the period of scrubbing is 0 or more, got " + scrubPeriodMillis + " ms");
    check(
        capacityBytes.orElse(MIN_CAPACITY_BYTES) >= MIN_CAPACITY_BYTES,
        "the capacity of an OSD must be at least 1 MiB, got "
            + capacityBytes.orElse(MIN_CAPACITY_BYTES)
            + " bytes");
  }

  /** With the default deadline for joining, period of scrubbing, and place. */
  public OsdOptions(
      Path dataDirectory,
      Endpoint listen,
      Endpoint advertised,
      List<Endpoint> sysmgrs,
      byte[] joinToken,
      String host,
      OptionalLong capacityBytes,
      int osdsOnDisk,
      Durability durability) {
    this(
        dataDirectory,
        listen,
        advertised,
        sysmgrs,
        joinToken,
        host,
        capacityBytes,
        osdsOnDisk,
        durability,
        DEFAULT_JOIN_TIMEOUT_MILLIS,
        DEFAULT_SCRUB_PERIOD_MILLIS,
        "",
        "");
  }

  /** The same, but the first join may take this long. */
  public OsdOptions withJoinTimeoutMillis(long millis) {
    return with(millis, scrubPeriodMillis, rack, bladeSet);
  }

  /** The same, but everything stored is read once in this time; 0: never. */
  public OsdOptions withScrubPeriodMillis(long millis) {
    return with(joinTimeoutMillis, millis, rack, bladeSet);
  }

  /** The same in a rack and, if it is new, in a BladeSet; empty: none, the default one. */
  public OsdOptions withPlace(String inRack, String inBladeSet) {
    return with(joinTimeoutMillis, scrubPeriodMillis, inRack, inBladeSet);
  }

  private OsdOptions with(long joinMillis, long scrubMillis, String inRack, String inBladeSet) {
    return new OsdOptions(
        dataDirectory,
        listen,
        advertised,
        sysmgrs,
        joinToken,
        host,
        capacityBytes,
        osdsOnDisk,
        durability,
        joinMillis,
        scrubMillis,
        inRack,
        inBladeSet);
  }

  private static void check(boolean holds, String rule) {
    if (!holds) {
      throw new IllegalArgumentException(rule);
    }
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "OSD in %s, listening on %s, advertised as %s, host %s, SysMgr %s, %s"
        .formatted(dataDirectory, listen, advertised, host, sysmgrs, durability);
  }
}
