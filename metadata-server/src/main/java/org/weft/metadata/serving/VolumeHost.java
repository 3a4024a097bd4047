package org.weft.metadata.serving;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cluster.ClusterView;
import org.weft.client.osd.OsdClient;
import org.weft.client.osd.OsdConnections;
import org.weft.client.stripe.StripeEngine;
import org.weft.metadata.access.VolumeWaits;
import org.weft.metadata.backup.Pairing;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.metadata.journal.JournalLog;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.flush.Flusher;
import org.weft.metadata.serving.care.CareOptions;
import org.weft.metadata.serving.care.SharedCare;
import org.weft.metadata.serving.care.VolumeCare;
import org.weft.metadata.serving.client.ControlConnections;
import org.weft.metadata.serving.fence.Fencing;
import org.weft.metadata.serving.fence.QuarantineNotifier;
import org.weft.metadata.serving.fence.UnusableOsdProbes;
import org.weft.metadata.serving.request.AnswerSink;
import org.weft.metadata.serving.request.Passing;
import org.weft.metadata.serving.request.ServingLease;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.serving.request.VolumeTimers;
import org.weft.metadata.serving.sysmgr.SysmgrReports;
import org.weft.metadata.serving.sysmgr.TableOsdStates;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.metadata.session.SessionSecrets;
import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.execution.ClusterKnown;
import org.weft.metadata.volume.execution.MountPoints;
import org.weft.metadata.volume.execution.Now;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.VolumeContext;
import org.weft.metadata.volume.state.VolumeCounts;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.VolumeRow;

/**
 * One volume of this manager, from its journal's folder to being served (P 6.2). It opens the
 * journal, fences the OSDs, recovers, formats if need be, and serves. Its methods may be called
 * from any thread; all that they touch happens on the volume's thread.
 */
