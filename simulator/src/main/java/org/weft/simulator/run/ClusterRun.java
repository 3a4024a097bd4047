package org.weft.simulator.run;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.weft.osd.store.Durability;
import org.weft.simulator.base.Alarm;
import org.weft.simulator.base.Violation;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.check.BrokenRule;
import org.weft.simulator.end.EndState;
import org.weft.simulator.end.Leaks;
import org.weft.simulator.end.ScrubWatch;
import org.weft.simulator.end.SysmgrEnd;
import org.weft.simulator.gateway.GatewayScene;
import org.weft.simulator.gateway.PageScene;
import org.weft.simulator.gateway.SideScene;
import org.weft.simulator.harm.LongFailure;
import org.weft.simulator.harm.Saboteur;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.workload.Geometry;
import org.weft.simulator.workload.Histories;
import org.weft.simulator.workload.Intensity;
import org.weft.simulator.workload.Limiter;
import org.weft.simulator.workload.Mover;
import org.weft.simulator.workload.Safety;
import org.weft.simulator.workload.WorkloadBias;
import org.weft.simulator.workload.WorldWait;
import org.weft.simulator.world.World;

/** One seed of a whole cluster: clients work, things go wrong, all heals, everything is checked. */
public final class ClusterRun {
  private static final int MORE_OSDS_TO_MERGE = 3;
  private static final long WORK_MILLIS = 60_000;
  private static final long MAX_SYNC_NANOS = 8_000_000;
  private static final long LASTING_WORK_MILLIS = 120_000;
  private static final long HEAL_MILLIS = 180_000;
  private static final long FINISH_MILLIS = 180_000;
  private static final int OPERATIONS_BESIDE_FAILURE = 4;

  /** The worlds with several managers whose volumes have no backups. */
  private static final long LONE_EVERY = 5;

  private static final long CAPACITY_BYTES = 8L << 20;
  private static final long CROWDED_CAPACITY_BYTES = 64L << 20;

  /** Space is used again soon where all clients write to the same place. */
  private static final long HOT_CHECKPOINT_MILLIS = 1_000;

  private static final long REPAIR_AFTER_MILLIS = 3_000;

  /** Some things have to go for others. */
  private static final int SMALL_CACHE_ENTRIES = 12;

  private static final int CACHE_ENTRIES = 1_000;

  /** What remains of a seed modulo sixteen. */
  private static final List<Integer> WITHOUT_LATE_ENDS = List.of(0, 1, 6, 7, 10, 12, 15);

  /** The same. */
  private static final List<Integer> WITH_CACHED_DATA = List.of(3, 5, 13);

  private final World world;
  private final Histories histories;
  private final ClientWorkload workload;
  private final Safety safety;
  private final Saboteur saboteur;
  private final Intensity intensity;
  private final ScrubWatch scrubs;
  private final List<SideScene> scenes = new ArrayList<>();

  private ClusterRun(
      long seed, Intensity intensity, Geometry geometry, int mostOperations, boolean traced) {
    this.intensity = intensity;
    WorldOptions options =
        WorldOptions.of(seed)
            .withOsds(geometry.osds())
            .withSysmgrMembers(geometry.sysmgrMembers())
            .withOsdCapacityBytes(
                geometry.has(WorkloadBias.CROWDING) ? CROWDED_CAPACITY_BYTES : CAPACITY_BYTES)
            .withTrace(traced);
    if (geometry.has(WorkloadBias.HOT)) {
      options = options.withCheckpointMillis(HOT_CHECKPOINT_MILLIS);
    }
    if (geometry.has(WorkloadBias.HOT) || mayHaveLateEnds(seed)) {
      options = options.withLateEnds();
    }
    if (isForgetful(seed)) {
      options = options.withForgetful();
    }
    if (geometry.has(WorkloadBias.LASTING)) {
      options = options.withOsdCapacityBytes(CROWDED_CAPACITY_BYTES);
      if (mayWriteThrough(seed)) {
        options = options.withDurability(Durability.WRITE_THROUGH);
      }
    }
    options =
        geometry.has(WorkloadBias.REPAIRED) ? options.withRepair(REPAIR_AFTER_MILLIS) : options;
    if (geometry.has(WorkloadBias.CACHING) || mayCacheData(seed, geometry)) {
      options = options.withCaches(seed % 4 == 0 ? SMALL_CACHE_ENTRIES : CACHE_ENTRIES);
    }
    options = geometry.secondVolume() ? options.withSecondVolume() : options;
    if (geometry.has(WorkloadBias.PAIRED)) {
      int managers = 2 + (int) Math.floorMod(seed, 2L);
      options =
          Math.floorMod(seed, LONE_EVERY) == 1
              ? options.withLone(managers)
              : options.withPairs(managers);
    }
    options = geometry.has(WorkloadBias.SCRUBBED) ? options.withScrub() : options;
    options = geometry.has(WorkloadBias.VOTING) ? options.withVotingMembers() : options;
    this.world = World.create(options);
    this.histories = new Histories(world);
    world.trace().note("simulator", geometry::toString);
    this.workload =
        new ClientWorkload(
            world,
            geometry,
            histories,
            intensity,
            Math.min(mostOperations, operations(seed, intensity, geometry)));
    this.safety =
        new Safety(world, histories, geometry.leastParity(), world.random("who may suffer"));
    this.scrubs = new ScrubWatch(world, histories);
    if (geometry.has(WorkloadBias.GATEWAYS)) {
      scenes.add(new GatewayScene(world, histories));
    }
    if (geometry.has(WorkloadBias.PAGES)) {
      scenes.add(new PageScene(world, histories, safety));
    }
    RandomGenerator harm = world.random("what goes wrong");
    this.saboteur = new Saboteur(world, workload, safety, intensity, harm);
  }

