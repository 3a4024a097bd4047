package org.weft.metadata.serving.care;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.weft.client.osd.OsdClient;
import org.weft.client.stripe.StripeEngine;
import org.weft.metadata.access.VolumeWaits;
import org.weft.metadata.balance.BalanceProgress;
import org.weft.metadata.balance.VolumeBalance;
import org.weft.metadata.check.CheckBoard;
import org.weft.metadata.check.CheckDesk;
import org.weft.metadata.check.Steps;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.metadata.help.VolumeCopies;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.objects.ObjectLoader;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.flush.Flusher;
import org.weft.metadata.readmission.QuarantinedOsd;
import org.weft.metadata.readmission.Readmission;
import org.weft.metadata.readmission.Settling;
import org.weft.metadata.recovery.CutRecovery;
import org.weft.metadata.recovery.GrantRecovery;
import org.weft.metadata.recovery.StripeFileCutter;
import org.weft.metadata.recovery.StripeFileResolver;
import org.weft.metadata.repair.BadFile;
import org.weft.metadata.repair.BlockRepairs;
import org.weft.metadata.repair.DamageProgress;
import org.weft.metadata.repair.LostFiles;
import org.weft.metadata.repair.RepairOptions;
import org.weft.metadata.repair.RepairProgress;
import org.weft.metadata.repair.RepairedVolume;
import org.weft.metadata.repair.VolumeRepairs;
import org.weft.metadata.salvage.SalvagedVolume;
import org.weft.metadata.scrub.ParityScrub;
import org.weft.metadata.scrub.ScrubProgress;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.serving.sysmgr.SysmgrReports;
import org.weft.metadata.serving.sysmgr.TableOsdStates;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.execution.Now;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Environment;

/**
 * Everything by which a volume puts in order what lost writers and OSDs have left. Files are
 * resolved, OSDs that come back are compared, and what is lost for good is rebuilt. On the volume's
 * thread, but for {@link #repairs}.
 */
public final class VolumeCare {
  private static final int MAX_DAMAGED_SAID = 50;

  /** So that a check of one manager is never taken for another's. */
  private static final int CHECKS_OF_EPOCH_BITS = 20;

  private final VolumeMachine machine;
  private final VolumeService service;
  private final Environment environment;
  private final LostWriteSearch losses;
  private final Settling settling;
  private final GrantRecovery recovery;
  private final CutRecovery cuts;
  private final Readmission readmission;
  private final RepairsInVolume repaired;
  private final VolumeRepairs repairs;
  private final BlockRepairs badBlocks;
  private final VolumeBalance balance;
  private final SalvagedVolume salvaged;
  private final CheckBoard checks;
  private final ParityScrub scrub;
  private final TableOsdStates states;
  private volatile DamageProgress damage = DamageProgress.NONE;
  private volatile RepairProgress progress = RepairProgress.NONE;
  private volatile BalanceProgress balanced = BalanceProgress.NONE;
  private volatile ScrubProgress scrubbed = ScrubProgress.NONE;
  private Cluster cluster;

  /** What of the cluster decides whether something can be done now that could not be before. */
  private record Cluster(
      RepairedVolume.OsdsThere there,
      List<QuarantinedOsd> quarantined,
      List<QuarantinedOsd> lossy) {}

  /** What of a served volume it works with. */
  public record Parts(
      Environment environment,
      VolumeAssignment assignment,
      VolumeMachine machine,
      VolumeService service,
      MetadataCache cache,
      TableOsdStates states,
      Flusher flusher,
      ObjectLoader loader,
      OsdPort port,
      OsdClient osds,
      ManagerCapability capability,
      CapabilityMint mint,
      StripeEngine stripes,
      SysmgrReports reports,
      VolumeWaits waits) {}

