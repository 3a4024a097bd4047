package org.weft.metadata.access;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.OsdLook;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.UnreachedOsd;

/**
 * Which of the OSDs that SysMgr calls up give this manager a sign of life (P 5.8). A manager that
 * cannot use one OSD asks all of them. So SysMgr can tell a sick OSD from a manager whose own
 * network is at fault. SysMgr also asks the backup of such a manager for a look (P 6.2).
 *
 * <p>A look is repeated while it is needed, and begins {@link #EVERY_NANOS} after the one before at
 * the earliest. It asks {@link #MAX_AT_ONCE} OSDs at a time, each of them twice: a connection may
 * have been dead when it began. Time counts in steps of {@link #tick}. Each step counts a second at
 * most, so that a process that stood still blames no OSD for that time.
 *
 * <p>Confined to the executor that is handed in.
 */
public final class ReachedOsds {
  static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);
  static final int MAX_AT_ONCE = 256;
  static final int TIMEOUT_MILLIS = 2_000;

  /** Older findings are not reported any more. */
  static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final int ATTEMPTS = 2;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long MAX_STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How an OSD is asked. */
  @FunctionalInterface
  public interface Sign {
    /** Completes, on any thread, when the OSD has answered; fails if it does not in time. */
    CompletionStage<?> of(OsdId osd, int timeoutMillis);
  }

  /** An OSD that gave no sign: which start of it, and for how long. */
  private record Lacked(long incarnation, long sinceNanos) {}

  private final Sign sign;
  private final Environment environment;
  private final Executor home;
  private final SortedMap<OsdId, Lacked> lacked = new TreeMap<>();
  private final Deque<OsdId> toAsk = new ArrayDeque<>();
  private final SortedMap<OsdId, Long> asked = new TreeMap<>();
  private final Set<OsdId> silent = new HashSet<>();
  private int underWay;
  private boolean looking;
  private long beganNanos;
  private Optional<Long> foundNanos = Optional.empty();

  /** When the look began that was over at {@link #foundNanos}. */
  private long foundBeganNanos;

  private Optional<Long> tickedNanos = Optional.empty();

  /** Without the time in which this process stood still. */
  private long aliveNanos;

  /** The value of {@link #aliveNanos} when the look began. */
  private long beganAliveNanos;

  /**
   * @param home on which all of this happens
   */
  public ReachedOsds(Sign sign, Environment environment, Executor home) {
    this.sign = sign;
    this.environment = environment;
    this.home = home;
  }

  /** Time has passed; to be called twice a second or so. */
  public void tick() {
    long nowNanos = environment.ticker().nowNanos();
    aliveNanos += tickedNanos.map(last -> Math.min(MAX_STEP_NANOS, nowNanos - last)).orElse(0L);
    tickedNanos = Optional.of(nowNanos);
    if (!looking && foundNanos.filter(at -> nowNanos - at > STALE_NANOS).isPresent()) {
      foundNanos = Optional.empty();
      lacked.clear();
    }
  }

  /** SysMgr gets heartbeats of the OSD, or has not given it up yet. */
  public static boolean isUp(OsdRow row) {
    return switch (row.getState()) {
      case UP, SUSPECT, QUARANTINED -> !row.getRemoved();
      default -> false;
    };
  }

  /** An OSD gave no sign of life when it was asked last. */
  public boolean lacksAny() {
    return !lacked.isEmpty();
  }

  /**
   * A look is wanted: it begins, unless one is under way or was begun a moment ago.
   *
   * @param table the newest one
   */
  public void look(ClusterTable table) {
    long nowNanos = environment.ticker().nowNanos();
    boolean soon = foundNanos.isPresent() && nowNanos - beganNanos < EVERY_NANOS;
    if (looking || soon) {
      return;
    }
    looking = true;
    beganNanos = nowNanos;
    beganAliveNanos = aliveNanos;
    asked.clear();
    silent.clear();
    for (OsdRow row : table.getOsdsList()) {
      if (isUp(row)) {
        asked.put(new OsdId(row.getOsdId()), row.getIncarnation());
      }
    }
    toAsk.addAll(asked.keySet());
    askNext();
  }

  private void askNext() {
    while (underWay < MAX_AT_ONCE && !toAsk.isEmpty()) {
      underWay++;
      ask(toAsk.removeFirst(), ATTEMPTS);
    }
    if (underWay == 0) {
      found();
    }
  }

  private void ask(OsdId osd, int attemptsLeft) {
    var unused =
        sign.of(osd, TIMEOUT_MILLIS)
            .whenCompleteAsync((answer, failure) -> heard(osd, attemptsLeft - 1, failure), home);
  }

  private void heard(OsdId osd, int attemptsLeft, Throwable failure) {
    if (failure != null && attemptsLeft > 0) {
      environment.scheduler().schedule(PAUSE_NANOS, home, () -> ask(osd, attemptsLeft));
      return;
    }
    if (failure != null) {
      silent.add(osd);
    }
    underWay--;
    askNext();
  }

  private void found() {
    looking = false;
    foundNanos = Optional.of(environment.ticker().nowNanos());
    foundBeganNanos = beganNanos;
    lacked.entrySet().removeIf(each -> !isSilentStill(each.getKey(), each.getValue()));
    for (OsdId osd : silent) {
      lacked.computeIfAbsent(osd, first -> new Lacked(asked.get(osd), beganAliveNanos));
    }
  }

  private boolean isSilentStill(OsdId osd, Lacked before) {
    return silent.contains(osd) && asked.get(osd) == before.incarnation();
  }

  /** The report for SysMgr; empty: no look was made lately. */
  public Optional<OsdLook> words() {
    if (foundNanos.isEmpty()) {
      return looking
          ? Optional.of(OsdLook.newBuilder().setUnderWay(true).build())
          : Optional.empty();
    }
    long ageNanos = environment.ticker().nowNanos() - foundBeganNanos;
    OsdLook.Builder look =
        OsdLook.newBuilder().setAgeMillis(TimeUnit.NANOSECONDS.toMillis(ageNanos));
    lacked.forEach(
        (osd, each) ->
            look.addUnreached(
                UnreachedOsd.newBuilder()
                    .setOsdId(osd.value())
                    .setIncarnation(each.incarnation())
                    .setLastedMillis(
                        TimeUnit.NANOSECONDS.toMillis(aliveNanos - each.sinceNanos()))));
    return Optional.of(look.build());
  }
}