  /** So that clients have enough to do while a store has failed for long, or a pair is harmed. */
  private static int operations(long seed, Intensity intensity, Geometry geometry) {
    boolean isLong =
        LongFailure.isDrawn(seed, intensity)
            || geometry.has(WorkloadBias.PARTED)
            || geometry.has(WorkloadBias.VOTING);
    return isLong ? OPERATIONS_BESIDE_FAILURE * geometry.operations() : geometry.operations();
  }

  /** A third of the worlds that last. */
  private static boolean mayWriteThrough(long seed) {
    return Math.floorMod(seed, 3L) == 0;
  }

  /** Half of the seeds: a share in which none lies that was kept before there was such a thing. */
  private static boolean mayHaveLateEnds(long seed) {
    return !WITHOUT_LATE_ENDS.contains((int) Math.floorMod(seed, 16L));
  }

  /**
   * Selects three of sixteen of the worlds that change and read a few files. No seed that was kept
   * before bytes were cached lies in this share.
   */
  private static boolean mayCacheData(long seed, Geometry geometry) {
    return geometry.dataOnly()
        && !geometry.has(WorkloadBias.REPAIRED)
        && WITH_CACHED_DATA.contains((int) Math.floorMod(seed, 16L));
  }

  /** An eighth of the seeds, in which none lies that was kept before, either. */
  private static boolean isForgetful(long seed) {
    return Math.floorMod(seed, 8L) == 3;
  }

  /**
   * Runs one.
   *
   * @param dataOnly clients change and read a few files, and do little else
   */
  public static SeedOutcome of(
      long seed, Intensity intensity, boolean dataOnly, int mostOperations, boolean traced) {
    return of(seed, intensity, geometry(seed, dataOnly), mostOperations, traced);
  }

  /** As the other one, with a few files and clients that do that. */
  public static SeedOutcome having(
      WorkloadBias habit, long seed, Intensity intensity, int mostOperations, boolean traced) {
    return of(seed, intensity, geometry(seed, true).with(habit), mostOperations, traced);
  }

  /** As those, with clients that gather small writes; every second seed shares files. */
  public static SeedOutcome gathering(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry alone = geometry(seed, true);
    Geometry geometry = seed % 2 == 0 ? alone.with(WorkloadBias.SHARING) : alone;
    return of(seed, intensity, geometry.with(WorkloadBias.GATHERING), mostOperations, traced);
  }

  /** As the other one, with clients that are all in the same few stripes. */
  public static SeedOutcome hot(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry geometry = Geometry.hot(new SplittableRandom(seed ^ 0x5deece66dL));
    return of(seed, intensity, geometry, mostOperations, traced);
  }

  /** One that lives long, with little work; a third of the worlds writes through. */
  public static SeedOutcome lasting(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    SplittableRandom random = new SplittableRandom(seed ^ 0x4bc6f1d3L);
    Geometry geometry = geometry(seed, random.nextBoolean()).lasting(random, mayWriteThrough(seed));
    return of(seed, intensity, geometry, mostOperations, traced);
  }

  /** As the first one, with two or three managers that are backups of each other. */
  public static SeedOutcome paired(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry geometry =
        geometry(seed, seed % 2 == 0).with(WorkloadBias.PAIRED).with(WorkloadBias.PARTED);
    return of(seed, intensity, geometry, mostOperations, traced);
  }

  /**
   * As the second one, with clients that lock ranges of a file; in two of three worlds managers are
   * backups of each other.
   */
  public static SeedOutcome locking(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry forgetting = geometry(seed, true).with(WorkloadBias.LOCKING);
    // The other half of the seeds is what it was before locks were kept.
    Geometry alone =
        Math.floorMod(seed, 2L) == 1 ? forgetting.with(WorkloadBias.KEEPING) : forgetting;
    alone = mayHaveGateways(seed) ? alone.with(WorkloadBias.GATEWAYS) : alone;
    alone = mayClaim(seed) ? alone.with(WorkloadBias.CLAIMING) : alone;
    Geometry geometry = seed % 3 == 0 ? alone : alone.with(WorkloadBias.PAIRED);
    return of(seed, intensity, geometry, mostOperations, traced);
  }

