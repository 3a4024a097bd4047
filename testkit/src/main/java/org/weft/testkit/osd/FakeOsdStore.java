package org.weft.testkit.osd;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.capability.InitialAttributesSignature;
import org.weft.protocol.capability.Right;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.BlockRun;
import org.weft.protocol.wire.ComponentTag;
import org.weft.protocol.wire.FenceReply;
import org.weft.protocol.wire.FenceRequest;
import org.weft.protocol.wire.FlushReply;
import org.weft.protocol.wire.FlushRequest;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.GetStampReply;
import org.weft.protocol.wire.GetStampRequest;
import org.weft.protocol.wire.ListReply;
import org.weft.protocol.wire.ListRequest;
import org.weft.protocol.wire.PunchRequest;
import org.weft.protocol.wire.RaiseVersionReply;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.RangeReply;
import org.weft.protocol.wire.ReadReply;
import org.weft.protocol.wire.ReadRequest;
import org.weft.protocol.wire.RemoveReply;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.SetAttributesReply;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.TruncateRequest;
import org.weft.protocol.wire.WriteBlocksReply;
import org.weft.protocol.wire.WriteBlocksRequest;
import org.weft.protocol.wire.WriteReply;
import org.weft.protocol.wire.WriteRequest;

/** What the commands do to the objects of one OSD. Single-threaded; does no IO. */
final class FakeOsdStore {
  /** A reply of READ and the bytes behind it. */
  record ReadAnswer(ReadReply reply, byte[] payload) {}

  private static final int BLOCK_BYTES = FakeObject.BLOCK_BYTES;

  /** In a FLUSH: everything. */
  private static final long WHOLE_PARTITION = 0;

  private final byte[] workingKey;
  private final TreeMap<ObjectName, FakeObject> objects = new TreeMap<>();
  private final TreeMap<ObjectName, Long> tombstones = new TreeMap<>();
  private final TreeMap<Long, Long> fences = new TreeMap<>();
  private long executedWrites;

  FakeOsdStore(byte[] workingKey) {
    this.workingKey = workingKey;
  }

  SortedMap<ObjectName, FakeObject> objects() {
    return objects;
  }

  /** How many WRITEs changed something. */
  long executedWrites() {
    return executedWrites;
  }

  WriteReply write(Capability capability, WriteRequest request, byte[] payload)
      throws RpcException {
    ObjectName name = name(capability, request.getObjectId());
    require(capability, name, Right.WRITE);
    checkCrcs(request, payload);
    if (!capability.allows(Right.MANAGE) && request.getGrant() != capability.grant()) {
      throw new RpcException(
          ErrorCode.INVALID_ARGUMENT, "the write's grant is not its capability's");
    }
    if (payload.length > 0 && (request.getFirstSeq() == 0 || request.getSeqCount() == 0)) {
      throw new RpcException(ErrorCode.INVALID_ARGUMENT, "a write of bytes needs a seq");
    }
    if (request.getOffset() + payload.length > capability.byteLimit()) {
      throw new RpcException(ErrorCode.CAPABILITY_INVALID, "the write ends past the byte limit");
    }
    boolean changes = payload.length > 0 || !objects.containsKey(name);
    FakeObject object = forWriting(capability, name, request);
    boolean known = object.alreadyHolds(request, payload.length);
    if (!known) {
      requireTruncation(object, request.getTruncationNumber());
      object.complete(request.getGrant(), request.getCompleteUpTo());
      object.raiseVersion(capability.floor());
      // Managers raise the object's version first, so that nothing is pending; tests may not.
      if (!capability.allows(Right.MANAGE) && object.isBusy(request, payload.length)) {
        throw new RpcException(
            ErrorCode.BUSY, "a block belongs to a write that is not known to be complete");
      }
      object.write(request, payload);
      executedWrites++;
      object.establish(request.getTruncationNumber(), request.getEof());
      object.durable(object.isDurable() && (request.getDurable() || !changes));
    }
    return WriteReply.newBuilder().setPendingCheckpoint(2).setDurableCheckpoint(1).build();
  }

