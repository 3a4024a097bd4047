package org.weft.cli.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.weft.metadata.ManagerDaemon;
import org.weft.metadata.backup.WarmCounts;
import org.weft.metadata.backup.WarmDoubt;
import org.weft.osd.OsdDaemon;
import org.weft.osd.command.turn.BackgroundFigures;
import org.weft.osd.scrub.ScrubFigures;
import org.weft.osd.store.StoreStatus;
import org.weft.protocol.wire.BackupState;
import org.weft.protocol.wire.VolumeHealth;

/**
 * The figures of the daemons in this process, asked for when they are read. A daemon that does not
 * run now has none.
 */
public final class DaemonMeters {
  private final MeterRegistry registry;

  public DaemonMeters(ProcessMeters meters) {
    this.registry = meters.registry();
  }

  /**
   * An OSD.
   *
   * @param name tells several in one process apart, as "osd-3"
   * @param running the daemon, while there is one
   */
  public void osd(String name, Supplier<Optional<OsdDaemon>> running) {
    Supplier<Optional<StoreStatus>> status =
        () -> running.get().map(daemon -> daemon.store().status());
    osd(name, "capacity.bytes", "Space for blocks", status, StoreStatus::capacityBytes);
    osd(name, "used.bytes", "Space in use", status, StoreStatus::usedBytes);
    osd(name, "free.bytes", "Free space, the reserve included", status, StoreStatus::freeBytes);
    osd(name, "reserve.bytes", "Space kept back from clients", status, StoreStatus::reserveBytes);
    osd(name, "objects", "Objects", status, StoreStatus::objects);
    osd(
        name,
        "checkpoint.durable",
        "Number of the last durable checkpoint",
        status,
        StoreStatus::durableCheckpoint);
    osd(
        name,
        "checkpoint.pending",
        "Number of the checkpoint that covers the next commit",
        status,
        StoreStatus::pendingCheckpoint);
    osdGauge(
        name,
        "problems",
        "What the OSD finds wrong with itself",
        () -> running.get().map(daemon -> (double) daemon.problems().size()));
    scrubber(name, () -> running.get().map(OsdDaemon::scrubbed));
    background(name, () -> running.get().map(OsdDaemon::background));
  }

  private void scrubber(String name, Supplier<Optional<ScrubFigures>> figures) {
    counter(name, "scrub.bytes", "Read by the scrubber", figures, ScrubFigures::bytes);
    counter(
        name, "scrub.errors", "Bad blocks that the scrubber found", figures, ScrubFigures::errors);
    osdGauge(
        name,
        "scrub.bad.blocks",
        "Bad blocks that are bad still",
        () -> figures.get().map(now -> (double) now.badBlocks()));
    osdGauge(
        name,
        "scrub.full.pass.seconds",
        "When everything had been read once, in seconds since 1970",
        () ->
            figures
                .get()
                .map(ScrubFigures::fullPassMillis)
                .filter(OptionalLong::isPresent)
                .map(millis -> millis.getAsLong() / 1_000.0));
  }

  private void background(String name, Supplier<Optional<BackgroundFigures>> figures) {
    osdGauge(
        name,
        "background.waiting",
        "Requests of managers that copy or compare files, which wait for clients",
        () -> figures.get().map(now -> (double) now.waiting()));
    counter(
        name,
        "background.waited",
        "Such requests that have waited",
        figures,
        BackgroundFigures::waited);
    counter(
        name,
        "background.waited.seconds",
        "How long such requests have waited, together",
        figures,
        now -> now.waitedNanos() / 1e9);
  }

  private <T> void counter(
      String name,
      String figure,
      String description,
      Supplier<Optional<T>> figures,
      ToDoubleFunction<T> value) {
    // A counter does not keep what it counts from being collected; the registry stays.
    FunctionCounter.builder(
            "weft.osd." + figure,
            registry,
            kept -> figures.get().map(now -> value.applyAsDouble(now)).orElse(0.0))
        .description(description)
        .tag("osd", name)
        .register(registry);
  }

  private void osd(
      String name,
      String figure,
      String description,
      Supplier<Optional<StoreStatus>> status,
      ToDoubleFunction<StoreStatus> value) {
    osdGauge(name, figure, description, () -> status.get().map(value::applyAsDouble));
  }

  private void osdGauge(
      String name, String figure, String description, Supplier<Optional<Double>> value) {
    Gauge.builder("weft.osd." + figure, () -> value.get().orElse(Double.NaN))
        .description(description)
        .tag("osd", name)
        .register(registry);
  }

  /** Managers of this process: the sums over their volumes. */
  public void managers(Supplier<List<ManagerDaemon>> running) {
    manager("volumes", "Volumes it was given", running, health -> 1);
    manager("sessions", "Sessions of clients", running, VolumeHealth::getSessions);
    manager("write.grants", "Files being written", running, VolumeHealth::getWriteGrants);
    manager("files", "Files and directories", running, VolumeHealth::getFiles);
    manager("journal.records", "Records not yet on OSDs", running, VolumeHealth::getJournalRecords);
    manager("journal.bytes", "Bytes of the journal", running, VolumeHealth::getJournalBytes);
    manager(
        "lagging.copies",
        "Metadata copies that wait for their OSD",
        running,
        VolumeHealth::getLaggingCopies);
    manager(
        "unresolved.files",
        "Files that wait for their recovery",
        running,
        VolumeHealth::getUnresolvedFiles);
    manager(
        "volumes.without.backup",
        "Volumes whose journal is on this manager alone",
        running,
        health -> health.getBackupState() == BackupState.BACKUP_IN_STEP ? 0 : 1);
    warm(running);
    repairs(running);
  }

