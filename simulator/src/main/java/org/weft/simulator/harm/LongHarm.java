package org.weft.simulator.harm;

import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.weft.protocol.id.OsdId;
import org.weft.simulator.node.SimNode;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.world.World;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.OsdNode;

/**
 * Harm that lasts for most of a minute, in some of the seeds. Nothing else goes wrong meanwhile, so
 * the result is known: every wait for the harmed part must end.
 */
abstract class LongHarm {
  private static final long MAX_BEFORE_NANOS = TimeUnit.SECONDS.toNanos(4);
  private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LASTS_NANOS = TimeUnit.SECONDS.toNanos(50);

  /** From when on nothing else is away: so long what is harmed may be waited for. */
  private static final long MAX_WAITING_NANOS = TimeUnit.SECONDS.toNanos(40);

  /** How long something has been waited for. */
  final class Wait {
    private final String rule;
    private long goodSinceNanos;

    /**
     * @param rule what is violated by waiting for longer
     */
    Wait(String rule) {
      this.rule = rule;
      goodSinceNanos = world.time().nowNanos();
    }

    /**
     * As it is now.
     *
     * @param waits it is waited for, and nothing else is a reason for that
     */
    void look(boolean waits, String what) {
      long nowNanos = world.time().nowNanos();
      goodSinceNanos = waits ? goodSinceNanos : nowNanos;
      if (nowNanos - goodSinceNanos > MAX_WAITING_NANOS) {
        workload.histories().found(rule, what);
        goodSinceNanos = nowNanos;
      }
    }
  }

  final World world;
  final ClientWorkload workload;
  final Outages outages;
  final RandomGenerator random;
  private final boolean drawn;
  private boolean lasts;
  private long endNanos;

  /**
   * @param name of what is random in it
   * @param drawn it is to be in this seed
   */
  LongHarm(World world, ClientWorkload workload, Outages outages, String name, boolean drawn) {
    this.world = world;
    this.workload = workload;
    this.outages = outages;
    this.random = world.random(name);
    this.drawn = drawn;
  }

  /** It may begin soon. */
  final void begin() {
    if (drawn) {
      outages.afterwards(random.nextLong(mostBeforeNanos()), this::strike);
    }
  }

  /** How long after the beginning it strikes at the latest. */
  long mostBeforeNanos() {
    return MAX_BEFORE_NANOS;
  }

  /** Nothing else is to go wrong. */
  final boolean lasts() {
    return lasts;
  }

  private void strike() {
    if (harm()) {
      lasts = true;
      endNanos = world.time().nowNanos() + LASTS_NANOS;
      workload.waitFor(LASTS_NANOS);
      go();
    }
  }

  private void go() {
    world.managers().forEach(this::start);
    world.sysmgrs().forEach(this::start);
    world.osds().forEach(this::start);
    look();
    if (world.time().nowNanos() < endNanos) {
      outages.afterwards(LOOK_EVERY_NANOS, this::go);
    } else {
      lasts = false;
      end();
    }
  }

  private void start(SimNode node) {
    if (!node.isRunning() && mayRun(node)) {
      node.start();
    }
  }

  /** Does the harm; false if that is not possible in this seed. */
  abstract boolean harm();

  /** It lasts, and it is to be seen what comes of it. */
  abstract void look();

  /** The harm ends. */
  abstract void end();

  /** False of what is to be away. */
  boolean mayRun(SimNode node) {
    return true;
  }

  /** OSDs of which this holds are the only ones that are away or may have lost something. */
  final boolean othersAreThere(Predicate<OsdId> harmed) {
    return world
        .configuration()
        .map(
            known ->
                known.osds().values().stream()
                    .filter(row -> !harmed.test(row.id()))
                    .allMatch(LongHarm::isThere))
        .orElse(false);
  }

  private static boolean isThere(OsdNode row) {
    Liveness liveness = row.node().liveness();
    return !row.quarantine().lostWrites()
        && (liveness == Liveness.UP || liveness == Liveness.QUARANTINED);
  }
}
