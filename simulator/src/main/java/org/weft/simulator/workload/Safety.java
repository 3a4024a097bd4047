package org.weft.simulator.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.osd.store.Durability;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.world.World;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * How much of the redundancy of files may be used up. No component that was given up is rebuilt. So
 * an OSD that SysMgr gave up, or that lost power or its disk, counts for good. While they are no
 * more than the parity units of the weakest file, every promise holds. Past that, power loss may
 * take what was not on disks yet, and damage may make files unreadable (protocols.md 7.1).
 */
public final class Safety {
  private boolean rotten;

  /** No checkpoint is older, unless disks are very slow. */
  private static final long CHECKPOINTED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(14);

  /**
   * SysMgr may be without a leader for some seconds, and the OSD may be cut off from it for others.
   */
  private static final int MAX_LOOKS_BEFORE_DOWN = 24;

  private final World world;
  private final Histories histories;
  private final int bearable;
  private final List<SimulatedOsd> victims = new ArrayList<>();
  private final SortedSet<String> gone = new TreeSet<>();
  private final SortedSet<String> damaged = new TreeSet<>();
  private final SortedSet<String> diskless = new TreeSet<>();
  private final SortedMap<String, Loss> torn = new TreeMap<>();
  private final boolean writesThrough;
  private final SortedMap<String, Integer> failedAndUp = new TreeMap<>();
  private boolean doubted;

  /** When a machine lost power last. */
  private record Loss(long moment, long nanos) {}

  /** Chooses the OSDs that may suffer. */
  public Safety(World world, Histories histories, int bearable, RandomGenerator random) {
    this.world = world;
    this.histories = histories;
    this.bearable = bearable;
    this.writesThrough = world.options().durability() == Durability.WRITE_THROUGH;
    List<SimulatedOsd> left = new ArrayList<>(world.osds());
    while (victims.size() < bearable) {
      victims.add(left.remove(random.nextInt(left.size())));
    }
  }

  /** OSDs whose contents may be harmed: no more than files can bear. */
  public List<SimulatedOsd> victims() {
    return victims;
  }

  /** To be called often: notes OSDs that were given up since. */
  public void look() {
    world.configuration().ifPresent(known -> world.osds().forEach(osd -> lookAtStore(known, osd)));
    int before = gone.size();
    world
        .configuration()
        .ifPresent(
            known ->
                known.osds().values().stream()
                    .filter(row -> row.node().liveness() == Liveness.DOWN)
                    .forEach(row -> gone.addAll(nodesOf(row.id().value()))));
    List<Loss> open = toBeCompared();
    if (gone.size() > before && gone.size() > bearable && !open.isEmpty()) {
      doubt(
          open.stream().mapToLong(Loss::moment).max().orElseThrow(),
          open.stream().mapToLong(Loss::nanos).min().orElseThrow());
    }
  }

  /** A store that takes no changes any more is down for all clients (P 5.8). */
  private void lookAtStore(Configuration known, SimulatedOsd osd) {
    boolean failedAndUpNow =
        osd.isServing()
            && !osd.isPaused()
            && osd.store().hasFailed()
            && known.osds().values().stream()
                .anyMatch(
                    row ->
                        row.id().value() == osd.osdId() && row.node().liveness() != Liveness.DOWN);
    int looks = failedAndUpNow ? failedAndUp.merge(osd.name(), 1, Integer::sum) : 0;
    if (!failedAndUpNow) {
      failedAndUp.remove(osd.name());
    } else if (looks == MAX_LOOKS_BEFORE_DOWN) {
      histories.found("an OSD whose store has failed is not down", osd.name());
    }
  }

  /**
   * What OSDs lost with their power is not known yet: an OSD that is given up now is one too many.
   */
  private List<Loss> toBeCompared() {
    return world.osds().stream()
        .filter(osd -> torn.containsKey(osd.name()) && !(osd.isServing() && isCompared(osd)))
        .map(osd -> torn.get(osd.name()))
        .toList();
  }

  private boolean isCompared(SimulatedOsd osd) {
    return world
        .configuration()
        .map(
            known ->
                known.osds().values().stream()
                    .noneMatch(row -> row.id().value() == osd.osdId() && row.quarantine().active()))
        .orElse(false);
  }