  /**
   * As the second one, with hosts that write files through gateways of NFS. In two of three worlds
   * managers are backups of each other.
   */
  public static SeedOutcome mounted(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry alone = geometry(seed, true).with(WorkloadBias.PAGES);
    Geometry geometry = seed % 3 == 0 ? alone : alone.with(WorkloadBias.PAIRED);
    return of(seed, intensity, geometry, mostOperations, traced);
  }

  /** An eighth of the seeds, in which none lies that was kept before. */
  private static boolean mayHaveGateways(long seed) {
    return Math.floorMod(seed, 8L) == 6;
  }

  /** Another eighth. */
  private static boolean mayClaim(long seed) {
    return Math.floorMod(seed, 8L) == 5;
  }

  /** As the first one, and what OSDs held that are away for some seconds is rebuilt on others. */
  public static SeedOutcome repaired(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry geometry = geometry(seed, seed % 2 == 0).with(WorkloadBias.REPAIRED).withRoom();
    return of(
        seed,
        intensity,
        seed % 3 == 1 ? geometry : geometry.with(WorkloadBias.PAIRED),
        mostOperations,
        traced);
  }

  /**
   * As the one before, with OSDs that leave the BladeSet of the volume and come back by a merge;
   * most worlds have racks.
   */
  public static SeedOutcome merged(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry geometry =
        geometry(seed, seed % 2 == 0)
            .with(WorkloadBias.REPAIRED)
            .with(WorkloadBias.MERGING)
            .withRoom()
            .withMoreOsds(MORE_OSDS_TO_MERGE);
    return of(
        seed,
        intensity,
        seed % 3 == 0 ? geometry.with(WorkloadBias.PAIRED) : geometry,
        mostOperations,
        traced);
  }

  /** As repaired, and bits rot on disks, which is repaired where they are. */
  public static SeedOutcome rotten(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry geometry =
        geometry(seed, seed % 2 == 0)
            .with(WorkloadBias.REPAIRED)
            .with(WorkloadBias.ROTTING)
            .withRoom();
    return of(
        seed,
        intensity,
        seed % 3 == 0 ? geometry.with(WorkloadBias.PAIRED) : geometry,
        mostOperations,
        traced);
  }

  /**
   * As repaired, and the scrub of parity runs beside all writers, which share files in every second
   * world; in every fourth bits rot, too.
   */
  public static SeedOutcome scrubbed(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry geometry =
        geometry(seed, seed % 2 == 0)
            .with(WorkloadBias.REPAIRED)
            .with(WorkloadBias.SCRUBBED)
            .withRoom();
    geometry = seed % 2 == 0 ? geometry.with(WorkloadBias.SHARING) : geometry;
    geometry = seed % 3 == 0 ? geometry.with(WorkloadBias.PAIRED) : geometry;
    return of(
        seed,
        intensity,
        seed % 4 == 1 ? geometry.with(WorkloadBias.ROTTING) : geometry,
        mostOperations,
        traced);
  }

  /**
   * As the first one, with clients that cache, mostly little; in every third world managers are
   * backups of each other.
   */
  public static SeedOutcome cached(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry geometry = geometry(seed, false).looking().with(WorkloadBias.CACHING);
    return of(
        seed,
        intensity,
        seed % 3 == 0 ? geometry.with(WorkloadBias.PAIRED) : geometry,
        mostOperations,
        traced);
  }

  /**
   * As the first one, with members of SysMgr that elect their leader, lose their disks and are
   * replaced. In every fourth world OSDs are drained, too.
   */
  public static SeedOutcome voting(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry geometry = geometry(seed, seed % 2 == 0).voting();
    return of(
        seed,
        intensity,
        seed % 4 == 0 ? geometry.with(WorkloadBias.REPAIRED).withRoom() : geometry,
        mostOperations,
        traced);
  }

  /**
   * As the first one, with quotas on directories; in every third world managers are backups of each
   * other.
   */
  public static SeedOutcome limited(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry geometry = geometry(seed, seed % 2 == 0).with(WorkloadBias.LIMITED);
    return of(
        seed,
        intensity,
        seed % 3 == 0 ? geometry.with(WorkloadBias.PAIRED) : geometry,
        mostOperations,
        traced);
  }

  /** As the first one, with clients that fill large directories. */
  public static SeedOutcome crowded(
      long seed, Intensity intensity, int mostOperations, boolean traced) {
    Geometry geometry = geometry(seed, false).crowded(new SplittableRandom(seed ^ 0x2545f491L));
    return of(seed, intensity, geometry, mostOperations, traced);
  }

