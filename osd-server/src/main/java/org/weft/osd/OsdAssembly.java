package org.weft.osd;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.weft.osd.command.OsdCommandService;
import org.weft.osd.command.turn.BackgroundFigures;
import org.weft.osd.membership.ConfigurationShelf;
import org.weft.osd.membership.CopyDesk;
import org.weft.osd.membership.KeptCopy;
import org.weft.osd.membership.MembershipOptions;
import org.weft.osd.membership.MembershipService;
import org.weft.osd.membership.OsdProblems;
import org.weft.osd.membership.OsdReport;
import org.weft.osd.membership.StallGuard;
import org.weft.osd.scrub.ScrubDesk;
import org.weft.osd.scrub.ScrubFigures;
import org.weft.osd.scrub.Scrubber;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreStatus;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.clock.ClusterClock;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.system.OpenParts;

/**
 * An OSD around a store that is open: the commands that reach it, and its place in a cluster. The
 * store stays the caller's; the caller closes it after this.
 */
public final class OsdAssembly implements AutoCloseable {
  private static final int COMMAND_THREADS = 16;
  private static final int COMMAND_QUEUE = 2_048;

  private final OsdOptions options;
  private final long capacityBytes;
  private final ObjectStore store;
  private final Supplier<OptionalLong> diskFreeBytes;
  private final Environment environment;
  private final ClusterClock clock;
  private final CompletableFuture<WeftException> deposed = new CompletableFuture<>();
  private final byte[] joinSecret;
  private final StallGuard stalls;
  private final OsdCommandService commands;
  private final KeptCopy copy;
  private final CopyDesk desk;
  private final OpenParts parts = new OpenParts();
  private final Scrubber scrubber;
  private volatile RpcListener listener;
  private volatile MembershipService membership;

  /**
   * Builds the parts; nothing moves yet.
   *
   * @param capacityBytes what the store was opened with
   * @param diskFreeBytes what is left on the disk beneath it; empty if that is not known
   */
  public OsdAssembly(
      OsdOptions options,
      long capacityBytes,
      ObjectStore store,
      Supplier<OptionalLong> diskFreeBytes,
      Environment environment) {
    this(options, capacityBytes, store, diskFreeBytes, ConfigurationShelf.inMemory(), environment);
  }

  /**
   * As the other one.
   *
   * @param shelf where the copy of SysMgr's configuration is kept
   */
  public OsdAssembly(
      OsdOptions options,
      long capacityBytes,
      ObjectStore store,
      Supplier<OptionalLong> diskFreeBytes,
      ConfigurationShelf shelf,
      Environment environment) {
    this.options = options;
    this.capacityBytes = capacityBytes;
    this.store = store;
    this.diskFreeBytes = diskFreeBytes;
    this.clock = new ClusterClock(environment.clock());
    this.environment = environment.withClock(clock);
    this.joinSecret = JoinSecret.of(options.joinToken());
    Scheduler.OwnedExecutor pool =
        parts.add(environment.scheduler().newPool("osd-command", COMMAND_THREADS, COMMAND_QUEUE));
    this.copy = new KeptCopy(shelf, joinSecret);
    this.stalls = parts.add(new StallGuard(environment));
    this.commands =
        new OsdCommandService(
            store, this.environment, pool, options.durability(), joinSecret, stalls);
    this.scrubber =
        parts.add(
            new Scrubber(options.scrubPeriodMillis(), store, commands::isBusy, this.environment));
    commands.tellOf(scrubber);
    this.desk =
        new CopyDesk(new ScrubDesk(commands, scrubber, joinSecret), store, copy, joinSecret, pool);
  }

  /**
   * Listens and joins. Completes when the OSD serves; fails with WRONG_CLUSTER, UNAUTHENTICATED or
   * UNAVAILABLE, then it is to be closed. Never blocks.
   */
  public CompletableFuture<Void> begin() {
    // A new OSD is told its number only while it listens already.
    ListenOptions presented =
        ListenOptions.of(
            () -> store.identity().cluster(), this::name, store.identity().incarnation());
    return environment
        .transport()
        .listen(options.listen(), presented, desk)
        .thenCompose(this::join)
        .thenRun(this::serve)
        .toCompletableFuture();
  }

  private void serve() {
    commands.open();
    scrubber.start();
  }

  /** What was read of the disk to see whether it is well. */
  public ScrubFigures scrubbed() {
    return scrubber.figures();
  }

  /** What of managers' copying and comparing waits for clients. */
  public BackgroundFigures background() {
    return commands.background();
  }

  /** What is wrong with this OSD, one sentence each. */
  public List<String> problems() {
    return problems(store.status());
  }

  private List<String> problems(StoreStatus status) {
    List<String> problems = new ArrayList<>(OsdProblems.of(status, diskFreeBytes.get()));
    problems.addAll(scrubber.problems());
    return problems;
  }

  private String name() {
    return store.identity().osd().map(id -> "osd-" + id).orElse("osd");
  }

  private CompletableFuture<Void> join(RpcListener opened) {
    try {
      listener = parts.add(opened);
    } catch (IllegalStateException e) {
      // On the listener's own event loop it can be stopped, but not waited for.
      var unused = opened.stop();
      throw e;
    }
    membership =
        parts.add(
            new MembershipService(
                new MembershipOptions(
                    options.sysmgrs(),
                    joinSecret,
                    List.of(advertised(opened.address())),
                    options.host(),
                    capacityBytes,
                    options.joinTimeoutMillis(),
                    options.rack(),
                    options.bladeSet()),
                store,
                this::report,
                stalls,
                clock,
                copy,
                environment));
    var unused = membership.deposed().thenAccept(this::endDeposed);
    commands.onGivenUp(membership::givenUp);
    return membership.start();
  }

  private void endDeposed(WeftException why) {
    commands.shut();
    deposed.complete(why);
  }

  /**
   * Completes if another process is this OSD now: no request is answered, and it is to be closed.
   */
  public CompletionStage<WeftException> deposed() {
    return deposed;
  }

  private Endpoint advertised(Endpoint listening) {
    Endpoint wished = options.advertised();
    return wished.port() == 0 ? new Endpoint(wished.host(), listening.port()) : wished;
  }

  private OsdReport report() {
    StoreStatus status = store.status();
    return new OsdReport(status, options.durability(), problems(status));
  }

  /** Where it listens, with the real port. */
  public Endpoint address() {
    return listener.address();
  }

  /** Takes no more commands and tells SysMgr that the OSD leaves; completes when it was told. */
  public CompletableFuture<Void> leave() {
    commands.shut();
    MembershipService joined = membership;
    return joined == null ? CompletableFuture.completedFuture(null) : joined.leave();
  }

  /** Leaves the cluster and answers what is under way. Blocks for seconds at most. */
  @Override
  public void close() {
    // Once SysMgr has heard that it leaves it may be written around.
    commands.shut();
    OsdDaemon.close(parts);
  }
}
