package org.weft.metadata;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.backup.BackupCopies;
import org.weft.metadata.backup.WarmVolume;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.serving.VolumeHost;
import org.weft.metadata.serving.sysmgr.SysmgrReports;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.AcquireVolumesRequest;
import org.weft.protocol.wire.AcquiredVolume;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.HandOverRequest;
import org.weft.protocol.wire.ReadmitOsdRequest;
import org.weft.protocol.wire.SetBackupRequest;
import org.weft.protocol.wire.VolumeFormattedRequest;
import org.weft.protocol.wire.VolumeRecoveredRequest;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.VolumeState;
import org.weft.protocol.wire.VolumeStepRequest;

/**
 * Opens and closes the volumes of a manager as their rows in the cluster's table come and go. A new
 * volume is acquired and gets a host. The host of a volume that has gone is closed and its journal
 * deleted. Memory for caches is shared among them.
 *
 * <p>Confined to the daemon's home executor, unless said otherwise.
 */
final class VolumeKeeper implements SysmgrReports {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeKeeper.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** Makes hosts for volumes. */
  @FunctionalInterface
  interface HostMaker {
    /**
     * @param warm what is in memory of the volume, which the host closes; empty: its journal is to
     *     be read
     */
    VolumeHost make(VolumeAssignment assignment, Optional<WarmVolume> warm);
  }

  private final Environment environment;
  private final OwnedExecutor home;
  private final VolumeEnds ends;
  private final SysmgrCalls sysmgr;
  private final DataDirectory directory;
  private final BackupCopies copies;
  private final Map<Long, VolumeHost> hosts;
  private final Supplier<ManagerIdentity> identity;
  private final int minOsds;
  private final CacheLimits cache;
  private final long nonce;
  private final Consumer<WeftException> replaced;
  private final Set<Long> acquiring = new TreeSet<>();
  private final Set<Long> seen = new TreeSet<>();

  /** About to be served, once their copies are closed. */
  private final Set<Long> opening = new TreeSet<>();

  /** Not served any more, and not closed yet. */
  private final Set<Long> ending = new TreeSet<>();

  /** Volumes whose backup this manager is. */
  private final Set<Long> backed = new TreeSet<>();

  /** The volumes among these whose rows say so now. */
  private final Set<Long> named = new TreeSet<>();

  private HostMaker maker;
  private ClusterTable table = ClusterTable.getDefaultInstance();
  private boolean closed;

  /**
   * @param copies of other managers' journals; one is closed before its volume is served here
   * @param hosts gets a host for each volume; read by other threads
   * @param cache of all volumes together
   * @param nonce of this start of the manager
   * @param replaced is called if SysMgr says that another process of this manager has started since
   */
  VolumeKeeper(
      Environment environment,
      OwnedExecutor home,
      SysmgrCalls sysmgr,
      DataDirectory directory,
      BackupCopies copies,
      Map<Long, VolumeHost> hosts,
      Supplier<ManagerIdentity> identity,
      int minOsds,
      CacheLimits cache,
      long nonce,
      Consumer<WeftException> replaced) {
    this.environment = environment;
    this.home = home;
    this.ends = new VolumeEnds(environment.scheduler(), home);
    this.sysmgr = sysmgr;
    this.directory = directory;
    this.copies = copies;
    this.hosts = hosts;
    this.identity = identity;
    this.minOsds = minOsds;
    this.cache = cache;
    this.nonce = nonce;
    this.replaced = replaced;
  }

  /**
   * The manager has started and was given these volumes.
   *
   * @param newest the table known now
   * @param hostMaker makes hosts for volumes
   */
  void begin(AcquireVolumesReply given, ClusterTable newest, HostMaker hostMaker) {
    maker = hostMaker;
    given.getVolumesList().forEach(this::host);
    try {
      directory.deleteForgotten(volumesOf(newest).keySet());
    } catch (IOException e) {
      LOG.warn("the journals of volumes that are gone could not be deleted", e);
    }
    tableChanged(newest);
  }

  /** The table says so from now on. */
  void tableChanged(ClusterTable newest) {
    table = newest;
    if (maker == null || closed) {
      return;
    }
    Map<Long, VolumeRow> rows = volumesOf(newest);
    for (VolumeRow row : rows.values()) {
      long id = row.getVolumeId();
      deposeIfOlder(row);
      boolean mine = row.getManagerId() == identity.get().managerId();
      if (hosts.containsKey(id)) {
        seen.add(id);
        forgetSoon(row);
      } else if (mine && !ending.contains(id) && !opening.contains(id) && acquiring.add(id)) {
        seen.add(id);
        acquire(id);
      }
      if (row.getBackupId() == identity.get().managerId()) {
        backed.add(id);
        named.add(id);
        copies.named(id);
      } else if (named.remove(id) && !mine) {
        copies.unnamed(id);
      }
    }
    for (Long id : List.copyOf(backed)) {
      if (!rows.containsKey(id)) {
        backed.remove(id);
        named.remove(id);
        var unused = copies.forget(id);
      }
    }
    for (Long id : List.copyOf(seen)) {
      if (!rows.containsKey(id)) {
        end(id);
      }
    }
  }

