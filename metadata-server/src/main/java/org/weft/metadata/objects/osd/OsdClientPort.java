package org.weft.metadata.objects.osd;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.osd.BatchCall;
import org.weft.client.osd.OsdClient;
import org.weft.client.osd.OsdTarget;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.metadata.objects.CopyOutcome;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.CopyWrite.WriteBlocks;
import org.weft.metadata.objects.FlushStamp;
import org.weft.metadata.objects.OsdPort;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FlushRequest;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.ReadRequest;

/** The {@link OsdPort} over real connections: the messages of the OSD protocol. */
public final class OsdClientPort implements OsdPort {
  private static final Logger LOG = LoggerFactory.getLogger(OsdClientPort.class);
  private static final int READ_TIMEOUT_MILLIS = 5_000;
  private static final int WRITE_TIMEOUT_MILLIS = 10_000;
  private static final int CHECKPOINT_TIMEOUT_MILLIS = 30_000;

  private final OsdClient client;
  private final Supplier<SignedCapability> capability;

  /**
   * @param client completes its calls on the volume's thread
   * @param capability the manager's right to the whole partition, asked for before each call
   */
  public OsdClientPort(OsdClient client, Supplier<SignedCapability> capability) {
    this.client = client;
    this.capability = capability;
  }

  private OsdTarget target(OsdId osd, int timeoutMillis) {
    return new OsdTarget(osd, capability.get(), timeoutMillis);
  }

  @Override
  public CompletionStage<StoredAttributes> attributes(OsdId osd, ObjectId object) {
    return client
        .getAttributes(target(osd, READ_TIMEOUT_MILLIS), request(object))
        .thenCompose(reply -> staged(osd, object, reply));
  }

  @Override
  public CompletionStage<Map<ObjectId, Optional<StoredAttributes>>> attributesOf(
      OsdId osd, List<ObjectId> objects) {
    SignedCapability right = capability.get();
    List<BatchCall> calls =
        objects.stream().map(object -> BatchCall.getAttributes(right, request(object))).toList();
    return client
        .batch(osd, calls, READ_TIMEOUT_MILLIS)
        .thenApply(reply -> decode(osd, objects, reply));
  }

  private static GetAttributesRequest.Builder request(ObjectId object) {
    return GetAttributesRequest.newBuilder().setObjectId(object.value()).addPage(0);
  }

  static Map<ObjectId, Optional<StoredAttributes>> decode(
      OsdId osd, List<ObjectId> objects, BatchReply reply) {
    Map<ObjectId, Optional<StoredAttributes>> stored = new HashMap<>();
    int answered = Math.min(objects.size(), reply.getItemsCount());
    for (int index = 0; index < answered; index++) {
      ObjectId object = objects.get(index);
      BatchItemReply item = reply.getItems(index);
      if (item.getError() == ErrorCode.NO_SUCH_OBJECT.number()) {
        stored.put(object, Optional.empty());
      } else if (item.getError() == 0) {
        readable(osd, object, item).ifPresent(found -> stored.put(object, found));
      } else {
        LOG.debug("OSD {}, attributes of object {}: {}", osd, object, item.getMessage());
      }
    }
    return stored;
  }

  /** Empty: its answer cannot be read, which does not say that there is no object. */
  private static Optional<Optional<StoredAttributes>> readable(
      OsdId osd, ObjectId object, BatchItemReply item) {
    try {
      return Optional.of(
          Optional.of(decode(osd, object, GetAttributesReply.parseFrom(item.getBody()))));
    } catch (InvalidProtocolBufferException | WeftException e) {
      // Most components of a wide file have none.
      if (e instanceof WeftException none && none.code() == ErrorCode.NO_SUCH_OBJECT) {
        LOG.debug("OSD {}, attributes of object {}: {}", osd, object, e.getMessage());
        return Optional.of(Optional.empty());
      }
      LOG.warn("OSD {}, attributes of object {}: {}", osd, object, e.getMessage());
      return Optional.empty();
    }
  }