  /** Drawn before there is a world, which is made of it. */
  private static Geometry geometry(long seed, boolean dataOnly) {
    return Geometry.draw(new SplittableRandom(seed ^ 0x5deece66dL), dataOnly);
  }

  private static SeedOutcome of(
      long seed, Intensity intensity, Geometry geometry, int mostOperations, boolean traced) {
    ClusterRun run = new ClusterRun(seed, intensity, geometry, mostOperations, traced);
    try {
      run.live();
    } catch (Violation e) {
      // Files that lost more than they can bear may wait for ever for what is gone.
      if (e instanceof Alarm || !run.safety.isBeyond()) {
        run.histories.found("the world says", e.getMessage());
      }
    } catch (RuntimeException | AssertionError e) {
      run.workload.broken(e);
    }
    return run.outcome(seed);
  }

  private void live() {
    world.boot();
    if (world.options().durability() == Durability.WRITE_THROUGH) {
      // So that several wait for the disk at once.
      world.osds().forEach(osd -> osd.machine().slowDisk(MAX_SYNC_NANOS));
    }
    Limiter limiter = new Limiter(world, workload);
    if (workload.geometry().has(WorkloadBias.LIMITED)) {
      limiter.start(new WorldWait(world, FINISH_MILLIS));
    }
    workload.start();
    scenes.forEach(SideScene::start);
    saboteur.start();
    scrubs.start();
    Mover mover = new Mover(world);
    if (world.options().pairs()) {
      mover.start();
    }
    boolean lasting = workload.geometry().has(WorkloadBias.LASTING) || !scenes.isEmpty();
    WorldWait work = new WorldWait(world, lasting ? LASTING_WORK_MILLIS : WORK_MILLIS);
    var unused =
        work.until(() -> !workload.mayGoOn() && scenes.stream().allMatch(SideScene::isOver));
    scenes.forEach(SideScene::end);
    workload.end();
    saboteur.end();
    mover.end();
    limiter.end();
    world.trace().note("simulator", () -> "all faults end");
    world.heal(HEAL_MILLIS);
    scenes.forEach(SideScene::heal);
    if (!new WorldWait(world, FINISH_MILLIS).until(this::isFinished)) {
      List<String> waiting = new ArrayList<>(workload.waiting());
      scenes.forEach(scene -> waiting.addAll(scene.waiting()));
      histories.found(
          "something never comes to an end",
          "although everything runs again since " + FINISH_MILLIS + " ms: " + waiting);
    }
    if (workload.geometry().has(WorkloadBias.VOTING)) {
      new SysmgrEnd(world, histories).check();
    }
    world.extraVolumes().deleteAll();
    if (world.options().pairs()) {
      world.moves().undrainAll();
    }
    Leaks leaks = new Leaks(world);
    if (!new WorldWait(world, FINISH_MILLIS).until(leaks::areBuffersReleased)) {
      histories.found("a buffer is never released", leaks.difference());
    }
    workload.leave();
    scenes.forEach(SideScene::leave);
    world.heal(HEAL_MILLIS);
    // Requests of a dead client may come late, while its session lasts.
    if (!new WorldWait(world, FINISH_MILLIS).until(this::areSessionsOver)) {
      histories.found("something never comes to an end", "sessions of clients that are gone");
    }
    // Locks of gateways that have left are kept for a while.
    scenes.forEach(scene -> world.pass(scene.keepMillis()));
    histories.names().settled(histories.moment());
    new EndState(world, histories, workload, safety, intensity != Intensity.NONE, scrubs).check();
    world.requireNoAlarm();
  }

  private boolean isFinished() {
    return workload.isFinished() && scenes.stream().allMatch(SideScene::isFinished);
  }

  private boolean areSessionsOver() {
    return world.managers().stream()
        .allMatch(
            manager ->
                (manager.isServing() || world.options().pairs() && manager.health().isEmpty())
                    && manager.health().stream().allMatch(volume -> volume.getSessions() == 0));
  }

  private SeedOutcome outcome(long seed) {
    List<BrokenRule> findings = new ArrayList<>(histories.check());
    workload.crowds().all().forEach(crowd -> findings.addAll(crowd.history().check()));
    return new SeedOutcome(
        seed,
        intensity,
        workload.operations(),
        faults(),
        findings,
        histories.undecided(),
        safety.isDoubted() ? 1 : 0,
        world.time().nowNanos() / 1_000_000,
        world.trace().events(),
        world.trace().hash(),
        world.trace().lines());
  }

  private SortedMap<String, Integer> faults() {
    SortedMap<String, Integer> counts = new TreeMap<>();
    saboteur.counts().forEach((kind, count) -> counts.put(kind.words(), count));
    return counts;
  }
}
