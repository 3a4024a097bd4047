package org.weft.metadata.serving.care;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.weft.client.osd.OsdClient;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.metadata.help.ComponentCopy;
import org.weft.metadata.help.VolumeCopies;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.flush.Flusher;
import org.weft.metadata.repair.LeftFiles;
import org.weft.metadata.repair.LostOsds;
import org.weft.metadata.repair.OsdsToEmpty;
import org.weft.metadata.repair.Rebuild;
import org.weft.metadata.repair.RebuildNeed;
import org.weft.metadata.repair.RepairOptions;
import org.weft.metadata.repair.RepairedVolume;
import org.weft.metadata.serving.request.Passing;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.serving.sysmgr.TableOsdStates;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.operation.repair.AbandonRebuild;
import org.weft.metadata.volume.operation.repair.BeginRebuild;
import org.weft.metadata.volume.operation.repair.FinishRebuild;
import org.weft.metadata.volume.operation.repair.MovedMaps;
import org.weft.metadata.volume.operation.repair.NoteCleared;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.ListReply;
import org.weft.protocol.wire.ListRequest;
import org.weft.recovery.rebuild.RebuildOutcome;

/** A served volume as the repair of what lost OSDs held sees it. On the volume's thread. */
final class RepairsInVolume implements RepairedVolume {
  private static final int LIST_TIMEOUT_MILLIS = 10_000;
  private static final int OBJECTS_OF_PAGE = 8 * OsdPort.MAX_AT_ONCE;

  private final PartitionId partition;
  private final VolumeMachine machine;
  private final VolumeService service;
  private final MetadataCache cache;
  private final TableOsdStates states;
  private final Flusher flusher;
  private final OsdPort port;
  private final OsdClient osds;
  private final ManagerCapability capability;
  private final CapabilityMint mint;
  private final VolumeCopies copies;
  private final RepairOptions options;
  private final LeftFiles.Share left;
  private final LostOsds losses;
  private final Ticker ticker;

  /**
   * @param parts OSDs are called so that calls complete on the volume's thread
   * @param left files that are remembered
   * @param copies has components copied, here or by other managers
   */
  RepairsInVolume(
      CaredVolume parts, RepairOptions options, LeftFiles.Share left, VolumeCopies copies) {
    this.copies = copies;
    this.partition = parts.partition();
    this.machine = parts.machine();
    this.service = parts.service();
    this.cache = parts.cache();
    this.states = parts.states();
    this.flusher = parts.flusher();
    this.port = parts.port();
    this.osds = parts.osds();
    this.capability = parts.capability();
    this.mint = parts.mint();
    this.ticker = parts.ticker();
    this.options = options;
    this.left = left;
    this.losses = new LostOsds(options.afterMillis());
    tableChanged();
  }

  /** There is a newer table. */
  void tableChanged() {
    losses.tableChanged(states.downSince(), states.removed(), ticker.nowNanos());
  }

  @Override
  public OsdsToEmpty toEmpty() {
    SortedSet<OsdId> lost = lost();
    return new OsdsToEmpty(lost, new TreeSet<>(states.draining()), states.out(), leftToPeople(lost))
        .without(machine.clearedOsds());
  }

  private SortedSet<OsdId> lost() {
    return new TreeSet<>(losses.at(ticker.nowNanos()));
  }

  /** Where no more may be remembered: those that may come back, and would have to remove it. */
  private SortedSet<OsdId> leftToPeople(SortedSet<OsdId> lost) {
    long remembered = 0;
    for (OsdId osd : states.osds()) {
      remembered += cache.rebuiltFrom(osd);
    }
    SortedSet<OsdId> some = new TreeSet<>();
    if (!left.holds(remembered)) {
      some.addAll(lost);
      some.removeAll(states.removed());
    }
    return some;
  }

  /** The volume is not served any more. */
  void close() {
    copies.close();
    left.close();
  }

