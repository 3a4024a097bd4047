package org.weft.metadata.serving;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.weft.metadata.journal.JournalPlace;
import org.weft.metadata.salvage.NestedVolumes;
import org.weft.metadata.salvage.SalvagedVolume;
import org.weft.metadata.salvage.VolumeSalvage;
import org.weft.metadata.serving.sysmgr.SysmgrReports;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.VolumeRecoveredRequest;

/**
 * The recovery of a volume without a journal, as its host sees it (P 6.8e). It is carried out, then
 * SysMgr is told. Only when SysMgr has noted it the volume may be served. Before that every start
 * begins an empty journal. Confined to the volume's thread, but for {@link #addedTo}.
 */
final class VolumeRecovery {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final VolumeAssignment assignment;
  private final SysmgrReports reports;
  private final Environment environment;
  private final Executor home;
  private final Consumer<String> status;
  private volatile VolumeSalvage salvage;
  private volatile boolean journalLost;

  /**
   * @param status receives what the recovery waits for
   */
  VolumeRecovery(
      VolumeAssignment assignment,
      SysmgrReports reports,
      Environment environment,
      Executor home,
      Consumer<String> status) {
    this.assignment = assignment;
    this.reports = reports;
    this.environment = environment;
    this.home = home;
    this.status = status;
  }

  /**
   * Completes at once for a volume that has its journal.
   *
   * @param table SysMgr's newest one
   */
  CompletableFuture<Void> run(SalvagedVolume volume, Supplier<ClusterTable> table) {
    if (!assignment.recovers()) {
      return CompletableFuture.completedFuture(null);
    }
    VolumeSalvage begun =
        new VolumeSalvage(
            volume,
            assignment.recoveredSince(),
            () -> NestedVolumes.of(table.get(), assignment.settings().volume(), assignment.epoch()),
            environment.ticker()::nowNanos,
            home,
            status);
    salvage = begun;
    CompletableFuture<Void> told = new CompletableFuture<>();
    var unused =
        begun
            .run()
            .whenCompleteAsync(
                (nothing, failure) -> {
                  if (failure == null) {
                    tell(told);
                  } else {
                    told.completeExceptionally(WeftException.of(failure));
                  }
                },
                home);
    return told;
  }

  private void tell(CompletableFuture<Void> told) {
    status.accept("telling SysMgr that the volume is recovered");
    VolumeRecoveredRequest request =
        VolumeRecoveredRequest.newBuilder()
            .setVolumeId(assignment.settings().volume().value())
            .setEpoch(assignment.epoch())
            .build();
    var unused =
        reports
            .recovered(request)
            .whenCompleteAsync(
                (nothing, failure) -> {
                  if (failure == null) {
                    told.complete(null);
                  } else if (WeftException.of(failure).code() == ErrorCode.FENCED) {
                    told.completeExceptionally(WeftException.of(failure));
                  } else {
                    status.accept("waiting for SysMgr: " + WeftException.of(failure).getMessage());
                    environment.scheduler().schedule(RETRY_NANOS, home, () -> tell(told));
                  }
                },
                home);
  }

  /** No part of the journal is here; returns the answer to report. */
  String journalLost(JournalPlace place) {
    journalLost = true;
    return "the volume is formatted, but there is no journal in "
        + place
        + "; bring back the manager's data directory, or, if it is lost on all managers, recover the"
        + " volume from its OSDs (weft volume recover)";
  }

  /** The same with what is to be said of the recovery. Any thread. */
  VolumeHealth addedTo(VolumeHealth health) {
    VolumeHealth.Builder said = health.toBuilder().setJournalLost(journalLost);
    VolumeSalvage begun = salvage;
    if (begun != null) {
      said.setRecovery(begun.progress());
    }
    return said.build();
  }
}
