package org.weft.metadata.serving;

import com.google.protobuf.MessageLite;
import java.util.LinkedHashSet;
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
import org.weft.client.osd.OsdClient;
import org.weft.client.stripe.RebuildOutcome;
import org.weft.client.stripe.RebuildTask;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.StripedFile;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.metadata.objects.Flusher;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.repair.LostOsds;
import org.weft.metadata.repair.MissingComponent;
import org.weft.metadata.repair.Rebuild;
import org.weft.metadata.repair.RepairedVolume;
import org.weft.metadata.volume.AbandonRebuild;
import org.weft.metadata.volume.BeginRebuild;
import org.weft.metadata.volume.FinishRebuild;
import org.weft.metadata.volume.MovedMaps;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.ListReply;
import org.weft.protocol.wire.ListRequest;

/** A served volume as the repair of what lost OSDs held sees it. On the volume's thread. */
final class RepairsInVolume implements RepairedVolume {
  private static final int LIST_TIMEOUT_MILLIS = 10_000;
  private static final int OBJECTS_OF_PAGE = 8 * OsdPort.MOST_AT_ONCE;

  private final PartitionId partition;
  private final VolumeMachine machine;
  private final VolumeService service;
  private final TableOsdStates states;
  private final Flusher flusher;
  private final OsdPort port;
  private final OsdClient osds;
  private final ManagerCapability capability;
  private final CapabilityMint mint;
  private final StripeEngine stripes;
  private final LostOsds losses;
  private final Ticker ticker;

  /** What of a served volume it works with. */
  record Parts(
      PartitionId partition,
      VolumeMachine machine,
      VolumeService service,
      TableOsdStates states,
      Flusher flusher,
      OsdPort port,
      OsdClient osds,
      ManagerCapability capability,
      CapabilityMint mint,
      StripeEngine stripes,
      Ticker ticker) {}

  /**
   * @param parts OSDs are called so that calls complete on the volume's thread
   * @param afterMillis how long an OSD is down before it counts as lost
   */
  RepairsInVolume(Parts parts, long afterMillis) {
    this.partition = parts.partition();
    this.machine = parts.machine();
    this.service = parts.service();
    this.states = parts.states();
    this.flusher = parts.flusher();
    this.port = parts.port();
    this.osds = parts.osds();
    this.capability = parts.capability();
    this.mint = parts.mint();
    this.stripes = parts.stripes();
    this.ticker = parts.ticker();
    this.losses = new LostOsds(afterMillis);
    tableChanged();
  }

  /** There is a newer table. */
  void tableChanged() {
    losses.tableChanged(states.down(), states.removed(), ticker.nowNanos());
  }

  @Override
  public SortedSet<OsdId> lost() {
    return losses.at(ticker.nowNanos());
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
  public OsdsThere there() {
    SortedMap<OsdId, Long> up = new TreeMap<>();
    for (OsdId osd : states.osds()) {
      states.wholeIncarnation(osd).ifPresent(incarnation -> up.put(osd, incarnation));
    }
    return new OsdsThere(up, new TreeSet<>(states.down()), new TreeSet<>(states.removed()));
  }

  @Override
  public List<ObjectId> missing() {
    Set<ObjectId> objects = new LinkedHashSet<>();
    for (MissingComponent each : machine.repairs().all()) {
      objects.add(each.object());
    }
    return List.copyOf(objects);
  }

  @Override
  public List<Rebuild> begun() {
    return machine.rebuilds().all();
  }

  @Override
  public Optional<Rebuild> begun(ObjectId object) {
    return machine.rebuilds().find(object);
  }

  @Override
  public CompletableFuture<Optional<Attributes>> begin(
      ObjectId object, SortedSet<OsdId> lost, Set<OsdId> avoided) {
    return service
        .askOwn(new BeginRebuild(object, lost, avoided))
        .thenApply(answered -> fileIn(answered.body()));
  }

  private static Optional<Attributes> fileIn(MessageLite body) {
    return body instanceof AttributesReply reply
        ? Optional.of(AttributesCodec.fromMessage(reply.getAttributes()))
        : Optional.empty();
  }

  @Override
  public CompletableFuture<RebuildOutcome> write(
      Rebuild rebuild, Attributes file, SortedSet<OsdId> lost, LongConsumer written) {
    // Of another start nobody could say what it has of what was written to this one.
    return port.status(rebuild.target())
        .thenCompose(status -> write(rebuild, file, lost, status.incarnation(), written))
        .toCompletableFuture();
  }

  private CompletableFuture<RebuildOutcome> write(
      Rebuild rebuild,
      Attributes file,
      SortedSet<OsdId> lost,
      long incarnation,
      LongConsumer written) {
    StorageMap map = MovedMaps.component(file.map(), rebuild.component(), rebuild.target());
    SortedMap<Integer, Long> starts = new TreeMap<>();
    starts.put(rebuild.component(), incarnation);
    StripedFile striped =
        new StripedFile(
            new ObjectName(partition, rebuild.object()),
            map,
            mint.resolver(rebuild.object(), rebuild.number()),
            starts);
    RebuildTask task =
        new RebuildTask(
            rebuild.component(),
            rebuild.number().value(),
            file.sizeBytes(),
            file.truncation().number(),
            map.presentOn(lost),
            written);
    return stripes.rebuild(striped, task).rebuild();
  }

  @Override
  public CompletableFuture<Void> finish(Rebuild rebuild, RebuildOutcome outcome) {
    return service
        .runOwn(new FinishRebuild(rebuild.object(), rebuild.number(), outcome.lostBlocks()))
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
  public CompletionStage<Page> list(OsdId osd, ObjectId after, SortedSet<OsdId> left) {
    return osds.list(
            capability.target(osd, LIST_TIMEOUT_MILLIS),
            ListRequest.newBuilder().setAfterObjectId(after.value()).setMax(OBJECTS_OF_PAGE))
        .thenCompose(reply -> page(osd, after, reply, left));
  }

  private CompletionStage<Page> page(
      OsdId osd, ObjectId after, ListReply reply, SortedSet<OsdId> left) {
    List<ObjectId> objects = reply.getObjectIdList().stream().map(ObjectId::new).toList();
    ObjectId last = objects.isEmpty() ? after : objects.get(objects.size() - 1);
    LossesOnOsd losses = new LossesOnOsd(port, osd, left);
    return losses
        .look(objects)
        .thenApply(nothing -> new Page(losses.found(), last, reply.getMore(), losses.trouble()));
  }
}