public final class VolumeHost {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeHost.class);

  private final Environment environment;
  private final VolumeAssignment assignment;
  private final ClusterView view;
  private final VolumeOpening opening;
  private final StartTimes times;
  private final ServingLease lease;
  private final SysmgrReports reports;
  private final ControlConnections controls;
  private final Consumer<ClusterTable> listener = this::tableChanged;
  private final Scheduler.OwnedExecutor home;
  private final OsdClient osds;
  private final ManagerCapability capability;
  private final TableOsdStates states;
  private final QuarantineNotifier tables;
  private final VolumeWaits waits;
  private final UnusableOsdProbes probes;
  private final VolumeContext context;
  private final Pairing pairing;
  private final VolumeRecovery recovery;
  private final VolumeAssembly assembly;
  private volatile HostState state = HostState.starting("opening the journal");
  private volatile VolumeCounts counts = VolumeCounts.NONE;
  private volatile List<String> problems = List.of();
  private volatile JournalLog journal;
  private volatile boolean closing;

  // Set on the volume's thread, on which all of it runs but the taking of requests.
  private volatile SessionSecrets secrets = new SessionSecrets();
  private volatile VolumeService service;

  // Confined to the volume's thread.
  private VolumeService built;
  private Flusher flusher;
  private MetadataCache cache;
  private CacheLimits limits = CacheLimits.DEFAULT;
  private VolumeDuties duties;
  private volatile VolumeCare care;

  /**
   * @param opening where the journal and the live state come from; closed with the host
   * @param reports tells SysMgr what the volume has carried out
   * @param controls on which sessions are asked to give ranges back
   * @param waits receives the OSDs that the volume waits for, until the volume is closed
   * @param pairings makes what looks after its backup
   * @param options how hard it cares for its files
   * @param shared with the other volumes of the manager
   */
  public VolumeHost(
      Environment environment,
      VolumeAssignment assignment,
      ClusterView view,
      OsdConnections connections,
      StripeEngine stripes,
      VolumeOpening opening,
      ServingLease lease,
      SysmgrReports reports,
      ControlConnections controls,
      VolumeWaits waits,
      Pairings pairings,
      CareOptions options,
      SharedCare shared) {
    this.waits = waits;
    this.environment = VolumeTimers.in(environment);
    this.times = new StartTimes(environment.ticker());
    this.assignment = assignment;
    this.view = view;
    this.opening = opening;
    this.lease = lease;
    this.reports = reports;
    this.controls = controls;
    this.home = environment.scheduler().newSerialExecutor("volume-" + volume());
    this.osds = new OsdClient(connections, home);
    CapabilityMint mint = new CapabilityMint(volume(), assignment.keys());
    this.capability = new ManagerCapability(mint, assignment.epoch());
    this.states = new TableOsdStates(assignment.settings().bladeSet(), volume());
    long epoch = assignment.epoch();
    Scheduler timers = this.environment.scheduler();
    this.tables = new QuarantineNotifier(osds, capability, epoch, timers, home, this::applyTable);
    this.probes = new UnusableOsdProbes(osds, capability, epoch, timers, home, waits);
    this.context = new VolumeContext(assignment.settings(), mint, environment.random());
    context.surroundingsChanged(new MountPoints(assignment.takesNames(), List.of()));
    this.pairing = pairings.of(assignment, home, this::fail);
    this.recovery = new VolumeRecovery(assignment, reports, this.environment, home, this::status);
    this.assembly =
        new VolumeAssembly(
            this.environment,
            assignment,
            home,
            osds,
            stripes,
            mint,
            capability,
            states,
            lease,
            reports,
            controls,
            waits,
            options,
            shared);
  }

  /** Begins to bring the volume into service; {@link #health} tells how far it is. */
  public void start() {
    view.addListener(listener);
    home.execute(
        () -> {
          try {
            times.begin();
            tables.first(view.table());
            if (!state.isEnded() && !closing) {
              open();
            }
          } catch (IOException | RuntimeException | Error e) {
            fail("the journal in " + opening.place() + " cannot be used: " + e.getMessage());
          }
        });
  }

  private PartitionId volume() {
    return assignment.settings().volume();
  }

  private void tableChanged(ClusterTable table) {
    try {
      home.execute(() -> tables.next(table));
    } catch (RejectedExecutionException e) {
      LOG.debug("a table came after the volume had been closed");
    }
  }

  private void applyTable(ClusterTable table) {
    states.changed(table);
    if (!state.isEnded()) {
      probes.tableChanged(table, states.bladeSet());
    }
    context.clusterChanged(ClusterKnown.of(table, states.bladeSet(), volume()));
    MountPoints.of(table, volume().value(), assignment.epoch())
        .ifPresent(context::surroundingsChanged);
    for (VolumeRow row : table.getVolumesList()) {
      boolean newer = row.getVolumeId() == volume().value() && row.getEpoch() > assignment.epoch();
      if (newer) {
        lease.revoke();
        fail("this manager was deposed: the volume is at epoch " + row.getEpoch());
      }
    }
    if (flusher != null && !state.isEnded()) {
      flusher.statesChanged();
    }
    if (state.isServing()) {
      duties.look(table);
    }
    if (flusher != null) {
      care.tableChanged();
    }
  }

  private void open() throws IOException {
    VolumeOpening.Opened opened = opening.open(view.clusterId());
    journal = opened.journal();
    times.ended("journal");
    if (assignment.formatted() && opened.contents().isEmpty() && !assignment.recovers()) {
      fail(recovery.journalLost(opening.place()));
      return;
    }
    // A fence may wait long: until it is through the row keeps its other member, which has all.
    CompletableFuture<Void> alone =
        times
            .beside("fence", fence())
            .thenCompose(nothing -> times.beside("backup", pairing.settle(opened.journal())));
    cache = new MetadataCache(assignment.settings().metaCopies(), limits);
    VolumeMachine machine = opened.machine(context, cache, limits, assignment.epoch(), now());
    times.ended("state");
    Runnable recovering = built(opened, machine);
    times.ended("service");
    var unused =
        times
            .ended("fence and backup", alone)
            .whenComplete((nothing, failure) -> next(failure, recovering));
  }

  private CompletableFuture<Void> fence() {
    return new Fencing(
            osds,
            capability,
            assignment.epoch(),
            states::servingManagers,
            environment.scheduler(),
            home,
            this::status,
            waits)
        .run()
        .thenCompose(fenced -> tables.settled());
  }

  /** Makes the parts of the volume; nothing moves before what it returns is run. */
  private Runnable built(VolumeOpening.Opened opened, VolumeMachine machine) {
    counts = machine.counts();
    secrets = machine.sessionSecrets();
    VolumeAssembly.Parts made = assembly.of(machine, cache, opened.journal(), this::status);
    built = made.service();
    built.whenEnded(this::fail);
    duties = made.duties();
    care = made.care();
    context.lostFiles(care::lostFiles);
    context.damagedFiles(care::damagedFiles);
    context.checks(care::checks);
    built.addWatcher(() -> watch(machine));
    return () -> recover(made, opened);
  }

  private void recover(VolumeAssembly.Parts made, VolumeOpening.Opened opened) {
    VolumeStart start = made.start();
    service = made.service();
    flusher = made.flusher();
    service.begin(flusher, opened.contents().lastLsn());
    // No part knows the tables that came during the fence.
    care.tableChanged();
    pairing.begin();
    var unused =
        times
            .ended("redo", start.replay(opened.contents()))
            .thenCompose(nothing -> recovery.run(care.salvaged(), view::table))
            .thenCompose(
                nothing ->
                    start.format(
                        () -> context.osdsUp().size(),
                        () -> states.osds().size(),
                        flusher,
                        () -> reports.formatted(assignment.formattedNow())))
            .thenCompose(nothing -> start.drawHandleKey())
            .thenCompose(nothing -> times.ended("comparisons", readmit()))
            .whenComplete((nothing, failure) -> next(failure, this::serve));
  }

  private CompletableFuture<Void> readmit() {
    status("waiting for OSDs: comparing those that were away");
    return care.readmit();
  }

  private void serve() {
    LOG.info("volume {} is served, epoch {}, after {}", volume(), assignment.epoch(), times);
    if (!state.isEnded()) {
      state = HostState.SERVING;
    }
    service.serve();
    duties.look(view.table());
  }

  /** Several volumes share what memory one alone may use. */
  public void cacheLimits(CacheLimits changed) {
    try {
      home.execute(
          () -> {
            limits = changed;
            if (cache != null) {
              cache.limits(changed);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("a volume that has been closed needs no limits");
    }
  }

  private void watch(VolumeMachine machine) {
    counts = machine.counts();
    controls.retain(volume(), counts.sessions(), machine::hasSession);
    if (state.isServing()) {
      care.look();
    }
    problems = care.problems(now());
  }

  private void next(Throwable failure, Runnable step) {
    if (state.isEnded()) {
      return;
    }
    if (failure != null) {
      fail(WeftException.of(failure).getMessage());
      return;
    }
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      LOG.error("volume {} cannot be recovered", volume(), e);
      fail(e.toString());
    }
  }

  /** Waiting mends nothing: the volume is not served by this process any more. */
  private void fail(String why) {
    if (!state.isEnded()) {
      LOG.warn("volume {} is not served: {}", volume(), why);
      state = HostState.ended("not served: " + why);
      end(why);
      pairing.handOver();
    }
  }

  private void end(String why) {
    probes.close();
    waits.close();
    if (duties != null) {
      duties.close();
      care.close();
    }
    if (built != null) {
      built.end(why);
    }
  }

  private void stopped() {
    if (!state.isEnded()) {
      state = HostState.ended("stopped");
      end("the manager has stopped");
    }
    pairing.close();
  }

  private void status(String what) {
    if (!state.isEnded()) {
      state = HostState.starting(what);
    }
  }

  /** By which secret each session is held: of none before requests are taken. */
  public SessionSecrets sessionSecrets() {
    return secrets;
  }

  /** Hands a request to the volume; any thread. */
  public void submit(Caller caller, Operation operation, AnswerSink sink) {
    VolumeService serving = service;
    if (serving == null) {
      sink.refuse(HealthWords.notServedYet(volume(), state));
    } else {
      serving.submit(caller, operation, sink);
    }
  }

  /** Another manager has the volume: nothing is answered any more, nor what waits. Any thread. */
  public void depose() {
    lease.revoke();
  }

  /**
   * Its backup is to have it if it has everything, since it reaches more OSDs (P 6.2). Any thread.
   */
  public void handOverTo(int manager) {
    pairing.handOverTo(manager);
  }

  /** Under which it is served. */
  public long epoch() {
    return assignment.epoch();
  }

  /** What a heartbeat says of the volume. */
  public VolumeHealth health() {
    boolean holds = lease.holds(environment.ticker().nowNanos());
    HealthWords.Care cared = HealthWords.Care.of(Optional.ofNullable(care));
    return recovery.addedTo(
        HealthWords.of(assignment, state, holds, counts, journal, pairing.status(), cared));
  }

  /** True while requests are executed. */
  public boolean isServing() {
    return state.isServing();
  }

  /** Why its journal takes nothing any more, for good. Any thread. */
  public Optional<WeftException> journalFailure() {
    return Optional.ofNullable(journal).flatMap(JournalLog::failure);
  }

  /** Sentences on what the volume waits for and what its clients complain of. */
  public List<String> problems() {
    return HealthWords.problems(volume(), state, problems);
  }

  /** Completes when everything that is decided now is on the OSDs, as far as they are there. */
  public CompletableFuture<Void> flushed() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    home.execute(() -> Passing.to(done, flusher == null ? null : flusher.flushed()));
    return done;
  }

  /**
   * Takes no more requests and brings everything to the OSDs; a caller that waits for that has a
   * deadline, for OSDs may be away. The journal has it all in any case.
   */
  public CompletableFuture<Void> drain() {
    CompletableFuture<Void> drained = new CompletableFuture<>();
    home.execute(
        () -> {
          if (service == null && !state.isEnded()) {
            stopped();
          }
          Passing.to(drained, state.isEnded() ? null : service.drain());
        });
    return drained;
  }

  /** Ends the volume's service and closes its journal. Blocks; must not be called on its thread. */
  public void close() throws IOException {
    closing = true;
    view.removeListener(listener);
    try {
      home.execute(this::stopped);
    } catch (RuntimeException | Error e) {
      LOG.warn("volume {} ends without a thread", volume(), e);
    }
    JournalLog open = journal;
    if (open != null) {
      open.close();
    }
    home.close();
    stopped();
    opening.leave(open);
    controls.forget(volume());
  }

  private Now now() {
    return new Now(environment.clock().nowMillis(), environment.ticker().nowNanos());
  }
}
