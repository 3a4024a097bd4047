package org.weft.metadata.serving.offline;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cluster.ClusterView;
import org.weft.client.osd.OsdClient;
import org.weft.client.osd.OsdConnections;
import org.weft.client.stripe.StripeEngine;
import org.weft.metadata.access.WaitSink;
import org.weft.metadata.check.CheckBoard;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.UnwrittenJournal;
import org.weft.metadata.objects.Loadable;
import org.weft.metadata.objects.ObjectLoader;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.cache.TailReplay;
import org.weft.metadata.objects.flush.Flusher;
import org.weft.metadata.objects.flush.RoundFlusher;
import org.weft.metadata.objects.load.OsdObjectLoader;
import org.weft.metadata.objects.osd.OsdClientPort;
import org.weft.metadata.objects.osd.UnsentCopies;
import org.weft.metadata.readmission.QuarantinedOsd;
import org.weft.metadata.readmission.UnsettledGrants;
import org.weft.metadata.serving.care.AskedHoldings;
import org.weft.metadata.serving.care.CaredVolume;
import org.weft.metadata.serving.care.CheckInVolume;
import org.weft.metadata.serving.request.ServingLease;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.serving.request.VolumeTimers;
import org.weft.metadata.serving.sysmgr.TableOsdStates;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.execution.ClusterKnown;
import org.weft.metadata.volume.execution.Now;
import org.weft.metadata.volume.execution.VolumeContext;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.CheckStatusReply;
import org.weft.protocol.wire.ClusterTable;

/**
 * A volume that is checked and not served (P 6.8d). Its journal is laid over what OSDs hold, as at
 * a start. What a start would bring to the OSDs is kept in memory and laid over what they say.
 * Nothing is fenced and nothing is written, neither to the journal nor to an OSD. So what it holds
 * is true only while no manager serves the volume. Confined to the volume's thread.
 */
public final class OfflineVolume {
  private static final Logger LOG = LoggerFactory.getLogger(OfflineVolume.class);
  private static final int GRANTS_OF_RECORD = 1_000;
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** An OSD that has not given what redo needs for so long is waited for no more. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Environment environment;
  private final VolumeAssignment assignment;
  private final OwnedExecutor home;
  private final TableOsdStates states;
  private final VolumeContext context;
  private final MetadataCache cache;
  private final VolumeMachine machine;
  private final ObjectLoader loader;
  private final VolumeService service;
  private final Flusher flusher;
  private final CheckInVolume checked;
  private final AskedHoldings asked;
  private final CheckBoard checks;
  private final JournalContents contents;
  private final Consumer<WeftException> failed;
  private final SortedSet<OsdId> trusted = new TreeSet<>();
  private final CompletableFuture<Void> redone = new CompletableFuture<>();
  private long waitsSinceNanos;
  private boolean waits;
  private boolean closed;

  /**
   * @param assignment the volume with the keys that SysMgr gave for this look, in its last epoch
   * @param journal read already
   * @param limits hold the journal's tail, and as much again is kept of what OSDs are not sent
   * @param home the volume's thread
   * @param failed receives why the check's findings do not count
   */
  public OfflineVolume(
      Environment world,
      VolumeAssignment assignment,
      ClusterView view,
      OsdConnections connections,
      StripeEngine stripes,
      UnwrittenJournal journal,
      CacheLimits limits,
      OwnedExecutor home,
      Consumer<WeftException> failed) {
    this.environment = VolumeTimers.in(world);
    this.assignment = assignment;
    this.home = home;
    this.contents = journal.contents();
    this.failed = failed;
    PartitionId volume = assignment.settings().volume();
    CapabilityMint mint = new CapabilityMint(volume, assignment.keys());
    ManagerCapability capability = ManagerCapability.looking(mint, assignment.epoch());
    OsdClient osds = new OsdClient(connections, home);
    this.states = new TableOsdStates(assignment.settings().bladeSet(), volume);
    this.context = new VolumeContext(assignment.settings(), mint, environment.random());
    tableChanged(view.table());
    UnsentCopies unsent =
        new UnsentCopies(
            new OsdClientPort(osds, capability::get),
            states::incarnation,
            limits.packedBytes(),
            () -> failed.accept(tooLittleMemory()));
    this.cache = new MetadataCache(assignment.settings().metaCopies(), wholeTail(limits));
    this.machine = new VolumeMachine(context, cache);
    // Decisions here have numbers behind those of the journal, which no other process sees.
    machine.recover(contents, assignment.epoch() + 1, now());
    this.loader = new OsdObjectLoader(unsent, states, environment.ticker());
    this.service =
        new VolumeService(environment, home, machine, cache, journal, loader, new ServingLease());
    service.whenEnded(
        why -> failed.accept(new WeftException(ErrorCode.INTERNAL, "the check ended: " + why)));
    this.flusher =
        new RoundFlusher(cache, unsent, loader, states, service, environment, home, WaitSink.NONE);
    this.asked = new AskedHoldings(osds, capability);
    this.checked =
        new CheckInVolume(
            new CaredVolume(
                volume,
                machine,
                service,
                cache,
                states,
                flusher,
                unsent,
                osds,
                capability,
                mint,
                stripes,
                environment.ticker()),
            loader,
            new LaidOverHoldings(asked, unsent),
            home);
    this.checks = new CheckBoard(checked, 0, environment.ticker()::nowNanos, home);
  }