  /** Another epoch has begun: what this process served is over, and its journal is left alone. */
  private void deposeIfOlder(VolumeRow row) {
    long id = row.getVolumeId();
    VolumeHost host = hosts.get(id);
    if (host == null || host.epoch() >= row.getEpoch()) {
      return;
    }
    LOG.info("volume {} is in epoch {} and not served here any more", id, row.getEpoch());
    // First: a question that was brought to the host already gets no answer from an old state.
    host.depose();
    hosts.remove(id);
    seen.remove(id);
    ending.add(id);
    shareCaches();
    closeLeft(id, host);
  }

  /** Once it is closed its volume may be opened here again. */
  private void closeLeft(long volumeId, VolumeHost host) {
    ends.end(
        "volume " + volumeId,
        host::close,
        () -> {
          ending.remove(volumeId);
          tableChanged(table);
        });
  }

  private static Map<Long, VolumeRow> volumesOf(ClusterTable table) {
    return table.getVolumesList().stream()
        .collect(Collectors.toMap(VolumeRow::getVolumeId, row -> row));
  }

  private void acquire(long volumeId) {
    AcquireVolumesRequest request =
        AcquireVolumesRequest.newBuilder()
            .setManagerId(identity.get().managerId())
            .setIncarnation(identity.get().incarnation())
            .setNonce(nonce)
            .setVolumeId(volumeId)
            .build();
    var unused =
        sysmgr
            .acquire(request)
            .whenComplete(
                (reply, failure) -> {
                  if (closed) {
                    return;
                  }
                  if (failure == null) {
                    reply.getVolumesList().forEach(this::host);
                    acquired(volumeId);
                  } else {
                    notAcquired(volumeId, WeftException.of(failure));
                  }
                });
  }

  private void acquired(long volumeId) {
    if (hosts.containsKey(volumeId) || opening.contains(volumeId) || !isMine(volumeId)) {
      acquiring.remove(volumeId);
      tableChanged(table);
    } else {
      LOG.info("volume {} was acquired and cannot be served yet; trying again", volumeId);
      acquireLater(volumeId);
    }
  }

  private boolean isMine(long volumeId) {
    VolumeRow row = volumesOf(table).get(volumeId);
    return row != null && row.getManagerId() == identity.get().managerId();
  }

  private void acquireLater(long volumeId) {
    environment.scheduler().schedule(RETRY_NANOS, home, () -> acquire(volumeId));
  }

  private void notAcquired(long volumeId, WeftException why) {
    if (why.code() == ErrorCode.FENCED) {
      replaced.accept(why);
    } else if (!isMine(volumeId)) {
      acquiring.remove(volumeId);
    } else {
      LOG.info("volume {} not acquired yet: {}", volumeId, why.getMessage());
      acquireLater(volumeId);
    }
  }

  private void host(AcquiredVolume acquired) {
    VolumeAssignment assignment;
    try {
      assignment = VolumeAssignment.of(acquired, minOsds);
    } catch (WeftException e) {
      LOG.error(
          "volume {} cannot be served: {}", acquired.getVolume().getVolumeId(), e.getMessage());
      return;
    }
    long volumeId = assignment.settings().volume().value();
    boolean mine = acquired.getVolume().getManagerId() == identity.get().managerId();
    if (!mine || !mayOpen(volumeId, assignment.epoch())) {
      acquiring.remove(volumeId);
    } else if (!hosts.containsKey(volumeId) && opening.add(volumeId)) {
      var unused =
          copies
              .takeOver(volumeId, assignment.epoch())
              .whenComplete((warm, failure) -> taken(volumeId, assignment, warm, failure));
    }
  }