  /** Sentences on OSDs that are lost or drained, and about which people have to decide. */
  List<String> decisions() {
    List<String> words = new ArrayList<>();
    if (options.filesAtOnce() == 0) {
      for (OsdId osd : states.draining()) {
        words.add(
            "osd-%s waits to be drained, but nothing is copied from it: repair.files-at-once is 0; set it to more on all managers and start them again, or use the OSD as before (weft osd drain --undo osd-%s)"
                .formatted(osd, osd));
      }
      return words;
    }
    for (OsdId osd : leftToPeople(lost())) {
      words.add(
          "%d files of this volume were rebuilt while osd-%s was down, and no more are: the manager can remember no more files for OSDs that may come back; remove it (weft osd remove osd-%s), or start it"
              .formatted(cache.rebuiltFrom(osd), osd, osd));
    }
    return words;
  }

  @Override
  public CompletableFuture<Void> noteCleared(SortedMap<OsdId, Long> cleared) {
    SortedMap<OsdId, Long> out = states.out();
    out.entrySet().retainAll(cleared.entrySet());
    return out.isEmpty() && !hasSomethingToForget()
        ? CompletableFuture.completedFuture(null)
        : service.runOwn(new NoteCleared(out)).thenAccept(lsn -> {});
  }

  private boolean hasSomethingToForget() {
    boolean removals = states.removed().stream().anyMatch(osd -> cache.waitingRemovals(osd) > 0);
    return removals || !states.out().entrySet().containsAll(machine.clearedOsds().entrySet());
  }

  @Override
  public boolean isPaused() {
    return states.repairsPaused();
  }

  @Override
  public SortedSet<OsdId> serving() {
    return new TreeSet<>(states.servingManagers());
  }

  @Override
  public SortedSet<OsdId> expected() {
    SortedSet<OsdId> expected = new TreeSet<>(states.osds());
    expected.removeAll(lost());
    return expected;
  }

  @Override
  public SortedSet<OsdId> remaining() {
    return new TreeSet<>(states.osds());
  }

  @Override
  public OsdsThere there() {
    SortedMap<OsdId, Long> up = new TreeMap<>();
    for (OsdId osd : states.osds()) {
      states.wholeIncarnation(osd).ifPresent(incarnation -> up.put(osd, incarnation));
    }
    return new OsdsThere(up, new TreeSet<>(states.down()), new TreeSet<>(states.removed()));
  }

  @Override
  public List<ObjectId> missing(ObjectId after, int max) {
    return machine.repairs().objects(after, max);
  }

  @Override
  public int filesAtOnce() {
    return copies.atOnce(there().up().size());
  }

  @Override
  public boolean hasTurn() {
    return copies.hasTurn();
  }

  @Override
  public int managers() {
    return copies.managers();
  }

  @Override
  public List<Rebuild> begun() {
    return machine.rebuilds().all().stream().filter(RepairsInVolume::isRepair).toList();
  }

  @Override
  public Optional<Rebuild> begun(ObjectId object) {
    return machine.rebuilds().find(object).filter(RepairsInVolume::isRepair);
  }

  private static boolean isRepair(Rebuild rebuild) {
    return !rebuild.inPlace() && !rebuild.balances();
  }

  @Override
  public CompletableFuture<Optional<Attributes>> begin(
      ObjectId object, SortedSet<OsdId> lost, Set<OsdId> avoided) {
    CompletableFuture<Optional<Attributes>> answered = new CompletableFuture<>();
    Set<OsdId> shunned;
    try {
      shunned = copies.beginning(object, () -> !answered.isDone() || begun(object).isPresent());
    } catch (WeftException e) {
      return CompletableFuture.failedFuture(e);
    }
    Passing.to(
        answered,
        service
            .askOwn(new BeginRebuild(object, lost, avoided, shunned, toEmpty().kept()))
            .thenApply(reply -> fileIn(reply.body())));
    return answered;
  }

  static Optional<Attributes> fileIn(MessageLite body) {
    return body instanceof AttributesReply reply
        ? Optional.of(AttributesCodec.fromMessage(reply.getAttributes()))
        : Optional.empty();
  }