  private void warm(Supplier<List<ManagerDaemon>> running) {
    backup("copies", "Journals of other managers' volumes here", running, WarmCounts::copies);
    backup("warm", "Of these, those with a warm live state", running, WarmCounts::warm);
    backup("behind", "Records not applied to warm states yet", running, WarmCounts::behind);
    backup(
        "redo.records",
        "Records that promotions would lay over what OSDs hold",
        running,
        WarmCounts::redoRecords);
    backup("taken.warm", "Promotions with a warm state", running, WarmCounts::takenWarm);
    backup("taken.cold", "Promotions that read the journal", running, WarmCounts::takenCold);
    for (WarmDoubt doubt : WarmDoubt.values()) {
      Gauge.builder(
              "weft.manager.backup.thrown.away",
              () -> backups(running.get(), counts -> counts.thrownAway().get(doubt)))
          .description("Warm states that were thrown away")
          .tag("reason", doubt.label())
          .register(registry);
    }
  }

  private void backup(
      String figure,
      String description,
      Supplier<List<ManagerDaemon>> running,
      ToDoubleFunction<WarmCounts> value) {
    Gauge.builder("weft.manager.backup." + figure, () -> backups(running.get(), value))
        .description(description)
        .register(registry);
  }

  private static double backups(List<ManagerDaemon> running, ToDoubleFunction<WarmCounts> value) {
    return running.isEmpty()
        ? Double.NaN
        : running.stream().map(ManagerDaemon::warmCounts).mapToDouble(value).sum();
  }

  private void repairs(Supplier<List<ManagerDaemon>> running) {
    manager(
        "repair.files.left",
        "Files with something to rebuild",
        running,
        health -> health.getRepair().getFilesToDo());
    manager(
        "repair.bytes.left",
        "Bytes to rebuild, as far as known",
        running,
        health -> health.getRepair().getBytesToDo());
    manager(
        "repair.files.endangered",
        "Files to rebuild that have lost as many components as they have parity units",
        running,
        health -> health.getRepair().getEndangered());
    manager(
        "repair.files.waiting",
        "Files to rebuild that have to come to rest first",
        running,
        health -> health.getRepair().getWaiting());
    manager(
        "repair.files.failed",
        "Files that could not be rebuilt when it was tried last",
        running,
        health -> health.getRepair().getFailed());
    manager(
        "repair.files.without.spare",
        "Of these: files that no OSD is left for",
        running,
        health -> health.getRepair().getWithoutSpare());
    manager(
        "repair.managers",
        "Managers that copy for the volumes now, this one included",
        running,
        health -> health.getRepair().getManagers());
    manager(
        "repair.files.lost",
        "Files that have lost more components than they have parity units",
        running,
        health -> health.getRepair().getBeyond());
    manager(
        "damage.blocks.found",
        "Damaged blocks that OSDs told of since the manager serves the volumes",
        running,
        health -> health.getDamage().getBlocksFound());
    manager(
        "damage.blocks.repaired",
        "Damaged blocks that were written anew since then",
        running,
        health -> health.getDamage().getBlocksRepaired());
    manager(
        "damage.blocks.waiting",
        "Damaged blocks that are to be written anew",
        running,
        health -> health.getDamage().getBlocksWaiting());
    manager(
        "damage.blocks.hopeless",
        "Damaged blocks that cannot be written anew",
        running,
        health -> health.getDamage().getBlocksHopeless());
    manager(
        "parity.contradicted.files",
        "Files whose parity and data contradict each other",
        running,
        health -> health.getParityScrub().getContradicted());
    manager(
        "parity.scrub.passes",
        "Full passes of the scrub of parity",
        running,
        health -> health.getParityScrub().getPasses());
    manager(
        "parity.scrub.bytes",
        "Read by this pass of the scrub of parity",
        running,
        health -> health.getParityScrub().getBytes());
    manager(
        "parity.scrub.left",
        "Files that the last full pass of the scrub of parity could not compare",
        running,
        health -> health.getParityScrub().getLastLeft());
    manager(
        "balance.components.moved",
        "Components that this round of a balance has moved",
        running,
        health -> health.getBalance().getComponentsMoved());
    manager(
        "balance.bytes.moved",
        "Bytes that this round of a balance has moved",
        running,
        health -> health.getBalance().getBytesMoved());
    manager(
        "balance.components.skipped",
        "Components that this round of a balance has passed over",
        running,
        health -> health.getBalance().getComponentsSkipped());
  }

  private void manager(
      String figure,
      String description,
      Supplier<List<ManagerDaemon>> running,
      ToDoubleFunction<VolumeHealth> value) {
    Gauge.builder("weft.manager." + figure, () -> sum(running.get(), value))
        .description(description)
        .register(registry);
  }

  private static double sum(List<ManagerDaemon> running, ToDoubleFunction<VolumeHealth> value) {
    return running.isEmpty()
        ? Double.NaN
        : running.stream().flatMap(daemon -> daemon.health().stream()).mapToDouble(value).sum();
  }
}