  /** Any thread. */
  private void taken(
      long volumeId, VolumeAssignment assignment, Optional<WarmVolume> warm, Throwable failure) {
    try {
      home.execute(
          () -> {
            opening.remove(volumeId);
            if (failure == null) {
              openOrLeave(volumeId, assignment, warm);
            } else {
              notFenced(volumeId, WeftException.of(failure));
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("volume {} is not opened: this manager is stopping", volumeId);
      if (failure == null) {
        warm.ifPresent(this::leave);
      }
    } catch (RuntimeException | Error e) {
      LOG.error("volume {} is opened later", volumeId, e);
      environment
          .scheduler()
          .schedule(RETRY_NANOS, Runnable::run, () -> taken(volumeId, assignment, warm, failure));
    }
  }

  private boolean mayOpen(long volumeId, long epoch) {
    VolumeRow row = volumesOf(table).get(volumeId);
    boolean old = row != null && row.getEpoch() > epoch;
    boolean gone = row == null && seen.contains(volumeId);
    return !closed && !old && !gone && !ending.contains(volumeId);
  }

  /** A copy may be written still, by which a journal would be spoilt that is open. */
  private void notFenced(long volumeId, WeftException why) {
    if (!closed) {
      LOG.warn("volume {} is opened later: {}", volumeId, why.getMessage());
      acquiring.add(volumeId);
      acquireLater(volumeId);
    }
  }

  /** No copy of it is written any more. What fails half-way is tried again, by what is on disk. */
  private void openOrLeave(long volumeId, VolumeAssignment assignment, Optional<WarmVolume> warm) {
    acquiring.remove(volumeId);
    if (hosts.containsKey(volumeId) || !mayOpen(volumeId, assignment.epoch())) {
      warm.ifPresent(this::leave);
      tableChanged(table);
      return;
    }
    VolumeHost host;
    try {
      host = maker.make(assignment, warm);
    } catch (RuntimeException | Error e) {
      LOG.error("volume {} was not opened", volumeId, e);
      warm.ifPresent(this::leave);
      notFenced(volumeId, WeftException.of(e));
      return;
    }
    hosts.put(volumeId, host);
    try {
      host.start();
    } catch (RuntimeException | Error e) {
      LOG.error("volume {} has no thread, and is closed and opened again", volumeId, e);
      hosts.remove(volumeId);
      ending.add(volumeId);
      closeLeft(volumeId, host);
      return;
    }
    shareCaches();
    tableChanged(table);
  }

  /** It is another manager's by now: what is on disk stays. */
  private void leave(WarmVolume warm) {
    ends.end("a copy of a journal", warm::close, () -> {});
  }

  private void shareCaches() {
    CacheLimits share = cache.sharedBy(hosts.size());
    try {
      hosts.values().forEach(host -> host.cacheLimits(share));
    } catch (RuntimeException | Error e) {
      LOG.warn("caches are shared later", e);
      environment.scheduler().schedule(RETRY_NANOS, home, this::shareCaches);
    }
  }

  /** From here there is no way back: a restart need not ask whether the journal is still wanted. */
  private void forgetSoon(VolumeRow row) {
    if (row.getState() == VolumeState.EMPTIED) {
      mark(row.getVolumeId());
    }
  }

  private void mark(long volumeId) {
    try {
      directory.markForgotten(new PartitionId(volumeId));
    } catch (IOException e) {
      LOG.warn("the journal of volume {} will have to be deleted by hand", volumeId, e);
    }
  }

  private void end(long volumeId) {
    VolumeHost host = hosts.remove(volumeId);
    if (host == null) {
      // It may be on its way to be opened here, and must not be any more.
      return;
    }
    seen.remove(volumeId);
    LOG.info("volume {} is gone from the cluster; its journal goes too", volumeId);
    mark(volumeId);
    shareCaches();
    ends.end(
        "the journal of volume " + volumeId,
        () -> {
          host.close();
          directory.deleteJournal(new PartitionId(volumeId));
        },
        () -> {});
  }

  @Override
  public CompletableFuture<Void> formatted(VolumeFormattedRequest request) {
    return onHome(
        () ->
            sysmgr.formatted(request.toBuilder().setManagerId(identity.get().managerId()).build()));
  }

  @Override
  public CompletableFuture<Void> recovered(VolumeRecoveredRequest request) {
    return onHome(
        () ->
            sysmgr.recovered(request.toBuilder().setManagerId(identity.get().managerId()).build()));
  }

  @Override
  public CompletableFuture<Void> step(VolumeStepRequest step) {
    return onHome(
        () -> sysmgr.step(step.toBuilder().setManagerId(identity.get().managerId()).build()));
  }

  @Override
  public CompletableFuture<Void> readmit(ReadmitOsdRequest compared) {
    return onHome(
        () ->
            sysmgr.readmit(compared.toBuilder().setManagerId(identity.get().managerId()).build()));
  }

  @Override
  public CompletableFuture<Void> setBackup(SetBackupRequest request) {
    return onHome(() -> sysmgr.setBackup(request));
  }

  @Override
  public CompletableFuture<Void> handOver(HandOverRequest request) {
    return onHome(() -> sysmgr.handOver(request));
  }

  private CompletableFuture<Void> onHome(Supplier<CompletableFuture<?>> call) {
    CompletableFuture<Void> heard = new CompletableFuture<>();
    home.execute(
        () -> {
          var unused =
              call.get()
                  .whenComplete(
                      (reply, failure) -> {
                        if (failure == null) {
                          heard.complete(null);
                        } else {
                          heard.completeExceptionally(WeftException.of(failure));
                        }
                      });
        });
    return heard;
  }

  /** Takes up nothing more. */
  void stop() {
    closed = true;
    ends.stop();
  }

  /** Waits for what is being ended. Any thread but the home executor's. */
  void close() {
    ends.close();
  }
}
