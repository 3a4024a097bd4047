package org.weft.metadata.serving;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.weft.client.osd.BatchCall;
import org.weft.client.stripe.ParityReport;
import org.weft.client.stripe.StripedFile;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.check.LiveNode;
import org.weft.metadata.check.NameState;
import org.weft.metadata.check.NodeState;
import org.weft.metadata.check.StoredObject;
import org.weft.metadata.objects.NameTally;
import org.weft.metadata.objects.ObjectLoader;
import org.weft.metadata.volume.LiveNodes;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.ListRequest;

/** A served volume as its check sees it. On the volume's thread. */
final class CheckInVolume implements CheckedVolume {
  private static final int TIMEOUT_MILLIS = 10_000;

  private final RepairsInVolume.Parts parts;
  private final Executor home;
  private final LiveNodes live;
  private final NodeLooks looks;

  /**
   * @param parts OSDs are called so that calls complete on the volume's thread
   * @param home that thread
   */
  CheckInVolume(RepairsInVolume.Parts parts, ObjectLoader loader, Executor home) {
    this.parts = parts;
    this.home = home;
    this.live = parts.machine().liveNodes();
    this.looks =
        new NodeLooks(parts.cache(), live, new LoadBoard(loader, parts.cache(), home), home);
  }

  @Override
  public SortedSet<OsdId> serving() {
    return new TreeSet<>(parts.states().servingManagers());
  }

  @Override
  public SortedSet<OsdId> all() {
    return new TreeSet<>(parts.states().osds());
  }

  @Override
  public SortedMap<OsdId, Integer> attributeCopies(StorageMap map) {
    return parts.cache().attributeCopies(map);
  }

  @Override
  public SortedMap<OsdId, Integer> directoryCopies(StorageMap map) {
    return parts.cache().directoryCopies(map);
  }

  @Override
  public long expectedObjects() {
    return parts.machine().counts().files();
  }

  @Override
  public Map<ObjectId, TreeUsage> trees() {
    return live.trees();
  }

  @Override
  public Lsn lastLsn() {
    return parts.machine().lastLsn();
  }

  @Override
  public CompletionStage<Void> flushed() {
    return parts.flusher().flushed().thenApplyAsync(nothing -> null, home);
  }

  @Override
  public CompletionStage<Listed> list(OsdId osd, ObjectId after, int max) {
    return parts
        .osds()
        .list(
            parts.capability().target(osd, TIMEOUT_MILLIS),
            ListRequest.newBuilder().setAfterObjectId(after.value()).setMax(max))
        .thenApply(
            reply ->
                new Listed(
                    reply.getObjectIdList().stream().map(ObjectId::new).toList(), reply.getMore()));
  }

  @Override
  public CompletionStage<Map<ObjectId, Optional<StoredObject>>> stored(
      OsdId osd, List<ObjectId> objects) {
    SignedCapability right = parts.capability().get();
    List<BatchCall> calls = new ArrayList<>();
    for (ObjectId object : objects) {
      calls.add(
          BatchCall.getAttributes(
              right, GetAttributesRequest.newBuilder().setObjectId(object.value()).addPage(0)));
    }
    return parts
        .osds()
        .batch(osd, calls, TIMEOUT_MILLIS)
        .thenApply(reply -> stored(objects, reply));
  }

  private static Map<ObjectId, Optional<StoredObject>> stored(
      List<ObjectId> objects, BatchReply reply) {
    Map<ObjectId, Optional<StoredObject>> all = new HashMap<>();
    int answered = Math.min(objects.size(), reply.getItemsCount());
    for (int index = 0; index < answered; index++) {
      BatchItemReply item = reply.getItems(index);
      if (item.getError() == ErrorCode.NO_SUCH_OBJECT.number()) {
        all.put(objects.get(index), Optional.empty());
      } else if (item.getError() == 0) {
        try {
          all.put(
              objects.get(index),
              Optional.of(
                  stored(objects.get(index), GetAttributesReply.parseFrom(item.getBody()))));
        } catch (InvalidProtocolBufferException e) {
          // It has told nothing that can be understood: that object counts as not told.
          all.remove(objects.get(index));
        }
      }
    }
    return all;
  }

  private static StoredObject stored(ObjectId object, GetAttributesReply reply) {
    Optional<StoredObject.Page> page = Optional.empty();
    Optional<String> unreadable = Optional.empty();
    for (AttributePage each : reply.getPagesList()) {
      if (each.getPage() == 0) {
        try {
          FileAttributes message = FileAttributes.parseFrom(each.getValue());
          if (message.getObjectId() == object.value()) {
            page =
                Optional.of(
                    new StoredObject.Page(
                        new Lsn(each.getLsn()),
                        each.getValue(),
                        AttributesCodec.fromMessage(message)));
          } else {
            unreadable = Optional.of("they are those of object " + message.getObjectId());
          }
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
          unreadable = Optional.of("they cannot be understood: " + e.getMessage());
        }
      }
    }
    return new StoredObject(
        reply.getTag(),
        reply.getEof(),
        reply.getTruncationNumber(),
        reply.getComponentBytes(),
        reply.hasPending() ? Optional.of(reply.getPending()) : Optional.empty(),
        page,
        unreadable);
  }

  @Override
  public CompletionStage<SortedMap<Integer, byte[]>> blocks(
      OsdId osd, ObjectId directory, List<Integer> numbers) {
    return parts.port().blocks(osd, directory, numbers);
  }

  @Override
  public CompletionStage<Map<ObjectId, NodeState>> states(
      List<ObjectId> objects, Map<ObjectId, Attributes> assumed) {
    return looks.states(objects, assumed);
  }

  @Override
  public CompletionStage<Map<ObjectId, NodeState>> nodes(
      List<ObjectId> objects, Map<ObjectId, Attributes> assumed) {
    return looks.nodes(objects, assumed);
  }

  @Override
  public CompletionStage<Optional<NameState>> name(ObjectId directory, String name) {
    return looks.name(directory, name);
  }

  @Override
  public CompletionStage<Entries> entries(NameTally tally, int max) {
    return looks.entries(tally, max);
  }

  @Override
  public void watch(NameTally tally) {
    parts.cache().nameWatch().begin(tally);
  }

  @Override
  public void unwatch(NameTally tally) {
    parts.cache().nameWatch().end(tally);
  }

  @Override
  public CompletionStage<String> path(ObjectId object) {
    return looks.path(object);
  }

  @Override
  public LiveNode live(ObjectId object) {
    return live.of(object);
  }

  @Override
  public void watch(ObjectId object) {
    live.watch(object);
  }

  @Override
  public void unwatch(ObjectId object) {
    live.unwatch(object);
  }

  @Override
  public CompletionStage<ParityReport> parity(Attributes file, long fromStripe, long most) {
    StripedFile striped =
        new StripedFile(
            new ObjectName(parts.partition(), file.object()), file.map(), parts.capability().get());
    CompletableFuture<ParityReport> checked =
        parts.stripes().parityOf(striped).verify(fromStripe, most);
    return checked.thenApplyAsync(report -> report, home);
  }
}
