package org.weft.metadata.serving;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.serving.sysmgr.SysmgrReports;
import org.weft.metadata.volume.execution.MountPoints;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.name.LinkVolume;
import org.weft.metadata.volume.operation.name.UnlinkVolume;
import org.weft.metadata.volume.operation.volume.RequireEmpty;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.VolumeState;
import org.weft.protocol.wire.VolumeStep;
import org.weft.protocol.wire.VolumeStepRequest;

/**
 * What a served volume has to do for the creation and deletion of volumes, as the cluster's table
 * says. It puts and takes away the entries of volumes in its directories, and says whether it is
 * empty itself. Every part is journalled before SysMgr hears of it, and doing it twice changes
 * nothing. After a crash of any process on the way, the task is found in the table and done again.
 *
 * <p>One step of each volume's life is under way at a time. Confined to the volume's thread.
 */
final class VolumeDuties {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeDuties.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final long volumeId;
  private final long epoch;
  private final VolumeService service;
  private final SysmgrReports reports;
  private final Scheduler scheduler;
  private final Executor home;
  // By the id of the volume concerned: duties under way or reported, until the table shows their
  // result.
  private final Map<Long, Duty> duties = new TreeMap<>();
  private ClusterTable table = ClusterTable.getDefaultInstance();
  private boolean closed;

  /** A part of an operation. */
  private static final class Duty {
    private final VolumeRow row;
    private final Operation operation;
    private final VolumeStep done;
    private final VolumeStep refused;
    private boolean told;

    /**
     * @param refused what to say where it cannot be done; null: that cannot happen
     */
    Duty(VolumeRow row, Operation operation, VolumeStep done, VolumeStep refused) {
      this.row = row;
      this.operation = operation;
      this.done = done;
      this.refused = refused;
    }

    boolean isFor(VolumeRow other) {
      return row.getOperation() == other.getOperation() && row.getState() == other.getState();
    }
  }

  VolumeDuties(
      long volumeId,
      long epoch,
      VolumeService service,
      SysmgrReports reports,
      Scheduler scheduler,
      Executor home) {
    this.volumeId = volumeId;
    this.epoch = epoch;
    this.service = service;
    this.reports = reports;
    this.scheduler = scheduler;
    this.home = home;
  }

  /** The volume is served, and this is the newest table. */
  void look(ClusterTable newest) {
    table = newest;
    look();
  }

  private void look() {
    if (closed) {
      return;
    }
    duties.values().removeIf(duty -> duty.told && !isStillSaid(duty));
    Optional<VolumeRow> own =
        table.getVolumesList().stream()
            .filter(row -> row.getVolumeId() == volumeId && row.getEpoch() == epoch)
            .findFirst();
    if (own.isPresent()) {
      for (VolumeRow row : table.getVolumesList()) {
        if (!duties.containsKey(row.getVolumeId())) {
          duty(own.get(), row).ifPresent(this::begin);
        }
      }
    }
  }

  /** The table at hand may be older than the report. That is no reason to do the duty again. */
  private boolean isStillSaid(Duty duty) {
    return table.getVolumesList().stream()
        .anyMatch(row -> row.getVolumeId() == duty.row.getVolumeId() && duty.isFor(row));
  }

  private Optional<Duty> duty(VolumeRow own, VolumeRow row) {
    if (row.getVolumeId() == volumeId) {
      return row.getState() == VolumeState.DELETING
          ? Optional.of(
              new Duty(row, new RequireEmpty(), VolumeStep.VOLUME_EMPTIED, VolumeStep.NOT_EMPTIED))
          : Optional.empty();
    }
    if (row.getParentVolumeId() != volumeId) {
      return Optional.empty();
    }
    Optional<NodePath> path = MountPoints.pathWithin(own, row);
    PartitionId volume = new PartitionId(row.getVolumeId());
    return switch (row.getState()) {
      case FORMATTED ->
          path.map(
              where ->
                  new Duty(
                      row,
                      new LinkVolume(where, volume),
                      VolumeStep.LINKED,
                      VolumeStep.LINK_REFUSED));
      case EMPTIED ->
          path.map(
              where -> new Duty(row, new UnlinkVolume(where, volume), VolumeStep.UNLINKED, null));
      case CREATING, ACTIVE, DELETING, VOLUME_STATE_UNSPECIFIED, UNRECOGNIZED -> Optional.empty();
    };
  }

  private void begin(Duty duty) {
    duties.put(duty.row.getVolumeId(), duty);
    carryOut(duty);
  }

  private void carryOut(Duty duty) {
    var unused =
        service
            .runOwn(duty.operation)
            .whenComplete(
                (lsn, failure) -> {
                  if (failure == null) {
                    tell(duty, step(duty, duty.done).build());
                  } else {
                    refused(duty, WeftException.of(failure));
                  }
                });
  }

  private void refused(Duty duty, WeftException why) {
    if (duty.refused == null || !why.code().isOfNames()) {
      LOG.info("volume {}: {} waits: {}", duty.row.getPath(), duty.done, why.getMessage());
      later(() -> carryOut(duty));
    } else {
      tell(
          duty,
          step(duty, duty.refused)
              .setError(why.code().number())
              .setMessage(String.valueOf(why.getMessage()))
              .build());
    }
  }

  private VolumeStepRequest.Builder step(Duty duty, VolumeStep step) {
    return VolumeStepRequest.newBuilder()
        .setVolumeId(duty.row.getVolumeId())
        .setOperation(duty.row.getOperation())
        .setEpoch(epoch)
        .setStep(step);
  }

  private void tell(Duty duty, VolumeStepRequest step) {
    var unused =
        reports
            .step(step)
            .whenCompleteAsync(
                (heard, failure) -> {
                  if (failure == null || isOver(WeftException.of(failure).code())) {
                    duty.told = true;
                    look();
                  } else {
                    later(() -> tell(duty, step));
                  }
                },
                home);
  }

  /** SysMgr knows better: the operation has ended, or another manager sees to it. */
  private static boolean isOver(ErrorCode code) {
    return code.isSuperseded() || code == ErrorCode.INVALID_ARGUMENT;
  }

  private void later(Runnable task) {
    if (!closed) {
      scheduler.schedule(
          RETRY_NANOS,
          home,
          () -> {
            if (!closed) {
              task.run();
            }
          });
    }
  }

  /** Begins nothing more. */
  void close() {
    closed = true;
  }
}
