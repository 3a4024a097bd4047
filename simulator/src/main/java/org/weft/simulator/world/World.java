package org.weft.simulator.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.PauseRepairsReply;
import org.weft.protocol.wire.VolumeOperation;
import org.weft.simulator.base.Alarm;
import org.weft.simulator.base.Alarms;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.base.Trace;
import org.weft.simulator.base.Violation;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.network.SimNetwork;
import org.weft.simulator.network.WorldNetwork;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.ClusterPlace;
import org.weft.simulator.node.Elections;
import org.weft.simulator.node.ProcessNode;
import org.weft.simulator.node.Quorum;
import org.weft.simulator.node.SimClient;
import org.weft.simulator.node.SimManager;
import org.weft.simulator.node.SimNode;
import org.weft.simulator.node.SimOsd;
import org.weft.simulator.node.SimSysmgr;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.node.SysmgrNode;
import org.weft.simulator.node.SysmgrProcessNode;
import org.weft.simulator.node.VotingSysmgr;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.testkit.raft.RaftWatch;
import org.weft.testkit.sim.VirtualTime;

/** A cluster and its clients. Confined to the thread that made it. */
public final class World implements OperatorView {

  /** Parity units of files in the second volume, if there is one. */
  public static final int MAX_PARITY_OF_SECOND_VOLUME = 3;

  private static final String SECOND_VOLUME = "/second";

  private static final long LOOK_MILLIS = 50;
  private static final long BOOT_MILLIS = 60_000;

  private final SimContext setting;
  private final SimNetwork network;
  private final Elections elections;
  private final ClusterPlace place;
  private final List<SysmgrProcessNode> sysmgrs = new ArrayList<>();
  private final List<SimManager> managers = new ArrayList<>();
  private final List<SimOsd> osds = new ArrayList<>();
  private final List<SimClient> clients = new ArrayList<>();
  private final List<SimManager> replaced = new ArrayList<>();
  private final ExtraVolumes extraVolumes;
  private final VolumeMoves moves;
  private final Optional<Quorum> quorum;
  private final MemberReplacements memberReplacements;
  private final OsdDrains osdDrains;
  private final BladeSets bladeSets;
  private final OsdBalances osdBalances;
  private final OsdAdditions osdAdditions;
  private final Primaries primaries = new Primaries();
  private PartitionId home = new PartitionId(1);
  private byte[] token = new byte[0];

  private World(WorldOptions options) {
    this.setting = SimContext.of(options);
    this.network = new SimNetwork(setting);
    this.elections = new Elections(setting);
    network.whenLinksChange(elections::linksChanged);
    this.place = new ClusterPlace(ClusterPlace.sysmgrs(options.sysmgrMembers()), () -> joinToken());
    this.extraVolumes = new ExtraVolumes(this, setting, place);
    this.moves = new VolumeMoves(this, setting, place);
    this.osdDrains = new OsdDrains(this, setting, place);
    this.bladeSets = new BladeSets(this, osdDrains, setting, place);
    this.osdBalances = new OsdBalances(this, setting, place);
    this.osdAdditions = new OsdAdditions(this::addOsd, setting);
    this.memberReplacements = new MemberReplacements(setting, place);
    this.quorum = options.voting() ? Optional.of(new Quorum(setting, place)) : Optional.empty();
    for (int number = 1; number <= options.sysmgrMembers(); number++) {
      sysmgrs.add(newSysmgr(number));
    }
    for (int number = 1; number <= options.managers(); number++) {
      managers.add(new SimManager(setting, number, place));
    }
    for (int number = 1; number <= options.osds(); number++) {
      osds.add(new SimOsd(setting, number, place));
    }
  }

  private SysmgrProcessNode newSysmgr(int number) {
    return quorum.isPresent()
        ? new VotingSysmgr(setting, number, place, quorum.get())
        : new SimSysmgr(setting, number, place, elections);
  }