  /** What was asked for before that moment, and is not on disks since long before that time. */
  private void doubt(long askedBefore, long nanos) {
    if (writesThrough) {
      // What was acknowledged is on disks, however many lose power.
      return;
    }
    doubted = true;
    long moment = histories.moment();
    long since = nanos - CHECKPOINTED_AFTER_NANOS;
    histories.files().values().forEach(file -> file.doubted(moment, askedBefore, since));
  }

  private List<String> nodesOf(int osdId) {
    return world.osds().stream()
        .filter(osd -> osd.osdId() == osdId)
        .map(SimulatedOsd::name)
        .toList();
  }

  /**
   * A file does without components. Their OSDs were given up once, perhaps between two looks, and
   * count like all that were. The only other reason is a loss of power on more OSDs than files
   * bear. Blocks may then be marked lost on OSDs without a fault, and a client that changes one of
   * them does without its component.
   */
  public void writtenAround(String file, StorageMap map) {
    for (int component : map.missing()) {
      int osd = map.osdOf(component).value();
      if (!doubted && !wasGivenUp(osd)) {
        histories.found(
            "a file goes without a component that nothing happened to",
            file + ": component " + component + " on OSD " + osd);
      }
      gone.addAll(nodesOf(osd));
    }
  }

  private boolean wasGivenUp(int osdId) {
    List<String> nodes = nodesOf(osdId);
    // What no machine calls itself any more was on a disk that is lost.
    boolean harmed =
        nodes.isEmpty()
            || nodes.stream().anyMatch(name -> torn.containsKey(name) || damaged.contains(name));
    return harmed
        || world
            .configuration()
            .map(
                known ->
                    known.osds().values().stream()
                        .filter(row -> row.id().value() == osdId)
                        .allMatch(
                            row ->
                                row.node().liveness() == Liveness.DOWN
                                    || row.quarantine().number() > 0))
            .orElse(true);
  }

  /** So much of what the file has was lost that it may be unreadable, but never wrong. */
  public boolean mayBeUnreadable(StorageMap map) {
    TreeSet<Integer> lost = new TreeSet<>(map.missing());
    for (int component = 0; component < map.components().size(); component++) {
      List<String> nodes = nodesOf(map.osdOf(component).value());
      if (nodes.isEmpty() || nodes.stream().anyMatch(this::mayBeTorn)) {
        lost.add(component);
      }
    }
    // What was lost with one OSD and rotten on another is lost on a third once it was rebuilt
    // there.
    boolean travels = world.options().repairAfterMillis() > 0 && isBeyond();
    return doubted || travels || !map.bears(lost);
  }

  /** Its disk was harmed, or lost power: blocks of it may not fit their checksums. */
  public boolean mayBeTorn(String machine) {
    return damaged.contains(machine) || diskless.contains(machine) || torn.containsKey(machine);
  }

  /** A machine is about to lose what it has not synced. */
  public void losesPower(SimulatedOsd osd) {
    look();
    Loss loss = new Loss(histories.moment(), histories.nanos());
    torn.put(osd.name(), loss);
    gone.add(osd.name());
    if (gone.size() > bearable) {
      doubt(loss.moment(), loss.nanos());
    }
  }

  /** True if the contents of an OSD may be harmed, and then that counts. */
  public boolean mayDamage(SimulatedOsd osd) {
    look();
    SortedSet<String> then = new TreeSet<>(gone);
    then.add(osd.name());
    if (then.size() > bearable) {
      return false;
    }
    gone.add(osd.name());
    damaged.add(osd.name());
    return true;
  }

  /** Bits of stored blocks have flipped. */
  public void rotted() {
    rotten = true;
  }

  /** Blocks may be damaged that were not read yet. */
  public boolean isRotten() {
    return rotten;
  }

  public void lostDisk(SimulatedOsd osd) {
    diskless.add(osd.name());
  }

  /** Blocks of it may be wrong, and are noticed by their checksums. */
  public boolean isDamaged(SimulatedOsd osd) {
    return damaged.contains(osd.name());
  }

  /** More is gone than files can bear: they may be unreadable, but never wrong. */
  public boolean isBeyond() {
    return gone.size() > bearable && !damaged.isEmpty();
  }

  /** Bytes may be gone that were acknowledged shortly before a power loss. */
  public boolean isDoubted() {
    return doubted;
  }
}