  /**
   * Redo must not wait until something has left, since nothing leaves. So as much of the tail may
   * be that of one directory as fits into memory.
   */
  private static CacheLimits wholeTail(CacheLimits limits) {
    int mostBlocks = (int) Math.min(Integer.MAX_VALUE, limits.packedBytes() / DirectoryBlock.BYTES);
    return new CacheLimits(
        limits.cleanAttributes(),
        limits.packedBytes(),
        limits.cleanBlocks(),
        Integer.MAX_VALUE,
        Math.max(limits.directoryChangedBlocks(), mostBlocks),
        Math.max(limits.unflushedBlocks(), mostBlocks),
        limits.journalBytes());
  }

  private static WeftException tooLittleMemory() {
    return new WeftException(
        ErrorCode.OVERLOADED,
        "the journal's tail needs more memory than this command has; set it with"
            + " WEFT_JAVA_OPTS=-Xmx4g, for example");
  }

  /** SysMgr has a newer table. */
  public void tableChanged(ClusterTable table) {
    states.changed(table);
    context.clusterChanged(
        ClusterKnown.of(table, states.bladeSet(), assignment.settings().volume()));
    if (flusher != null && redone.isDone() && !closed) {
      flusher.statesChanged();
      requireNothingLost();
      settle();
    }
  }

  /**
   * An OSD that has lost no power since has all of the last writes, though perhaps no checkpoint of
   * them yet. Then nothing of the file is in doubt now (P 5.9).
   */
  private void settle() {
    UnsettledGrants grants = machine.unsettled();
    SortedSet<OsdId> there = new TreeSet<>(states.whole().keySet());
    grants.osds().stream().filter(states::isRemoved).forEach(there::add);
    there.forEach(osd -> grants.durableUpTo(osd, grants.lastPlace()));
    List<Lsn> settled = grants.settled();
    for (int from = 0; from < settled.size(); from += GRANTS_OF_RECORD) {
      service.journal(
          settled.subList(from, Math.min(settled.size(), from + GRANTS_OF_RECORD)).stream()
              .<LiveEffect>map(LiveEffect.GrantSettled::new)
              .toList());
    }
    trusted.addAll(there);
  }

  /** Writes that an OSD has lost since it counted as whole would look like a contradiction. */
  private void requireNothingLost() {
    SortedSet<OsdId> lossy = new TreeSet<>(trusted);
    lossy.retainAll(states.lossy().stream().map(QuarantinedOsd::osd).toList());
    if (!lossy.isEmpty()) {
      failed.accept(
          new WeftException(
              ErrorCode.UNAVAILABLE,
              "OSDs " + lossy + " lost power, or were killed, while it went on; check again"));
    }
  }

  /**
   * Fails if so many OSDs are away that files cannot be read. Else most findings of the check would
   * be that it could not look.
   *
   * @throws WeftException UNAVAILABLE
   */
  public void requireOsds() throws WeftException {
    requireFew(states.servingManagers(), "are not up");
  }