  /** Machines that are switched off. */
  public static World create(WorldOptions options) {
    var unused = Alarms.heard();
    return new World(options);
  }

  /** As the operator has noted it. */
  private byte[] joinToken() {
    anyConfiguration().cluster().ifPresent(cluster -> token = cluster.joinToken().bytes());
    return token;
  }

  private Configuration anyConfiguration() {
    return sysmgrs.stream()
        .map(SysmgrNode::configuration)
        .filter(known -> known.cluster().isPresent())
        .findFirst()
        .orElse(Configuration.EMPTY);
  }

  /** Starts all daemons, and lets time pass until the root volume is served. */
  public void boot() {
    sysmgrs.forEach(SimNode::start);
    await("there is a cluster", BOOT_MILLIS, () -> anyConfiguration().cluster().isPresent());
    osds.forEach(SimNode::start);
    managers.forEach(SimNode::start);
    await(
        "the root volume is served",
        BOOT_MILLIS,
        () ->
            managers.stream().anyMatch(SimManager::isServing)
                && osds.stream().allMatch(SimOsd::isServing));
    if (options().secondVolume()) {
      makeSecondVolume();
    }
  }

  /** An operator removes the OSDs that are lost for good, and these. */
  public CompletableFuture<Void> removeLostOsds(SimulatedOsd... besides) {
    Set<Integer> there = new TreeSet<>();
    osds().forEach(node -> there.add(node.osdId()));
    for (SimulatedOsd node : besides) {
      there.remove(node.osdId());
    }
    return new Operator(setting, place, 2).removeAllBut(there);
  }

  /** An operator has rebuilds pause for an hour, or go on. */
  public CompletableFuture<PauseRepairsReply> pauseRepairs(boolean resume) {
    return new Operator(setting, place, resume ? 4 : 3).pauseRepairs(resume);
  }

  /** SysMgr knows of each OSD that is there no more that it is down: then it may be removed. */
  public boolean areLostOsdsDown() {
    Set<Integer> there = new TreeSet<>();
    osds().forEach(node -> there.add(node.osdId()));
    return configuration()
        .map(
            known ->
                known.osds().values().stream()
                    .filter(row -> !there.contains(row.id().value()))
                    .allMatch(row -> row.node().liveness() == Liveness.DOWN))
        .orElse(false);
  }

  private void makeSecondVolume() {
    Operator operator = new Operator(setting, place);
    CompletableFuture<VolumeOperation> made =
        operator.createVolume(SECOND_VOLUME, MAX_PARITY_OF_SECOND_VOLUME);
    await("the second volume is there", BOOT_MILLIS, made::isDone);
    home = new PartitionId(made.join().getVolumeId());
    operator.leave();
  }

  @Override
  public PartitionId homeVolume() {
    return home;
  }

  /** Where {@link #homeVolume} begins, as a prefix of absolute paths. */
  public String homePath() {
    return options().secondVolume() ? SECOND_VOLUME : "";
  }

  public WorldOptions options() {
    return setting.options();
  }

  public VirtualTime time() {
    return setting.time();
  }

  /** Numbers of the seed for one purpose: what others draw does not change them. */
  public RandomGenerator random(String purpose) {
    return setting.random("user/" + purpose);
  }

  public Trace trace() {
    return setting.trace();
  }

  public WorldNetwork network() {
    return network;
  }

  @Override
  public List<SimulatedOsd> osds() {
    return List.copyOf(osds);
  }

  public List<SimulatedManager> managers() {
    return List.copyOf(managers);
  }

  public List<SysmgrNode> sysmgrs() {
    return List.copyOf(sysmgrs);
  }

  public List<ClientNode> clients() {
    return List.copyOf(clients);
  }

  /** A client on a machine of its own, not started. */
  public ClientNode newClient() {
    return newClient(false);
  }

  /** One that waits for units that are late, and rebuilds them only once they have failed. */
  public ClientNode newPatientClient() {
    return newClient(true);
  }