  private static void requireTruncation(FakeObject object, int number) throws RpcException {
    if (number < object.truncationNumber()) {
      throw new RpcException(
          ErrorCode.FENCED,
          "a write of truncation number "
              + number
              + " comes after a truncation with "
              + object.truncationNumber());
    }
  }

  RangeReply truncate(Capability capability, TruncateRequest request) throws RpcException {
    FakeObject object =
        forCutting(capability, request.getObjectId(), request.getGrant(), request.getSeq());
    requireBlocks("length", request.getLength());
    if (request.getSeq() > object.completeUpTo(request.getGrant())) {
      object.complete(request.getGrant(), request.getCompleteUpTo());
      object.raiseVersion(capability.floor());
      object.establish(request.getTruncationNumber(), request.getEof());
      object.truncate(request.getLength(), request.getGrant(), request.getSeq());
    }
    return RangeReply.newBuilder().setPendingCheckpoint(2).setDurableCheckpoint(1).build();
  }

  RangeReply punch(Capability capability, PunchRequest request) throws RpcException {
    FakeObject object =
        forCutting(capability, request.getObjectId(), request.getGrant(), request.getSeq());
    requireBlocks("offset", request.getOffset());
    requireBlocks("length", request.getLength());
    if (request.getSeq() > object.completeUpTo(request.getGrant())) {
      object.complete(request.getGrant(), request.getCompleteUpTo());
      object.raiseVersion(capability.floor());
      object.punch(request.getOffset(), request.getLength(), request.getGrant(), request.getSeq());
    }
    return RangeReply.newBuilder().setPendingCheckpoint(2).setDurableCheckpoint(1).build();
  }

  private FakeObject forCutting(Capability capability, long objectId, long grant, long seq)
      throws RpcException {
    if (!capability.allows(Right.MANAGE) && grant != capability.grant()) {
      throw new RpcException(
          ErrorCode.INVALID_ARGUMENT, "the request's grant is not its capability's");
    }
    if (seq == 0) {
      throw new RpcException(ErrorCode.INVALID_ARGUMENT, "it needs a seq; seqs start at 1");
    }
    return existing(capability, name(capability, objectId), Right.WRITE);
  }

  private static void requireBlocks(String what, long bytes) throws RpcException {
    if (bytes % BLOCK_BYTES != 0) {
      throw new RpcException(
          ErrorCode.INVALID_ARGUMENT, what + " " + bytes + " is no multiple of 4096");
    }
  }

  private FakeObject forWriting(Capability capability, ObjectName name, WriteRequest request)
      throws RpcException {
    FakeObject object = objects.get(name);
    if (object == null) {
      if (!request.hasCreate()) {
        throw absent(name);
      }
      require(capability, name, Right.CREATE);
      object = create(name, request.getCreate(), capability.grant());
    }
    if (request.hasInitialAttributes()) {
      AttributePage page = request.getInitialAttributes().getPage();
      byte[] mac =
          InitialAttributesSignature.sign(
              workingKey,
              name,
              page.getPage(),
              page.getLsn(),
              page.getValue().asReadOnlyByteBuffer());
      if (!Hmac.same(mac, request.getInitialAttributes().getMac().toByteArray())) {
        throw new RpcException(
            ErrorCode.CAPABILITY_INVALID, "initial attributes without the manager's signature");
      }
      boolean unused = object.store(page);
    }
    return object;
  }

  private FakeObject create(ObjectName name, ComponentTag tag, long grant) throws RpcException {
    long tombstone = tombstones.getOrDefault(name, 0L);
    if (Long.compareUnsigned(grant, tombstone) < 0) {
      throw new RpcException(ErrorCode.TOMBSTONE, name + " has been removed");
    }
    FakeObject object = new FakeObject(tag);
    objects.put(name, object);
    return object;
  }