  private void requireFew(Collection<OsdId> there, String lack) throws WeftException {
    SortedSet<OsdId> away = new TreeSet<>(states.osds());
    there.forEach(away::remove);
    boolean isTooFew = there.isEmpty() || away.size() > assignment.settings().maxParityUnits();
    if (isTooFew) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "%d of the %d OSDs of %s %s (%s), more than its files have parity units (%d); start them first"
              .formatted(
                  away.size(),
                  states.osds().size(),
                  assignment.settings().path(),
                  lack,
                  String.join(", ", away.stream().map(osd -> "osd-" + osd).toList()),
                  assignment.settings().maxParityUnits()));
    }
  }

  /** Lays the journal over what OSDs hold, then begins the check. */
  public CompletableFuture<Void> begin(boolean parity) {
    LOG.info("{} records of the journal are laid over what OSDs hold", contents.records().size());
    redo(new TailReplay(cache, contents));
    return redone.thenCompose(
        nothing -> {
          service.begin(flusher, contents.lastLsn());
          settle();
          try {
            var unused = checks.start(parity);
          } catch (WeftException e) {
            return CompletableFuture.failedFuture(e);
          }
          tick();
          return CompletableFuture.completedFuture(null);
        });
  }

  private void redo(TailReplay replay) {
    Loadable<Boolean> progress;
    try {
      progress = replay.run();
    } catch (RuntimeException e) {
      redone.completeExceptionally(TailReplay.unfit(e));
      return;
    }
    if (progress.isReady()) {
      if (progress.value()) {
        redone.complete(null);
      } else {
        redone.completeExceptionally(tooLittleMemory());
      }
      return;
    }
    var unused =
        loader
            .load(progress.missing())
            .whenCompleteAsync(
                (found, failure) -> {
                  if (failure == null) {
                    waits = false;
                    cache.loaded(found);
                    redo(replay);
                  } else {
                    again(replay, WeftException.of(failure));
                  }
                },
                home);
  }

  private void again(TailReplay replay, WeftException why) {
    long nowNanos = environment.ticker().nowNanos();
    waitsSinceNanos = waits ? waitsSinceNanos : nowNanos;
    waits = true;
    if (closed || nowNanos - waitsSinceNanos > PATIENCE_NANOS) {
      redone.completeExceptionally(
          new WeftException(
              why.code(),
              "what the journal is laid over cannot be read: " + why.getMessage(),
              why));
    } else {
      environment.scheduler().schedule(RETRY_NANOS, home, () -> redo(replay));
    }
  }

  private void tick() {
    if (!closed) {
      checks.look();
      environment.scheduler().schedule(TICK_NANOS, home, this::tick);
    }
  }

  /** How far the check is, with findings behind that one. */
  public CheckStatusReply status(long afterFinding, int max) {
    return checks.status(0, afterFinding, max);
  }

  /**
   * Asks each OSD for a list once more. Fails with FENCED if one has heard of a manager of a newer
   * epoch: managers fence OSDs before they serve (P 6.2). Fails with UNAVAILABLE if so few answer
   * that a manager may serve with the others. An OSD of an earlier release, which refuses the right
   * to look alone, counts as one that does not answer. It was down when the check began.
   */
  public CompletionStage<Void> requireNotFenced() {
    return requireNotFenced(false);
  }

  /**
   * The same before the check begins: fails with UNSUPPORTED if an OSD is of an earlier release.
   */
  public CompletionStage<Void> requireAllLookedAt() {
    return requireNotFenced(true);
  }

  private CompletionStage<Void> requireNotFenced(boolean isStart) {
    List<CompletableFuture<?>> all = new ArrayList<>();
    SortedSet<OsdId> heard = new TreeSet<>();
    for (OsdId osd : states.servingManagers()) {
      all.add(
          asked
              .list(osd, new ObjectId(0), 1)
              .handleAsync(
                  (listed, failure) -> {
                    WeftException why = failure == null ? null : WeftException.of(failure);
                    if (why == null) {
                      heard.add(osd);
                    }
                    return refusal(osd, why, isStart)
                        .map(CompletableFuture::<Void>failedFuture)
                        .orElseGet(() -> CompletableFuture.completedFuture(null));
                  },
                  home)
              .thenCompose(answer -> answer)
              .toCompletableFuture());
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenCompose(
            nothing -> {
              try {
                requireFew(heard, "do not reply");
                return CompletableFuture.<Void>completedFuture(null);
              } catch (WeftException e) {
                return CompletableFuture.<Void>failedFuture(e);
              }
            });
  }

  private static Optional<WeftException> refusal(OsdId osd, WeftException why, boolean isStart) {
    if (why == null || why.code() == ErrorCode.CAPABILITY_INVALID && !isStart) {
      return Optional.empty();
    }
    return switch (why.code()) {
      case FENCED -> Optional.of(why);
      case CAPABILITY_INVALID ->
          Optional.of(
              new WeftException(
                  ErrorCode.UNSUPPORTED,
                  "osd-%s refuses the read-only capability of the check; its release is older than that: upgrade it, or let a manager serve the volume and check it then (%s)"
                      .formatted(osd, why.getMessage()),
                  why));
      default -> Optional.empty();
    };
  }

  /** Looks at nothing any more. */
  public void close() {
    closed = true;
    checks.close();
    service.whenEnded(why -> {});
    service.end("the check has ended");
  }

  private Now now() {
    return new Now(environment.clock().nowMillis(), environment.ticker().nowNanos());
  }
}