  /** One that managers trust: it names files by their numbers. */
  public ClientNode newGateway() {
    return added(new SimClient(setting, clients.size() + 1, place, false, true));
  }

  private ClientNode newClient(boolean patient) {
    return added(new SimClient(setting, clients.size() + 1, place, patient, false));
  }

  private ClientNode added(SimClient made) {
    clients.add(made);
    return made;
  }

  /** All nodes, clients too. */
  public List<SimNode> nodes() {
    List<SimNode> all = new ArrayList<>(daemons());
    all.addAll(clients);
    return all;
  }

  private List<ProcessNode> daemons() {
    List<ProcessNode> all = new ArrayList<>(sysmgrs);
    all.addAll(managers);
    all.addAll(osds);
    return all;
  }

  /** The member leads SysMgr from now on; the one before learns of it if it can be reached. */
  public void elect(SysmgrNode member) {
    member.takeLead();
  }

  /** A member of SysMgr writes a snapshot of what it knows; its log before that is forgotten. */
  public void compact(SysmgrNode member) {
    member.compact();
  }

  /** Volumes that move, and managers that are drained. */
  public VolumeMoves moves() {
    return moves;
  }

  /** Members of SysMgr that others take the place of; none where they do not vote themselves. */
  public MemberReplacements memberReplacements() {
    return memberReplacements;
  }

  /**
   * Happens a moment after SysMgr's leader has taken such a step so many times, in place of what
   * was to happen before.
   */
  public void whenSysmgrSteps(RaftWatch.Step step, int times, Runnable then) {
    quorum.orElseThrow().trap(step, times, then);
  }

  /** Operators that split BladeSets and merge them. */
  public BladeSets bladeSets() {
    return bladeSets;
  }

  /** OSDs that are emptied while they are used. */
  public OsdDrains osdDrains() {
    return osdDrains;
  }

  /** OSDs that come to hold equal shares. */
  public OsdBalances osdBalances() {
    return osdBalances;
  }

  /** OSDs that operators add. */
  public OsdAdditions osdAdditions() {
    return osdAdditions;
  }

  /** One OSD more, on a machine of its own, is started. */
  public SimulatedOsd addOsd() {
    SimOsd added = new SimOsd(setting, osds.size() + 1, place);
    osds.add(added);
    added.start();
    return added;
  }

  /** Volumes that come and go. */
  public ExtraVolumes extraVolumes() {
    return extraVolumes;
  }

  /**
   * The manager's machine hangs, and another one goes on with its disk. The old process wakes up
   * later, and must find that it has been replaced.
   */
  public SimulatedManager replaceMachine(SimulatedManager manager, long sleepMillis) {
    SimManager old = (SimManager) manager;
    SimManager next = old.replacement(managers.size() + replaced.size() + 1);
    managers.set(managers.indexOf(old), next);
    replaced.add(old);
    setting.answers().replaced(old.name(), next::isServing);
    time().after(TimeUnit.MILLISECONDS.toNanos(sleepMillis), old::resume);
    return next;
  }

  @Override
  public Optional<Configuration> configuration() {
    return sysmgrs.stream()
        .filter(member -> member.isLeader() && !member.isPaused())
        .map(SysmgrNode::configuration)
        .findFirst();
  }

  /** Machines that sent blocks which do not fit their checksums, and the first one of each. */
  public SortedMap<String, String> unfitPayloads() {
    return setting.payloads().unfit();
  }

  @Override
  public void pass(long millis) {
    time().pass(TimeUnit.MILLISECONDS.toNanos(millis));
    primaries.look(managers);
  }

  /** Payloads that no process which lives has given back: 0 once nothing is under way. */
  public int unreleasedPayloads() {
    return setting.wire().unreleasedPayloads();
  }

