package org.weft.metadata.serving.care;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.client.osd.BatchCall;
import org.weft.client.osd.OsdClient;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.check.OsdHoldings;
import org.weft.metadata.check.StoredObject;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.ListRequest;

/** What OSDs hold, as they say when they are asked. On the volume's thread. */
public final class AskedHoldings implements OsdHoldings {
  private static final int TIMEOUT_MILLIS = 10_000;

  private final OsdClient osds;
  private final ManagerCapability capability;

  /**
   * @param osds completes on the volume's thread
   */
  public AskedHoldings(OsdClient osds, ManagerCapability capability) {
    this.osds = osds;
    this.capability = capability;
  }

  @Override
  public CompletionStage<Listed> list(OsdId osd, ObjectId after, int max) {
    return osds.list(
            capability.target(osd, TIMEOUT_MILLIS),
            ListRequest.newBuilder().setAfterObjectId(after.value()).setMax(max))
        .thenApply(
            reply ->
                new Listed(
                    reply.getObjectIdList().stream().map(ObjectId::new).toList(), reply.getMore()));
  }

  @Override
  public CompletionStage<Map<ObjectId, Optional<StoredObject>>> stored(
      OsdId osd, List<ObjectId> objects) {
    SignedCapability right = capability.get();
    List<BatchCall> calls = new ArrayList<>();
    for (ObjectId object : objects) {
      calls.add(
          BatchCall.getAttributes(
              right, GetAttributesRequest.newBuilder().setObjectId(object.value()).addPage(0)));
    }
    return osds.batch(osd, calls, TIMEOUT_MILLIS).thenApply(reply -> stored(objects, reply));
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
          // Its answer cannot be understood, so that object counts as unanswered.
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
}