  private static CompletionStage<StoredAttributes> staged(
      OsdId osd, ObjectId object, GetAttributesReply reply) {
    try {
      return CompletableFuture.completedStage(decode(osd, object, reply));
    } catch (WeftException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private static StoredAttributes decode(OsdId osd, ObjectId object, GetAttributesReply reply)
      throws WeftException {
    String where = "OSD " + osd + ", attributes of object " + object + ": ";
    for (AttributePage page : reply.getPagesList()) {
      if (page.getPage() == 0) {
        try {
          FileAttributes message = FileAttributes.parseFrom(page.getValue());
          if (message.getObjectId() != object.value()) {
            throw new WeftException(
                ErrorCode.BAD_CHECKSUM, where + "they are those of " + message.getObjectId());
          }
          return new StoredAttributes(AttributesCodec.fromMessage(message), new Lsn(page.getLsn()));
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
          throw new WeftException(ErrorCode.BAD_CHECKSUM, where + e.getMessage(), e);
        }
      }
    }
    throw new WeftException(ErrorCode.NO_SUCH_OBJECT, where + "it has none");
  }

  @Override
  public CompletionStage<SortedMap<Integer, byte[]>> blocks(
      OsdId osd, ObjectId directory, List<Integer> numbers) {
    SortedMap<Integer, byte[]> blocks = new TreeMap<>();
    List<CompletableFuture<Void>> reads = new ArrayList<>();
    for (BlockSpan range : BlockSpan.covering(numbers)) {
      ReadRequest.Builder request =
          ReadRequest.newBuilder()
              .setObjectId(directory.value())
              .setOffset((long) range.first() * DirectoryBlock.BYTES)
              .setLength(range.count() * DirectoryBlock.BYTES);
      reads.add(
          client
              .read(target(osd, READ_TIMEOUT_MILLIS), request)
              .thenCompose(
                  result -> {
                    try {
                      blocks.putAll(BlockSpan.blocksIn(osd, directory, result));
                      return CompletableFuture.completedFuture(null);
                    } catch (WeftException e) {
                      return CompletableFuture.failedFuture(e);
                    } finally {
                      result.payload().release();
                    }
                  }));
    }
    return CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new))
        .thenApply(done -> blocks);
  }

  @Override
  public CompletionStage<List<CopyOutcome>> write(
      OsdId osd, long incarnation, List<CopyWrite> writes, FlushStamp stamp) {
    if (writes.size() == 1
        && writes.get(0) instanceof WriteBlocks blocks
        && blocks.travelsAlone()) {
      return writeAlone(osd, incarnation, blocks, stamp);
    }
    SignedCapability right = capability.get();
    return client
        .batch(
            osd,
            writes.stream().map(write -> CopyCalls.call(right, write, incarnation, stamp)).toList(),
            WRITE_TIMEOUT_MILLIS)
        .thenApply(reply -> CopyCalls.outcomes(osd, writes, reply));
  }

  private CompletionStage<List<CopyOutcome>> writeAlone(
      OsdId osd, long incarnation, WriteBlocks write, FlushStamp stamp) {
    ByteBuffer[] payload =
        write.blocks().values().stream().map(ByteBuffer::wrap).toArray(ByteBuffer[]::new);
    return client
        .writeBlocks(
            target(osd, WRITE_TIMEOUT_MILLIS),
            CopyCalls.request(write, incarnation, stamp),
            Payload.of(payload))
        .thenApply(reply -> List.of(CopyOutcome.taken(reply.getPendingCheckpoint())));
  }

  @Override
  public CompletionStage<CheckpointState> status(OsdId osd) {
    return client
        .status(osd, READ_TIMEOUT_MILLIS)
        .thenApply(
            reply -> new CheckpointState(reply.getIncarnation(), reply.getDurableCheckpoint()));
  }

  @Override
  public CompletionStage<Void> checkpoint(OsdId osd) {
    return client
        .flush(target(osd, CHECKPOINT_TIMEOUT_MILLIS), FlushRequest.newBuilder())
        .thenAccept(reply -> {});
  }
}
