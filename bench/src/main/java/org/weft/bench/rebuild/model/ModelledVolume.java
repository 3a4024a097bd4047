package org.weft.bench.rebuild.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.placement.OsdPool;
import org.weft.metadata.placement.Spares;
import org.weft.metadata.repair.OsdsToEmpty;
import org.weft.metadata.repair.Rebuild;
import org.weft.metadata.repair.RebuildNeed;
import org.weft.metadata.repair.RepairedVolume;
import org.weft.metadata.volume.operation.repair.MovedMaps;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.recovery.rebuild.ComponentRebuild;
import org.weft.recovery.rebuild.RebuildOutcome;

/**
 * A volume of files that no client writes, as its repair sees it. The search is one page of one OSD
 * that knows all files; messages and journals take no time; bytes take that of the disks. Not
 * thread-safe.
 */
final class ModelledVolume implements RepairedVolume {
  private final EventQueue events;
  private final ModelledDisks disks;
  private final ModelSettings settings;
  private final OsdPool pool;
  private final RandomGenerator random;
  private final SortedSet<OsdId> lost;
  private final SortedMap<OsdId, Long> cleared = new TreeMap<>();
  private final SortedMap<ObjectId, Attributes> files = new TreeMap<>();
  private final Map<ObjectId, Rebuild> begun = new LinkedHashMap<>();
  private final Consumer<RebuiltComponent> rebuilt;
  private final SortedSet<OsdId> teller;
  private long number;

  /**
   * @param pool in which the lost ones are down
   * @param rebuilt hears of each component that is whole again
   */
  ModelledVolume(
      EventQueue events,
      ModelledDisks disks,
      ModelSettings settings,
      OsdPool pool,
      RandomGenerator random,
      Set<OsdId> lost,
      Consumer<RebuiltComponent> rebuilt) {
    this.events = events;
    this.disks = disks;
    this.settings = settings;
    this.pool = pool;
    this.random = random;
    this.lost = new TreeSet<>(lost);
    this.rebuilt = rebuilt;
    this.teller = new TreeSet<>(Set.of(pool.up().get(0)));
  }

  void add(StorageMap map) {
    ObjectId object = new ObjectId(files.size() + 1);
    files.put(
        object,
        Attributes.create(object, NodeKind.FILE, map).sizeBytes(settings.fileBytes()).build());
  }

  @Override
  public OsdsToEmpty toEmpty() {
    return OsdsToEmpty.lost(lost).without(cleared);
  }

