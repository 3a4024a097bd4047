package org.weft.bench.rebuild.model;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.metadata.placement.OsdPool;
import org.weft.metadata.repair.RepairOptions;
import org.weft.metadata.repair.VolumeRepairs;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.recovery.rebuild.ComponentRebuild;

/** One rebuild on paper, from the moment at which OSDs are called lost for good. */
final class ModelRun {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final ModelSettings settings;
  private final EventQueue events = new EventQueue();
  private final List<RebuiltComponent> rebuilt = new ArrayList<>();

  private ModelRun(ModelSettings settings) {
    this.settings = settings;
  }

  /**
   * Loses OSDs, no two of them on one host, which count as lost at the same time.
   *
   * @param count as many as the parity bears, at most
   * @throws WeftException if the files cannot be placed
   * @throws IllegalStateException if not all can be rebuilt: there is no spare
   */
  static ModelOutcome of(ModelSettings settings, int count) throws WeftException {
    if (count < 1 || count > settings.parityUnits()) {
      throw new IllegalArgumentException(
          "files with %d parity units bear the loss of as many OSDs, not of %d"
              .formatted(settings.parityUnits(), count));
    }
    Set<OsdId> lost = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      lost.add(new OsdId(1 + settings.osds() / count * i));
    }
    PlacedFiles files = new PlacedFiles(settings, new SplittableRandom(settings.seed()));
    List<StorageMap> maps = new ArrayList<>();
    Set<OsdId> before = new HashSet<>();
    for (OsdId osd : lost) {
      maps.addAll(files.on(osd, before));
      before.add(osd);
    }
    return new ModelRun(settings).rebuild(lost, maps);
  }

  /** The same of files that were placed by hand. */
  static ModelOutcome of(ModelSettings settings, Set<OsdId> lost, List<StorageMap> maps) {
    return new ModelRun(settings).rebuild(lost, maps);
  }

  private ModelOutcome rebuild(Set<OsdId> lost, List<StorageMap> maps) {
    ModelledDisks disks = new ModelledDisks(settings.osds(), settings.diskBytesPerSecond());
    OsdPool pool = PlacedFiles.pool(settings, lost);
    SplittableRandom random = new SplittableRandom(settings.seed() + 1);
    List<ModelledVolume> volumes = new ArrayList<>();
    for (int i = 0; i < settings.volumes(); i++) {
      volumes.add(
          new ModelledVolume(events, disks, settings, pool, random.split(), lost, rebuilt::add));
    }
    long components = 0;
    for (StorageMap map : maps) {
      ModelledVolume volume = volumes.get(random.nextInt(volumes.size()));
      volume.add(map);
      components +=
          map.presentOn(lost).stream()
              .filter(each -> ComponentRebuild.exists(map.layout(), settings.fileBytes(), each))
              .count();
    }
    RepairOptions options =
        new RepairOptions(0, settings.filesAtOnce()).withShare(settings.sharePercent());
    for (ModelledVolume volume : volumes) {
      look(new VolumeRepairs(volume, options, events::nowNanos, events));
    }
    long all = components;
    if (!events.runUntil(() -> rebuilt.size() >= all)) {
      throw new AssertionError("nothing happens any more");
    }
    return new ModelOutcome(
        maps.get(0).layout().width(),
        lost,
        disks.begunNanos().orElseThrow(),
        rebuilt,
        disks.readBytes(),
        disks.writtenBytes());
  }

  /** As a manager does, again and again: what cannot be rebuilt would be tried for ever. */
  private void look(VolumeRepairs repairs) {
    repairs.look();
    if (repairs.progress().failed() + repairs.progress().beyond() > 0) {
      throw new IllegalStateException(
          "not everything can be rebuilt: " + repairs.progress().words());
    }
    events.at(events.nowNanos() + LOOK_NANOS, () -> look(repairs));
  }
}
