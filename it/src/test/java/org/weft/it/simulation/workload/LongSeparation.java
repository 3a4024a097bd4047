package org.weft.it.simulation.workload;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.it.simulation.world.ManagerNode;
import org.weft.it.simulation.world.OsdNode;
import org.weft.it.simulation.world.SimNode;
import org.weft.it.simulation.world.World;
import org.weft.sysmgr.configuration.Liveness;

/**
 * A manager and an OSD that do not reach each other for long, while both reach SysMgr (P 5.8), in
 * some of the seeds with a bad network. Nothing else goes wrong meanwhile, so that it is known what
 * must come of it: the manager serves, also if it started after the link was cut.
 */
final class LongSeparation {
  private static final long MOST_BEFORE_NANOS = TimeUnit.SECONDS.toNanos(4);
  private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LASTS_NANOS = TimeUnit.SECONDS.toNanos(50);

  /** From when on no other OSD is away, and the manager runs: so long it may take to serve. */
  private static final long MOST_WAITING_NANOS = TimeUnit.SECONDS.toNanos(40);

  /** Of the seeds, by 32: none lies there that was kept before there was such a thing. */
  private static final Set<Long> SHARE = Set.of(13L, 21L);

  private final World world;
  private final Workload workload;
  private final Saboteur saboteur;
  private final RandomGenerator random;
  private final boolean drawn;
  private boolean lasts;
  private String manager = "";
  private String osd = "";
  private long goodSinceNanos;
  private long endNanos;

  LongSeparation(World world, Workload workload, Saboteur saboteur, boolean mayBe) {
    this.world = world;
    this.workload = workload;
    this.saboteur = saboteur;
    this.random = world.random("a manager and an OSD");
    long share = Math.floorMod(world.options().seed(), 32L);
    this.drawn = mayBe && SHARE.contains(share);
  }

  /** It may begin soon. */
  void begin() {
    if (drawn) {
      saboteur.afterwards(random.nextLong(MOST_BEFORE_NANOS), this::separate);
    }
  }

  /** Nothing else is to go wrong. */
  boolean lasts() {
    return lasts;
  }

  /** The link stays cut. */
  boolean keeps(String from, String to) {
    return lasts
        && (from.equals(manager) && to.equals(osd) || from.equals(osd) && to.equals(manager));
  }

  private void separate() {
    ManagerNode one = world.managers().get(random.nextInt(world.managers().size()));
    OsdNode other = world.osds().get(random.nextInt(world.osds().size()));
    manager = one.name();
    osd = other.name();
    lasts = true;
    goodSinceNanos = world.time().nowNanos();
    endNanos = goodSinceNanos + LASTS_NANOS;
    saboteur.note("nothing between " + manager + " and " + osd + " for long");
    workload.waitFor(LASTS_NANOS);
    world.network().separate(manager, osd);
    if (random.nextBoolean()) {
      saboteur.note("kill " + manager);
      one.kill();
    }
    look(one, other);
  }

  private void look(ManagerNode one, OsdNode other) {
    long nowNanos = world.time().nowNanos();
    if (!one.isRunning()) {
      one.start();
    }
    world.sysmgrs().forEach(this::start);
    world.osds().forEach(this::start);
    boolean good = !one.isPaused() && othersAreThere(other);
    boolean idle = world.options().pairs() && one.isRunning() && one.health().isEmpty();
    goodSinceNanos = good && !one.isServing() && !idle ? goodSinceNanos : nowNanos;
    if (nowNanos - goodSinceNanos > MOST_WAITING_NANOS) {
      workload
          .histories()
          .found(
              "a manager waits for ever for an OSD that it does not reach",
              manager + " does not reach " + osd + ": " + one.problems());
      goodSinceNanos = nowNanos;
    }
    if (nowNanos < endNanos) {
      saboteur.afterwards(LOOK_EVERY_NANOS, () -> look(one, other));
    } else {
      lasts = false;
      saboteur.note(manager + " and " + osd + " reach each other again");
      world.network().healBut((from, to) -> false);
    }
  }

  private void start(SimNode node) {
    if (!node.isRunning()) {
      node.start();
    }
  }

  private boolean othersAreThere(OsdNode other) {
    return world
        .configuration()
        .map(
            known ->
                known.osds().values().stream()
                    .filter(row -> row.id().value() != other.osdId())
                    .allMatch(
                        row ->
                            !row.quarantine().lostWrites()
                                && (row.node().liveness() == Liveness.UP
                                    || row.node().liveness() == Liveness.QUARANTINED)))
        .orElse(false);
  }
}