  /**
   * @param parts calls of OSDs complete on the volume's thread
   * @param home that thread
   * @param shared with the other volumes of the manager
   */
  public VolumeCare(Parts parts, Executor home, CareOptions care, SharedCare shared) {
    RepairOptions options = care.repair();
    PartitionId volume = parts.assignment().settings().volume();
    this.machine = parts.machine();
    this.service = parts.service();
    this.environment = parts.environment();
    this.states = parts.states();
    this.losses =
        new LostWriteSearch(
            machine,
            service,
            parts.states(),
            parts.port(),
            environment.ticker(),
            home,
            parts.waits());
    this.settling = new Settling(machine.unsettled(), parts.port(), parts.states(), this::settled);
    this.recovery =
        new GrantRecovery(
            new VolumeAbandonedFiles(
                machine, service, parts.mint(), losses, parts.states(), parts.port()),
            parts.osds(),
            parts.assignment().settings().metaCopies(),
            new StripeFileResolver(parts.stripes(), volume),
            home,
            parts.waits());
    this.cuts =
        new CutRecovery(
            new CutsInVolume(machine, service, losses, parts.states()),
            new StripeFileCutter(
                parts.stripes(), volume, parts.mint(), parts.assignment().settings().metaCopies()),
            home);
    this.readmission =
        new Readmission(
            new VolumeComparison(
                parts.assignment(), parts.states(), parts.cache(), parts.reports(), losses),
            environment,
            home);
    // Clients wait for resolves and truncations, but not for the following.
    StripeEngine background = parts.stripes().background();
    CaredVolume ofRepairs =
        new CaredVolume(
            volume,
            machine,
            service,
            parts.cache(),
            parts.states(),
            parts.flusher(),
            parts.port(),
            parts.osds(),
            parts.capability(),
            parts.mint(),
            background,
            environment.ticker());
    this.repaired =
        new RepairsInVolume(
            ofRepairs,
            options,
            shared.leftFiles().open(),
            new VolumeCopies(
                new VolumeCopies.Terms(
                    volume, parts.assignment().epoch(), options.filesAtOnce(), parts.mint()),
                background,
                shared.workers(),
                shared.copying(),
                environment,
                home));
    this.badBlocks =
        new BlockRepairs(
            new BadBlocksInVolume(ofRepairs, options, home),
            options,
            environment.ticker()::nowNanos,
            home);
    CheckInVolume checked = new CheckInVolume(ofRepairs, parts.loader(), home);
    this.salvaged =
        new SalvageInVolume(
            checked,
            service,
            parts.osds(),
            parts.capability(),
            parts.assignment().epoch(),
            environment.scheduler(),
            home);
    this.checks =
        new CheckBoard(
            checked,
            parts.assignment().epoch() << CHECKS_OF_EPOCH_BITS,
            environment.ticker()::nowNanos,
            home);
    this.scrub =
        new ParityScrub(
            checked,
            new ScrubInVolume(machine, service),
            care.scrub(),
            shared.scrubs(),
            environment.ticker()::nowNanos,
            environment.clock()::nowMillis,
            new Steps(home));
    this.repairs = new VolumeRepairs(repaired, options, environment.ticker()::nowNanos, home);
    this.balance =
        new VolumeBalance(
            new BalanceInVolume(ofRepairs, repaired, parts.assignment().settings().metaCopies()),
            (options.filesAtOnce() + 1) / 2,
            environment.ticker()::nowNanos,
            home);
  }

  private void settled(List<Lsn> numbers) {
    service.journal(numbers.stream().<LiveEffect>map(LiveEffect.GrantSettled::new).toList());
  }

  /** As {@link Readmission#start}. */
  public CompletableFuture<Void> readmit() {
    return readmission.start();
  }

  /** There is a newer table. */
  public void tableChanged() {
    losses.tableChanged();
    Cluster now = new Cluster(repaired.there(), states.quarantined(), states.lossy());
    // Every few seconds a table tells of space alone.
    if (!now.equals(cluster)) {
      cluster = now;
      recovery.clusterChanged(environment.ticker().nowNanos());
      cuts.clusterChanged(environment.ticker().nowNanos());
      badBlocks.clusterChanged();
    }
    repaired.tableChanged();
    repairs.clusterChanged();
  }

  /** To be called now and then, while the volume is served. */
  public void look() {
    cuts.look(environment.ticker().nowNanos());
    recovery.look(environment.ticker().nowNanos());
    settling.look(environment.ticker().nowNanos());
    repairs.look();
    progress = repairs.progress();
    balance.look();
    balanced = balance.progress();
    badBlocks.look();
    damage = badBlocks.progress();
    checks.look();
    scrub.look();
    scrubbed = scrub.progress();
  }

  /** The volume as its recovery from OSDs sees it. */
  public SalvagedVolume salvaged() {
    return salvaged;
  }

  /** Checks of the volume that are asked for. */
  public CheckDesk checks() {
    return checks;
  }

  /** Files that have lost more than their code bears, as far as they have been found. */
  public LostFiles lostFiles() {
    return repairs.lostFiles();
  }

  /** How far what is lost for good has been rebuilt; any thread. */
  public RepairProgress repairs() {
    return progress;
  }

  /** How far a round of the balance is; any thread. */
  public BalanceProgress balance() {
    return balanced;
  }

  /** Files with bad blocks that cannot be written anew, as far as that is known. */
  public SortedMap<ObjectId, BadFile> damagedFiles() {
    return badBlocks.damagedFiles();
  }

  /** What became of bad blocks of OSDs; any thread. */
  public DamageProgress damage() {
    return damage;
  }

  /** How far the scrub of parity is; any thread. */
  public ScrubProgress scrubbed() {
    return scrubbed;
  }

  /** Sentences on what the volume waits for, and what is lost. */
  public List<String> problems(Now now) {
    List<String> all = new ArrayList<>(machine.reportedFailures(now));
    recovery
        .problem()
        .ifPresent(
            what ->
                all.add(
                    "files of writers that went away or lost an OSD wait to be resolved: " + what));
    cuts.problem()
        .ifPresent(what -> all.add("files wait for their truncation to be finished: " + what));
    all.addAll(readmission.problems());
    all.addAll(losses.warnings());
    all.addAll(recovery.warnings());
    all.addAll(progress.words());
    all.addAll(damage.words());
    all.addAll(scrubbed.words());
    all.addAll(repaired.decisions());
    all.addAll(machine.damage(MAX_DAMAGED_SAID));
    return all;
  }

  /** Begins nothing any more. */
  public void close() {
    readmission.close();
    repairs.close();
    balance.close();
    badBlocks.close();
    checks.close();
    scrub.close();
    repaired.close();
  }
}