  @Override
  public CompletableFuture<Void> noteCleared(SortedMap<OsdId, Long> osds) {
    cleared.putAll(osds);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public boolean isPaused() {
    return false;
  }

  @Override
  public SortedSet<OsdId> serving() {
    return teller;
  }

  @Override
  public SortedSet<OsdId> expected() {
    return teller;
  }

  @Override
  public SortedSet<OsdId> remaining() {
    return teller;
  }

  @Override
  public OsdsThere there() {
    return new OsdsThere(new TreeMap<>(), lost, lost);
  }

  @Override
  public List<ObjectId> missing(ObjectId after, int max) {
    return List.of();
  }

  @Override
  public int filesAtOnce() {
    int all = settings.filesAtOnce() * settings.managers();
    return Math.max(settings.filesAtOnce(), Math.min(all, pool.up().size()));
  }

  /** No OSD of the model refuses a manager. */
  @Override
  public boolean hasTurn() {
    return true;
  }

  @Override
  public int managers() {
    return settings.managers();
  }

  @Override
  public List<Rebuild> begun() {
    return List.copyOf(begun.values());
  }

  @Override
  public Optional<Rebuild> begun(ObjectId object) {
    return Optional.ofNullable(begun.get(object));
  }

  @Override
  public CompletableFuture<Optional<Attributes>> begin(
      ObjectId object, SortedSet<OsdId> gone, Set<OsdId> avoided) {
    Attributes file = files.get(object);
    RebuildNeed need = RebuildNeed.of(file, OsdsToEmpty.lost(gone));
    if (need.isEmpty()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    Spares spares = new Spares(pool, pledgedBytes(), random);
    if (!need.copies().isEmpty()) {
      // It holds no bytes of a file of this length: its copy of the attributes moves at once.
      int component = need.copies().get(0);
      return target(spares, file, component, avoided)
          .map(osd -> file.edit().map(MovedMaps.component(file.map(), component, osd)).build())
          .map(
              moved -> {
                files.put(object, moved);
                return CompletableFuture.completedFuture(Optional.of(moved));
              })
          .orElseGet(() -> noSpare(file));
    }
    if (need.bytes().isEmpty()) {
      return CompletableFuture.failedFuture(
          new WeftException(ErrorCode.TOO_MANY_LOST, "object " + object + " has lost too much"));
    }
    int component = need.bytes().get(0);
    Optional<OsdId> target = target(spares, file, component, avoided);
    if (target.isEmpty()) {
      return noSpare(file);
    }
    begun.put(
        object,
        new Rebuild(
            object,
            component,
            target.get(),
            new Lsn(++number),
            file.map().generation(),
            false,
            bytes(file, component),
            false,
            false));
    return CompletableFuture.completedFuture(Optional.of(file));
  }

  private Optional<OsdId> target(
      Spares spares, Attributes file, int component, Set<OsdId> avoided) {
    return spares.choose(file.map(), component, bytes(file, component), avoided);
  }

  private static long bytes(Attributes file, int component) {
    return ComponentRebuild.bytesOf(file.map().layout(), file.sizeBytes(), component);
  }

  private static CompletableFuture<Optional<Attributes>> noSpare(Attributes file) {
    return CompletableFuture.failedFuture(
        new WeftException(ErrorCode.NO_SPACE, "no OSD takes anything of " + file.map()));
  }

  private Map<OsdId, Long> pledgedBytes() {
    Map<OsdId, Long> pledged = new TreeMap<>();
    begun.values().forEach(each -> pledged.merge(each.target(), each.bytes(), Long::sum));
    return pledged;
  }

  @Override
  public CompletableFuture<RebuildOutcome> write(
      Rebuild rebuild, Attributes file, SortedSet<OsdId> gone, LongConsumer written) {
    return new ModelledWrite(events, disks, settings, rebuild, file, gone, written).begin();
  }

  @Override
  public CompletableFuture<Void> finish(Rebuild rebuild, RebuildOutcome outcome) {
    Attributes file = files.get(rebuild.object());
    int left = RebuildNeed.redundancyLeft(file.map(), lost);
    files.put(
        rebuild.object(),
        file.edit()
            .map(MovedMaps.component(file.map(), rebuild.component(), rebuild.target()))
            .build());
    begun.remove(rebuild.object());
    rebuilt.accept(
        new RebuiltComponent(
            rebuild.bytes(),
            left,
            partners(file.map(), rebuild.component()),
            rebuild.target(),
            events.nowNanos()));
    return CompletableFuture.completedFuture(null);
  }

  private List<OsdId> partners(StorageMap map, int component) {
    int width = map.layout().width();
    int first = component / width * width;
    List<OsdId> partners = new ArrayList<>();
    for (int each = first; each < first + width; each++) {
      boolean hasBytes =
          ComponentRebuild.exists(map.layout(), settings.fileBytes(), each)
              && !lost.contains(map.osdOf(each));
      if (each != component && hasBytes) {
        partners.add(map.osdOf(each));
      }
    }
    return partners;
  }

  @Override
  public CompletableFuture<Void> abandon(Rebuild rebuild) {
    begun.remove(rebuild.object());
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<Void> flushed() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<Page> list(OsdId osd, ObjectId after, OsdsToEmpty wanted) {
    List<Attributes> found =
        files.tailMap(new ObjectId(after.value() + 1)).values().stream()
            .filter(file -> !RebuildNeed.of(file, wanted).isEmpty())
            .toList();
    ObjectId last = files.isEmpty() ? after : files.lastKey();
    return CompletableFuture.completedFuture(new Page(found, last, false, Optional.empty()));
  }
}