  private static void checkCrcs(WriteRequest request, byte[] payload) throws RpcException {
    int done = 0;
    int index = 0;
    while (done < payload.length) {
      int inBlock = (int) ((request.getOffset() + done) % BLOCK_BYTES);
      int count = Math.min(BLOCK_BYTES - inBlock, payload.length - done);
      if (index >= request.getBlockCrcCount()
          || Checksums.of(payload, done, count) != request.getBlockCrc(index)) {
        throw new RpcException(
            ErrorCode.BAD_CHECKSUM, "block " + index + " of the payload does not match its CRC");
      }
      index++;
      done += count;
    }
    if (index != request.getBlockCrcCount()) {
      throw new RpcException(
          ErrorCode.INVALID_ARGUMENT,
          index + " blocks are touched, " + request.getBlockCrcCount() + " CRCs were sent");
    }
  }

  FlushReply flush(Capability capability, FlushRequest request) throws RpcException {
    if (request.getObjectId() == WHOLE_PARTITION) {
      objects.values().forEach(object -> object.durable(true));
    } else {
      existing(capability, name(capability, request.getObjectId()), Right.WRITE).durable(true);
    }
    return FlushReply.newBuilder().setDurableCheckpoint(2).build();
  }

  ReadAnswer read(Capability capability, ReadRequest request) throws RpcException {
    ObjectName name = name(capability, request.getObjectId());
    FakeObject object = existing(capability, name, Right.READ);
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

  GetStampReply stamp(Capability capability, GetStampRequest request) throws RpcException {
    ObjectName name = name(capability, request.getObjectId());
    FakeObject object = existing(capability, name, Right.READ);
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

  WriteBlocksReply writeBlocks(
      Capability capability, WriteBlocksRequest request, byte[] payload, long incarnation)
      throws RpcException {
    ObjectName name = name(capability, request.getObjectId());
    require(capability, name, Right.MANAGE);
    if (request.getIncarnation() != 0 && request.getIncarnation() != incarnation) {
      throw new RpcException(ErrorCode.UNAVAILABLE, "this OSD has started again");
    }
    int count = request.getNumberCount();
    if (payload.length != count * BLOCK_BYTES || request.getLsnCount() != count) {
      throw new RpcException(ErrorCode.INVALID_ARGUMENT, "numbers, LSNs and payload do not agree");
    }
    FakeObject object = managed(name, request.hasCreate(), request.getCreate());
    int skipped = 0;
    for (int i = 0; i < count; i++) {
      byte[] bytes = java.util.Arrays.copyOfRange(payload, i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES);
      int crc = Checksums.of(bytes, 0, BLOCK_BYTES);
      if (crc != request.getBlockCrc(i)) {
        throw new RpcException(ErrorCode.BAD_CHECKSUM, "block " + i + " does not match its CRC");
      }
      FakeObject.Block stored = object.blocks().get(request.getNumber(i));
      if (stored != null && Long.compareUnsigned(stored.grant(), request.getLsn(i)) >= 0) {
        skipped++;
      } else {
        object.putBlock(
            request.getNumber(i), new FakeObject.Block(bytes, crc, request.getLsn(i), 0));
      }
    }
    object.raiseEof(request.getEof());
    return WriteBlocksReply.newBuilder().setSkipped(skipped).build();
  }

  GetAttributesReply attributes(Capability capability, GetAttributesRequest request)
      throws RpcException {
    ObjectName name = name(capability, request.getObjectId());
    FakeObject object = existing(capability, name, Right.READ_ATTRIBUTES);
    GetAttributesReply.Builder reply =
        GetAttributesReply.newBuilder()
            .setTag(object.tag())
            .setEof(object.eof())
            .setTruncationNumber(object.truncationNumber())
            .setObjectVersion(object.version())
            .setUsedBytes((long) object.blocks().size() * BLOCK_BYTES)
            .setComponentBytes(object.componentBytes());
    object.pages().values().stream()
        .filter(
            page -> request.getPageCount() == 0 || request.getPageList().contains(page.getPage()))
        .forEach(reply::addPages);
    return reply.build();
  }

  SetAttributesReply setAttributes(Capability capability, SetAttributesRequest request)
      throws RpcException {
    ObjectName name = name(capability, request.getObjectId());
    require(capability, name, Right.MANAGE);
    FakeObject object = managed(name, request.hasCreate(), request.getCreate());
    int skipped = 0;
    for (AttributePage page : request.getPagesList()) {
      skipped += object.store(page) ? 0 : 1;
    }
    object.complete(request.getCompleteGrant(), request.getCompleteUpTo());
    return SetAttributesReply.newBuilder().setSkipped(skipped).build();
  }

  RemoveReply remove(Capability capability, RemoveRequest request) throws RpcException {
    ObjectName name = name(capability, request.getObjectId());
    require(capability, name, Right.MANAGE);
    tombstones.merge(name, request.getLsn(), (a, b) -> Long.compareUnsigned(a, b) > 0 ? a : b);
    return RemoveReply.newBuilder().setExisted(objects.remove(name) != null).build();
  }

  RaiseVersionReply raiseVersion(Capability capability, RaiseVersionRequest request)
      throws RpcException {
    ObjectName name = name(capability, request.getObjectId());
    FakeObject object = existing(capability, name, Right.MANAGE);
    object.raiseVersion(request.getVersion());
    return RaiseVersionReply.newBuilder().setVersion(object.version()).build();
  }

  FenceReply fence(Capability capability, FenceRequest request) throws RpcException {
    long partition = capability.object().partition().value();
    if (!capability.allows(Right.MANAGE)) {
      throw new RpcException(ErrorCode.CAPABILITY_INVALID, "only a manager fences");
    }
    fences.merge(partition, request.getEpoch(), Math::max);
    return FenceReply.newBuilder().setEpoch(fences.get(partition)).build();
  }

  ListReply list(Capability capability, ListRequest request) throws RpcException {
    ObjectName after =
        new ObjectName(
            capability.object().partition(),
            new org.weft.protocol.id.ObjectId(request.getAfterObjectId()));
    require(capability, after, Right.MANAGE);
    ListReply.Builder reply = ListReply.newBuilder();
    for (ObjectName name : objects.tailMap(after, false).keySet()) {
      if (!name.partition().equals(after.partition())) {
        break;
      }
      if (reply.getObjectIdCount() == request.getMax()) {
        return reply.setMore(true).build();
      }
      reply.addObjectId(name.object().value());
    }
    return reply.build();
  }

  private FakeObject managed(ObjectName name, boolean mayCreate, ComponentTag tag)
      throws RpcException {
    FakeObject object = objects.get(name);
    if (object == null && !mayCreate) {
      throw absent(name);
    }
    return object == null ? create(name, tag, -1L) : object;
  }

  private FakeObject existing(Capability capability, ObjectName name, Right right)
      throws RpcException {
    require(capability, name, right);
    return Optional.ofNullable(objects.get(name)).orElseThrow(() -> absent(name));
  }

  private static ObjectName name(Capability capability, long objectId) {
    return ObjectName.of(capability.object().partition().value(), objectId);
  }

  /** Rights, the object's version for clients, the partition's fence for managers. */
  private void require(Capability capability, ObjectName name, Right right) throws RpcException {
    if (!capability.covers(name) || !capability.allows(right)) {
      throw new RpcException(
          ErrorCode.CAPABILITY_INVALID, "the capability does not allow " + right + " on " + name);
    }
    if (capability.allows(Right.MANAGE)) {
      long fence = fences.getOrDefault(name.partition().value(), 0L);
      if (capability.epoch() < fence) {
        throw new RpcException(ErrorCode.FENCED, "epoch " + capability.epoch() + " is over");
      }
      return;
    }
    FakeObject object = objects.get(name);
    if (object != null && Long.compareUnsigned(capability.grant(), object.version()) < 0) {
      throw new RpcException(
          ErrorCode.FENCED, "grant " + new Lsn(capability.grant()) + " has been revoked");
    }
  }

  private static RpcException absent(ObjectName name) {
    return new RpcException(ErrorCode.NO_SUCH_OBJECT, "there is no object " + name + " here");
  }
}
