package org.weft.sysmgr.liveness;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.weft.sysmgr.configuration.command.Command.Judgement;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.Node;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OpenVolumes;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Notes when each node was last heard, and decides what follows from it. Pure and single-threaded;
 * times are nanoseconds of the leader's monotonic clock.
 *
 * <p>A node is UP when it has been heard within {@link #SUSPECT_NANOS}. It is DOWN after {@link
 * #DOWN_NANOS} of silence, or when it says that it stops or that its store has failed. In between
 * it is SUSPECT. A new leader counts every node as heard at the moment it took over. If the leader
 * itself stood still, no node is blamed for its silence in that time.
 *
 * <p>An OSD that managers cannot use ({@link UnusableOsds}) is DOWN once it has said that it
 * refuses clients. It stays DOWN whatever is heard of it, until the configuration says otherwise.
 */
public final class HeartbeatTable {
  public static final long SUSPECT_NANOS = TimeUnit.SECONDS.toNanos(3);
  public static final long DOWN_NANOS = TimeUnit.SECONDS.toNanos(6);

  /** Longer than this between two judgements, the leader itself did not run. */
  public static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Nanos since when; the report is empty until the node has sent a heartbeat to this leader. */
  private record Entry(
      long incarnation,
      long heardNanos,
      boolean heard,
      boolean stopped,
      Optional<NodeReport> report) {
    boolean hasFailed() {
      return report.filter(NodeReport::storeFailed).isPresent();
    }

    String storeFailure() {
      return report.map(NodeReport::storeFailure).orElse("");
    }

    Entry shifted(long nanos, long nowNanos) {
      long shiftedNanos = nowNanos - Math.max(0, nowNanos - heardNanos - nanos);
      return new Entry(incarnation, shiftedNanos, heard, stopped, report);
    }
  }

  private final SortedMap<NodeKey, Entry> entries = new TreeMap<>();

  /** Since when OSDs are told that they are given up, and have not said that they know. */
  private final SortedMap<NodeKey, Long> tellingSince = new TreeMap<>();

  private long judgedNanos;

  /**
   * This member leads from now on: forgets everything and gives every node that is not DOWN its
   * time.
   */
  public void begin(Configuration configuration, long nowNanos) {
    entries.clear();
    tellingSince.clear();
    judgedNanos = nowNanos;
    configuration
        .nodes()
        .forEach(
            (key, node) -> {
              if (node.liveness() != Liveness.DOWN) {
                entries.put(
                    key, new Entry(node.incarnation(), nowNanos, false, false, Optional.empty()));
              }
            });
  }

  /** The node has joined: it lives, whatever was known of earlier incarnations. */
  public void joined(NodeKey node, long incarnation, long nowNanos) {
    Entry before = entries.get(node);
    Optional<NodeReport> report =
        before != null && before.incarnation() == incarnation ? before.report() : Optional.empty();
    entries.put(node, new Entry(incarnation, nowNanos, true, false, report));
  }

  /**
   * A heartbeat. A heartbeat of a node that has said it stops, or of an older incarnation, says
   * nothing. Nor does one that comes late, of the time before the store failed.
   */
  public void heard(
      NodeKey node, long incarnation, NodeReport report, boolean leaving, long nowNanos) {
    Entry before = entries.get(node);
    if (before != null
        && (before.incarnation() != incarnation
            ? Long.compareUnsigned(before.incarnation(), incarnation) > 0
            : before.stopped() || before.hasFailed() && !report.storeFailed())) {
      return;
    }
    entries.put(node, new Entry(incarnation, nowNanos, true, leaving, Optional.of(report)));
  }

  /**
   * The node's last start may go on as far as this leader knows. The node was heard, or the leader
   * took over, a moment ago, and nothing was heard of the node's end since.
   */
  public boolean mayLive(NodeKey node, long nowNanos) {
    Entry entry = entries.get(node);
    return entry != null
        && !entry.stopped()
        && !entry.hasFailed()
        && nowNanos - entry.heardNanos() < SUSPECT_NANOS;
  }

  /** What the node said last to this leader. */
  public Optional<NodeReport> report(NodeKey node) {
    return Optional.ofNullable(entries.get(node)).flatMap(Entry::report);
  }

  /** How long ago the node was heard last; empty if never by this leader. */
  public OptionalLong silentNanos(NodeKey node, long nowNanos) {
    Entry entry = entries.get(node);
    return entry == null || !entry.heard()
        ? OptionalLong.empty()
        : OptionalLong.of(nowNanos - entry.heardNanos());
  }

  /**
   * How long nothing was heard of the node, counted at the earliest from when this member began to
   * lead. It is the largest number for a node that was DOWN then and has not been heard since.
   * Within less than a lease of this its own lease may last.
   */
  public long quietNanos(NodeKey node, long nowNanos) {
    Entry entry = entries.get(node);
    return entry == null ? Long.MAX_VALUE : nowNanos - entry.heardNanos();
  }

  /** As the other one, of a leader that keeps up. */
  public List<Judgement> judge(Configuration configuration, long nowNanos) {
    return judge(configuration, nowNanos, true);
  }

  /**
   * Where the truth as heard differs from the configuration; to be proposed.
   *
   * @param keepsUp false if heartbeats may wait unread ({@link Punctuality}): then no silence
   *     counts
   */
  public List<Judgement> judge(Configuration configuration, long nowNanos, boolean keepsUp) {
    long passedNanos = nowNanos - judgedNanos;
    judgedNanos = nowNanos;
    if (passedNanos > STALL_NANOS) {
      entries.replaceAll((node, entry) -> entry.shifted(passedNanos, nowNanos));
      tellingSince.replaceAll((node, sinceNanos) -> Math.min(nowNanos, sinceNanos + passedNanos));
    }
    List<Judgement> judgements = new ArrayList<>();
    configuration
        .nodes()
        .forEach(
            (key, node) -> {
              Entry entry = entries.get(key);
              if (entry != null && entry.incarnation() == node.incarnation()) {
                judge(configuration, key, node, entry, nowNanos, keepsUp)
                    .ifPresent(judgements::add);
              }
            });
    return judgements;
  }

  private Optional<Judgement> judge(
      Configuration configuration,
      NodeKey key,
      Node node,
      Entry entry,
      long nowNanos,
      boolean keepsUp) {
    long silentNanos = nowNanos - entry.heardNanos();
    Liveness wished;
    if (entry.stopped()
        || entry.hasFailed()
        || keepsUp && silentNanos >= DOWN_NANOS
        || isGivenUp(configuration, key, entry, nowNanos, keepsUp)) {
      wished = Liveness.DOWN;
    } else if (!keepsUp && silentNanos >= SUSPECT_NANOS) {
      wished = node.liveness();
    } else if (silentNanos >= SUSPECT_NANOS) {
      wished = node.liveness() == Liveness.DOWN ? Liveness.DOWN : Liveness.SUSPECT;
    } else {
      wished =
          mayComeUp(configuration, key, entry) ? alive(configuration, key, entry) : node.liveness();
    }
    OpenVolumes open = wished == Liveness.QUARANTINED ? served(entry) : OpenVolumes.NONE;
    boolean news = isNews(configuration, key, open) && mayComeUp(configuration, key, entry);
    if (wished == node.liveness() && !news) {
      return Optional.empty();
    }
    long version = entry.report().map(NodeReport::partitionsVersion).orElse(0L);
    return Optional.of(
        new Judgement(
            key,
            entry.incarnation(),
            wished,
            entry.stopped(),
            version,
            wished == Liveness.UP ? endedQuarantine(entry) : 0,
            open,
            entry.storeFailure()));
  }

  /** The OSD serves other clients now than the configuration says. */
  private static boolean isNews(Configuration configuration, NodeKey key, OpenVolumes open) {
    if (key.kind() != NodeKey.Kind.OSD || open.quarantine() == 0) {
      return false;
    }
    OsdNode osd = configuration.osds().get(key.osdId());
    return !configuration.served(osd, open).equals(osd.quarantine().open());
  }

  private static OpenVolumes served(Entry entry) {
    return entry
        .report()
        .filter(NodeReport::quarantined)
        .map(said -> new OpenVolumes(said.quarantine(), said.open()))
        .orElse(OpenVolumes.NONE);
  }

  /**
   * Managers cannot use the OSD, and it refuses clients. One that goes on without saying so counts
   * as silent: it does not hear what it is told.
   */
  private boolean isGivenUp(
      Configuration configuration, NodeKey key, Entry entry, long nowNanos, boolean keepsUp) {
    OsdNode osd = key.kind() == NodeKey.Kind.OSD ? configuration.osds().get(key.osdId()) : null;
    if (osd == null || osd.unusable().isEmpty()) {
      tellingSince.remove(key);
      return false;
    }
    long toldNanos = nowNanos - tellingSince.computeIfAbsent(key, told -> nowNanos);
    return osd.node().liveness() == Liveness.DOWN
        || refusesClients(entry, osd)
        || keepsUp && toldNanos >= DOWN_NANOS;
  }

  private static boolean refusesClients(Entry entry, OsdNode osd) {
    return entry
        .report()
        .filter(said -> said.quarantined() && said.open().isEmpty())
        .filter(said -> said.quarantine() >= osd.toldQuarantine())
        .isPresent();
  }

  /** An OSD is UP again when it knows that its quarantine has ended, and so serves clients. */
  private static Liveness alive(Configuration configuration, NodeKey key, Entry entry) {
    if (key.kind() != NodeKey.Kind.OSD) {
      return Liveness.UP;
    }
    OsdNode osd = configuration.osds().get(key.osdId());
    boolean free =
        osd.node().liveness() != Liveness.DOWN
            && !osd.quarantine().active()
            && endedQuarantine(entry) == osd.quarantine().number();
    return free ? Liveness.UP : Liveness.QUARANTINED;
  }

  private static long endedQuarantine(Entry entry) {
    return entry
        .report()
        .filter(said -> !said.quarantined())
        .map(NodeReport::quarantine)
        .orElse(0L);
  }

  /** An OSD must have stored the newest keys and fences first; the command is bound to it too. */
  private static boolean mayComeUp(Configuration configuration, NodeKey key, Entry entry) {
    return entry.heard()
        && (key.kind() != NodeKey.Kind.OSD
            || entry
                .report()
                .filter(said -> said.partitionsVersion() == configuration.partitionsVersion())
                .isPresent());
  }
}
