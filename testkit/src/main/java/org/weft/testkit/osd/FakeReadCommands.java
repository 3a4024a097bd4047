package org.weft.testkit.osd;

import static org.weft.testkit.osd.FakeOsdStore.name;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.wire.BlockRun;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.GetStampReply;
import org.weft.protocol.wire.GetStampRequest;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.ListPendingRequest;
import org.weft.protocol.wire.ListReply;
import org.weft.protocol.wire.ListRequest;
import org.weft.protocol.wire.PendingKind;
import org.weft.protocol.wire.PendingWrite;
import org.weft.protocol.wire.ReadDeltaReply;
import org.weft.protocol.wire.ReadDeltaRequest;
import org.weft.protocol.wire.ReadReply;
import org.weft.protocol.wire.ReadRequest;

/** The commands that only ask. */
final class FakeReadCommands {
  private static final int BLOCK_BYTES = FakeObject.BLOCK_BYTES;

  private final FakeOsdStore store;

  FakeReadCommands(FakeOsdStore store) {
    this.store = store;
  }

  /** A reply of READ and the bytes behind it. */
  record ReadAnswer(ReadReply reply, byte[] payload) {}

  ReadAnswer read(Capability capability, ReadRequest request) throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    FakeObject object = store.existing(capability, name, Right.READ);
    long first = request.getOffset() / BLOCK_BYTES;
    long end = endBlock(request.getOffset(), request.getLength());
    ReadReply.Builder reply =
        ReadReply.newBuilder()
            .setEof(object.eof())
            .setTruncationNumber(object.truncationNumber())
            .setMapGeneration(object.tag().getMapGeneration())
            .setPending(object.isPending(first, end));
    if (request.getWithStamps()) {
      reply.addAllStamps(object.stamps(first, end));
    }
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    List<BlockRun.Builder> runs = new ArrayList<>();
    for (var entry : object.blocks().subMap(first, end).entrySet()) {
      long block = entry.getKey();
      boolean leftOut =
          request.getLeftOutList().stream()
              .anyMatch(
                  run ->
                      block >= run.getFirstBlock()
                          && block < run.getFirstBlock() + run.getBlockCount());
      if (leftOut) {
        continue;
      }
      BlockRun.Builder last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
      if (last != null && last.getFirstBlock() + last.getBlockCount() == entry.getKey()) {
        last.setBlockCount(last.getBlockCount() + 1);
      } else {
        runs.add(BlockRun.newBuilder().setFirstBlock(entry.getKey()).setBlockCount(1));
      }
      reply.addBlockCrc(entry.getValue().crc());
      payload.write(entry.getValue().bytes(), 0, BLOCK_BYTES);
    }
    runs.forEach(reply::addRuns);
    return new ReadAnswer(reply.build(), payload.toByteArray());
  }

  GetStampReply stamp(Capability capability, GetStampRequest request) throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    FakeObject object = store.existing(capability, name, Right.READ);
    long first = request.getOffset() / BLOCK_BYTES;
    long end = endBlock(request.getOffset(), request.getLength());
    return GetStampReply.newBuilder()
        .addAllStamps(object.stamps(first, end))
        .setPending(object.isPending(first, end))
        .build();
  }

  private static long endBlock(long offsetBytes, long lengthBytes) {
    return (offsetBytes + lengthBytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
  }

  ListPendingReply listPending(Capability capability, ListPendingRequest request)
      throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    FakeObject object = store.existing(capability, name, Right.MANAGE);
    List<PendingWrite> behind =
        object.pending().writes().stream().filter(write -> isBehind(write, request)).toList();
    int most = request.getMaxWrites() == 0 ? behind.size() : request.getMaxWrites();
    return ListPendingReply.newBuilder()
        .addAllWrites(behind.subList(0, Math.min(most, behind.size())))
        .setMore(behind.size() > most)
        .setState(ByteString.copyFromUtf8(Long.toString(object.state())))
        .addAllMarks(object.pending().marks())
        .setObjectVersion(object.version())
        .setEof(object.eof())
        .setTruncationNumber(object.truncationNumber())
        .setTag(object.tag())
        .setComponentBytes(object.componentBytes())
        .setResolvedBelow(object.pending().resolvedBelow())
        .addAllGivenBack(
            object.givenBack().stream()
                .map(block -> BlockRun.newBuilder().setFirstBlock(block).setBlockCount(1).build())
                .toList())
        .build();
  }

  private static boolean isBehind(PendingWrite write, ListPendingRequest request) {
    int order = Long.compareUnsigned(write.getGrant(), request.getAfterGrant());
    return order > 0 || (order == 0 && write.getFirstSeq() > request.getAfterSeq());
  }

  /** A reply of READ_DELTA and the bytes behind it. */
  record DeltaAnswer(ReadDeltaReply reply, byte[] payload) {}

  DeltaAnswer readDelta(Capability capability, ReadDeltaRequest request) throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    FakeObject object = store.existing(capability, name, Right.MANAGE);
    FakePending record =
        object.pending().numbered(request.getGrant(), request.getSeq(), request.getSeq()).stream()
            .filter(found -> found.kind() != PendingKind.STRIPE && !found.isAborted())
            .findFirst()
            .orElseThrow(
                () ->
                    new WeftException(
                        ErrorCode.INVALID_ARGUMENT,
                        "seq " + request.getSeq() + " is no pending XOR write here"));
    byte[] delta = record.delta();
    ReadDeltaReply reply =
        ReadDeltaReply.newBuilder()
            .setOffset(record.kept().firstKey() * BLOCK_BYTES)
            .addAllBlockCrc(Checksums.ofBlocks(delta))
            .build();
    return new DeltaAnswer(reply, delta);
  }

  GetAttributesReply attributes(Capability capability, GetAttributesRequest request)
      throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    FakeObject object = store.existing(capability, name, Right.READ_ATTRIBUTES);
    GetAttributesReply.Builder reply =
        GetAttributesReply.newBuilder()
            .setTag(object.tag())
            .setEof(object.eof())
            .setTruncationNumber(object.truncationNumber())
            .setObjectVersion(object.version())
            .setUsedBytes((long) object.blocks().size() * BLOCK_BYTES)
            .setComponentBytes(object.componentBytes())
            .setPending(!object.pending().writes().isEmpty());
    object.pages().values().stream()
        .filter(
            page -> request.getPageCount() == 0 || request.getPageList().contains(page.getPage()))
        .forEach(reply::addPages);
    return reply.build();
  }

  ListReply list(Capability capability, ListRequest request) throws WeftException {
    ObjectName after =
        new ObjectName(capability.object().partition(), new ObjectId(request.getAfterObjectId()));
    store.require(capability, after, Right.MANAGE, Right.LOOK);
    ListReply.Builder reply = ListReply.newBuilder();
    for (ObjectName name : store.objects().tailMap(after).keySet()) {
      if (!name.partition().equals(after.partition())) {
        break;
      }
      if (name.equals(after)) {
        continue;
      }
      if (reply.getObjectIdCount() == request.getMax()) {
        return reply.setMore(true).build();
      }
      reply.addObjectId(name.object().value());
    }
    return reply.build();
  }
}
