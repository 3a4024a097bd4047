package org.weft.metadata.access;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdAccess;
import org.weft.protocol.wire.OsdRow;

/**
 * What the volumes of this manager wait for from single OSDs, and since when. SysMgr is told of it,
 * so that it knows of OSDs that the manager cannot use (P 5.8). Time counts in steps of {@link
 * #tick}. Each step counts a second at most, so that a process that stood still blames no OSD for
 * that time. A wait is a new one when the OSD has done something, or has started again.
 * Thread-safe.
 */
public final class OsdWaits {
  private static final long MAX_STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A shorter wait is no trouble: OSDs come and go. */
  private static final long TROUBLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A wait, or what became of attempts to use an OSD. */
  private static final class Lasting {
    private String problem;
    private long progress;
    private long lastedNanos;

    Lasting(String problem, long progress) {
      this.problem = problem;
      this.progress = progress;
    }

    void goesOn(String now, long nowProgress) {
      lastedNanos = nowProgress == progress ? lastedNanos : 0;
      problem = now;
      progress = nowProgress;
    }
  }

  /** The waits of one volume. */
  private static final class OfVolume {
    private final Map<OsdWait, TreeMap<OsdId, Lasting>> waits = new EnumMap<>(OsdWait.class);
    private final TreeMap<OsdId, Lasting> attempts = new TreeMap<>();
  }

  private record Known(long incarnation, boolean down, boolean unusable) {}

  private final TreeMap<PartitionId, OfVolume> volumes = new TreeMap<>();
  private Map<OsdId, Known> known = new HashMap<>();
  private Optional<Long> tickedNanos = Optional.empty();

  /** Where a volume says what it waits for, and what became of its attempts; until it is closed. */
  public synchronized VolumeWaits open(PartitionId volume) {
    volumes.put(volume, new OfVolume());
    return new VolumeWaits(this, volume);
  }

  synchronized void close(PartitionId volume) {
    volumes.remove(volume);
  }

  synchronized void waits(PartitionId volume, OsdWait what, SortedMap<OsdId, Waiting> osds) {
    OfVolume of = volumes.get(volume);
    if (of == null) {
      return;
    }
    TreeMap<OsdId, Lasting> waits = of.waits.computeIfAbsent(what, none -> new TreeMap<>());
    waits.keySet().retainAll(osds.keySet());
    osds.forEach((osd, now) -> put(waits, osd, now.problem(), now.progress()));
  }

  /** An attempt to use an OSD that is given up. */
  synchronized void attempted(PartitionId volume, OsdId osd, boolean usable, String problem) {
    OfVolume of = volumes.get(volume);
    if (of != null) {
      put(of.attempts, osd, problem, usable ? 1 : 0);
    }
  }

  /** True if something has waited for a while for an OSD that SysMgr calls up. */
  public synchronized boolean isTroubled() {
    return known.keySet().stream().anyMatch(this::isAwaited);
  }

  private boolean isAwaited(OsdId osd) {
    return !isDown(osd)
        && !isUnusable(osd)
        && volumes.values().stream()
            .flatMap(volume -> volume.waits.values().stream())
            .map(waits -> waits.get(osd))
            .anyMatch(wait -> wait != null && wait.lastedNanos >= TROUBLE_NANOS);
  }

  private static void put(TreeMap<OsdId, Lasting> into, OsdId osd, String problem, long progress) {
    into.computeIfAbsent(osd, none -> new Lasting(problem, progress)).goesOn(problem, progress);
  }

  /** Time has passed, and this is the newest table; to be called twice a second or so. */
  public synchronized void tick(long nowNanos, ClusterTable table) {
    long stepNanos = tickedNanos.map(last -> Math.min(MAX_STEP_NANOS, nowNanos - last)).orElse(0L);
    tickedNanos = Optional.of(nowNanos);
    Map<OsdId, Known> before = known;
    known = known(table);
    for (OfVolume volume : volumes.values()) {
      volume.attempts.keySet().removeIf(osd -> !isUnusable(osd));
      step(volume.attempts, before, stepNanos);
      for (TreeMap<OsdId, Lasting> waits : volume.waits.values()) {
        step(waits, before, stepNanos);
        waits.forEach((osd, wait) -> wait.lastedNanos = isDown(osd) ? 0 : wait.lastedNanos);
      }
    }
  }

  private void step(TreeMap<OsdId, Lasting> all, Map<OsdId, Known> before, long stepNanos) {
    all.forEach(
        (osd, lasting) -> {
          Known was = before.get(osd);
          Known is = known.get(osd);
          boolean same = was != null && is != null && was.incarnation() == is.incarnation();
          lasting.lastedNanos = same ? lasting.lastedNanos + stepNanos : 0;
        });
  }

  private static Map<OsdId, Known> known(ClusterTable table) {
    Map<OsdId, Known> known = new HashMap<>();
    for (OsdRow row : table.getOsdsList()) {
      known.put(
          new OsdId(row.getOsdId()),
          new Known(
              row.getIncarnation(),
              row.getState() == NodeState.DOWN,
              row.getUnusableToManagerCount() > 0));
    }
    return known;
  }

  private boolean isDown(OsdId osd) {
    Known is = known.get(osd);
    return is == null || is.down();
  }

  private boolean isUnusable(OsdId osd) {
    Known is = known.get(osd);
    return is != null && is.unusable();
  }

  /** The report for SysMgr. */
  public synchronized List<OsdAccess> words() {
    List<OsdAccess> words = new ArrayList<>();
    for (Map.Entry<OsdId, Known> each : new TreeMap<>(known).entrySet()) {
      OsdId osd = each.getKey();
      Optional<OsdAccess.Builder> word =
          each.getValue().unusable()
              ? attempts(osd)
              : each.getValue().down() ? Optional.empty() : longestWait(osd);
      word.ifPresent(
          said ->
              words.add(
                  said.setOsdId(osd.value())
                      .setIncarnation(each.getValue().incarnation())
                      .build()));
    }
    return words;
  }

  private Optional<OsdAccess.Builder> longestWait(OsdId osd) {
    OsdAccess.Builder longest = null;
    for (Map.Entry<PartitionId, OfVolume> volume : volumes.entrySet()) {
      for (Map.Entry<OsdWait, TreeMap<OsdId, Lasting>> waits : volume.getValue().waits.entrySet()) {
        Lasting wait = waits.getValue().get(osd);
        boolean longer =
            wait != null
                && (longest == null || millis(wait.lastedNanos) > longest.getLastedMillis());
        if (longer) {
          longest =
              OsdAccess.newBuilder()
                  .setLastedMillis(millis(wait.lastedNanos))
                  .setWaits("of volume " + volume.getKey() + ", " + waits.getKey().words())
                  .setProblem(wait.problem);
        }
      }
    }
    return Optional.ofNullable(longest);
  }

  /**
   * Usable for as long as it is to the volume that could use it last; or not, if to one it is not.
   */
  private Optional<OsdAccess.Builder> attempts(OsdId osd) {
    return volumes.values().stream()
        .map(volume -> volume.attempts.get(osd))
        .filter(attempt -> attempt != null)
        .min(
            Comparator.<Lasting>comparingLong(attempt -> attempt.progress)
                .thenComparingLong(attempt -> attempt.lastedNanos))
        .map(
            attempt ->
                OsdAccess.newBuilder()
                    .setUsable(attempt.progress == 1)
                    .setLastedMillis(millis(attempt.lastedNanos))
                    .setProblem(attempt.problem));
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }
}