  @Override
  public CompletableFuture<RebuildOutcome> write(
      Rebuild rebuild, Attributes file, SortedSet<OsdId> lost, LongConsumer written) {
    return copyOf(rebuild, file, lost)
        .thenCompose(copy -> copies.copy(copy, () -> isInForce(rebuild), written))
        .toCompletableFuture();
  }

  /** The same by this manager alone. */
  CompletableFuture<RebuildOutcome> writeHere(
      Rebuild rebuild, Attributes file, SortedSet<OsdId> lost, LongConsumer written) {
    return copyOf(rebuild, file, lost)
        .thenCompose(copy -> copies.here(copy, written))
        .toCompletableFuture();
  }

  /** No client was granted the file for writing, and nothing has changed it, since it began. */
  private boolean isInForce(Rebuild rebuild) {
    return machine
        .rebuilds()
        .find(rebuild.object())
        .filter(now -> now.number().equals(rebuild.number()))
        .isPresent();
  }

  /** One that has come back meanwhile holds what it held: that is to be read, not given up. */
  private SortedSet<OsdId> lostStill(SortedSet<OsdId> before) {
    SortedSet<OsdId> still = lost();
    still.retainAll(before);
    return still;
  }

  private CompletionStage<ComponentCopy> copyOf(
      Rebuild rebuild, Attributes file, SortedSet<OsdId> lost) {
    StorageMap map = MovedMaps.component(file.map(), rebuild.component(), rebuild.target());
    // What another start of the OSD has of what was written to this one is not known.
    return port.status(rebuild.target())
        .thenApply(
            status ->
                new ComponentCopy(
                    new ObjectName(partition, rebuild.object()),
                    map,
                    rebuild.moves() ? Optional.of(file.map()) : Optional.empty(),
                    mint.resolver(rebuild.object(), rebuild.number()),
                    rebuild.component(),
                    status.incarnation(),
                    rebuild.number().value(),
                    file.sizeBytes(),
                    file.truncation().number(),
                    map.presentOn(lostStill(lost)),
                    options.sharePercent()));
  }

  @Override
  public CompletableFuture<Void> finish(Rebuild rebuild, RebuildOutcome outcome) {
    return service
        .runOwn(
            new FinishRebuild(
                rebuild.object(), rebuild.number(), outcome.lostBlocks(), outcome.lostOffsets()))
        .thenAccept(lsn -> {});
  }

  @Override
  public CompletableFuture<Void> abandon(Rebuild rebuild) {
    return service
        .runOwn(new AbandonRebuild(rebuild.object(), rebuild.number()))
        .thenAccept(lsn -> {});
  }

  @Override
  public CompletionStage<Void> flushed() {
    return flusher.flushed();
  }

  @Override
  public CompletionStage<Page> list(OsdId osd, ObjectId after, OsdsToEmpty wanted) {
    // Others hold the attributes as well; a copy that is behind names OSDs that are lost, too.
    return list(osd, after, file -> !RebuildNeed.of(file, wanted).isEmpty());
  }

  /** Files that one OSD knows of and that are wanted, behind an object. */
  CompletionStage<Page> list(OsdId osd, ObjectId after, Predicate<Attributes> wanted) {
    return osds.list(
            capability.target(osd, LIST_TIMEOUT_MILLIS),
            ListRequest.newBuilder().setAfterObjectId(after.value()).setMax(OBJECTS_OF_PAGE))
        .thenCompose(reply -> page(osd, after, reply, wanted));
  }

  private CompletionStage<Page> page(
      OsdId osd, ObjectId after, ListReply reply, Predicate<Attributes> wanted) {
    List<ObjectId> objects = reply.getObjectIdList().stream().map(ObjectId::new).toList();
    ObjectId last = objects.isEmpty() ? after : objects.get(objects.size() - 1);
    LossesOnOsd losses = new LossesOnOsd(port, osd, wanted);
    return losses
        .look(objects)
        .thenApply(nothing -> new Page(losses.found(), last, reply.getMore(), losses.trouble()));
  }
}