  @Override
  public void await(String what, long mostMillis, BooleanSupplier condition) {
    boolean[] over = new boolean[1];
    var timer = time().after(TimeUnit.MILLISECONDS.toNanos(mostMillis), () -> over[0] = true);
    time().runUntil(what, () -> over[0] || condition.getAsBoolean());
    timer.cancel();
    if (!condition.getAsBoolean()) {
      throw new Violation("after " + mostMillis + " ms it is not yet so that " + what);
    }
  }

  /**
   * Nothing that was logged was a mistake of the program, and no volume had two primaries.
   *
   * @throws Alarm naming the first one; what is logged needs {@link Alarms#install}
   */
  public void requireNoAlarm() {
    List<String> heard = Alarms.heard();
    if (!heard.isEmpty()) {
      throw new Alarm(
          "logged " + heard.size() + " errors that no fault explains, first: " + heard.get(0));
    }
    if (!setting.answers().found().isEmpty()) {
      throw new Alarm("answered without a lease: " + setting.answers().found());
    }
    quorum.ifPresent(
        members -> {
          if (!members.found().isEmpty()) {
            throw new Alarm("members of SysMgr do not agree: " + members.found());
          }
        });
    if (!primaries.conflicts().isEmpty()) {
      throw new Alarm("two primaries: " + primaries.conflicts());
    }
  }

  /**
   * What SysMgr has begun and not ended, as its leader knows it. Sentences; none if all is over.
   */
  public List<String> unfinished() {
    return configuration()
        .map(known -> new SysmgrWork(known).unfinished(place.sysmgrs().size()))
        .orElse(List.of("SysMgr leads"));
  }

  /**
   * Operations that operators got acknowledged, and that are undone. Sentences; none if all was
   * kept.
   */
  public List<String> lostAcknowledgements() {
    Configuration known = configuration().orElseThrow();
    List<String> lost = new ArrayList<>(extraVolumes.lost(known));
    lost.addAll(moves.lost(known));
    lost.addAll(memberReplacements.lost(known));
    return lost;
  }

  /**
   * Ends all faults, starts every daemon that is down or broken, and lets time pass. It returns
   * when all daemons serve, no grant of a client that is gone is left, and OSDs have taken back
   * whatever was away. Clients that run are left as they are, and must have closed their files.
   *
   * @param mostMillis of virtual time that this may take
   * @throws Violation if it takes longer: something hangs
   */
  public void heal(long mostMillis) {
    trace().note("world", () -> "HEALS");
    network.heal();
    for (ProcessNode each : daemons()) {
      each.machine().repair();
    }
    nodes().forEach(SimNode::resume);
    replaced.forEach(SimNode::resume);
    long endNanos = time().nowNanos() + TimeUnit.MILLISECONDS.toNanos(mostMillis);
    QuiescenceCheck quiet =
        new QuiescenceCheck(
            this, options().pairs(), memberReplacements, bladeSets, sysmgrs, managers, osds);
    while (true) {
      for (ProcessNode each : daemons()) {
        if (each.isBroken()) {
          each.kill();
        }
        each.start();
      }
      List<String> awaited = quiet.awaited();
      endReplaced(endNanos - TimeUnit.MILLISECONDS.toNanos(mostMillis / 2));
      replaced.stream()
          .filter(SimNode::isRunning)
          .forEach(old -> awaited.add(old.name() + " ends, for it was replaced"));
      requireNoAlarm();
      if (awaited.isEmpty()) {
        return;
      }
      if (time().nowNanos() > endNanos) {
        throw new Violation(
            "not quiet " + mostMillis + " ms after all faults had ended: " + awaited);
      }
      pass(LOOK_MILLIS);
    }
  }

  /**
   * SysMgr lets the new process of a manager in only when the old one is silent (P 5.10). An old
   * process that has nothing to write does not notice the loss of its disk. Then the operator ends
   * the one that is not wanted.
   */
  private void endReplaced(long fromNanos) {
    if (time().nowNanos() > fromNanos) {
      replaced.stream().filter(SimNode::isRunning).forEach(ProcessNode::kill);
    }
  }
}
