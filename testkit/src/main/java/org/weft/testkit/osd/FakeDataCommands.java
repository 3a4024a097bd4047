package org.weft.testkit.osd;

import static org.weft.testkit.osd.FakeOsdStore.name;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.capability.InitialAttributesSignature;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.WriteId;
import org.weft.protocol.wire.AbortReply;
import org.weft.protocol.wire.AbortRequest;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.CompleteRequest;
import org.weft.protocol.wire.FlushReply;
import org.weft.protocol.wire.FlushRequest;
import org.weft.protocol.wire.PendingKind;
import org.weft.protocol.wire.PunchRequest;
import org.weft.protocol.wire.RangeReply;
import org.weft.protocol.wire.TruncateRequest;
import org.weft.protocol.wire.WriteReply;
import org.weft.protocol.wire.WriteRequest;
import org.weft.protocol.wire.XorReadWriteReply;
import org.weft.protocol.wire.XorReadWriteRequest;
import org.weft.protocol.wire.XorWriteRequest;

/** The commands of a writer, which a manager may give too. */
final class FakeDataCommands {
  private static final int BLOCK_BYTES = FakeObject.BLOCK_BYTES;
  private static final RangeReply DONE =
      RangeReply.newBuilder().setPendingCheckpoint(2).setDurableCheckpoint(1).build();

  /** In a FLUSH: everything. */
  private static final long WHOLE_PARTITION = 0;

  private final FakeOsdStore store;

  FakeDataCommands(FakeOsdStore store) {
    this.store = store;
  }

  WriteReply write(Capability capability, WriteRequest request, byte[] payload)
      throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    FakeWrite write = FakeWrite.of(capability, request, payload);
    boolean numbered = request.getFirstSeq() > 0 && request.getSeqCount() > 0;
    requireWrite(
        capability, name, write, numbered || payload.length == 0, request.getBlockCrcList());
    boolean absent = !store.objects().containsKey(name);
    FakeOsdStore.Change<Optional<FakePending>> change =
        object -> {
          if (request.hasInitialAttributes()) {
            storeInitial(object, name, request);
          }
          Optional<FakePending> done = executed(object, write, request.getDurable(), absent);
          if (request.getLost()) {
            object.lose(write.firstBlock(), write.endBlock());
          }
          return done;
        };
    var unused =
        request.hasCreate() && absent
            ? created(capability, name, request, change)
            : store.change(name, change);
    return WriteReply.newBuilder().setPendingCheckpoint(2).setDurableCheckpoint(1).build();
  }

  private Optional<FakePending> created(
      Capability capability,
      ObjectName name,
      WriteRequest request,
      FakeOsdStore.Change<Optional<FakePending>> change)
      throws WeftException {
    store.require(capability, name, Right.CREATE, Right.COPY);
    return store.changeOrCreate(name, request.getCreate(), request.getGrant(), change);
  }

  private void storeInitial(FakeObject object, ObjectName name, WriteRequest request)
      throws WeftException {
    AttributePage page = request.getInitialAttributes().getPage();
    byte[] mac =
        InitialAttributesSignature.sign(
            store.workingKey(),
            name,
            page.getPage(),
            page.getLsn(),
            page.getValue().asReadOnlyByteBuffer());
    if (!Hmac.same(mac, request.getInitialAttributes().getMac().toByteArray())) {
      throw new WeftException(
          ErrorCode.CAPABILITY_INVALID, "initial attributes without the manager's signature");
    }
    boolean unused = object.store(page);
  }

  /** A reply and the δ behind it. */
  record Delta(XorReadWriteReply reply, byte[] payload) {}

  Delta xorReadWrite(Capability capability, XorReadWriteRequest request, byte[] payload)
      throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    FakeWrite write = FakeWrite.of(capability, request, payload);
    requireXor(capability, name, write, request.getBlockCrcList());
    Optional<FakePending> record =
        store.change(name, object -> executed(object, write, request.getDurable(), false));
    XorReadWriteReply.Builder reply =
        XorReadWriteReply.newBuilder().setPendingCheckpoint(2).setDurableCheckpoint(1);
    if (record.isEmpty()) {
      return new Delta(reply.setComplete(true).build(), new byte[0]);
    }
    if (record.get().kind() == PendingKind.STRIPE) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "seq " + request.getSeq() + " is a stripe write");
    }
    byte[] delta = record.get().delta();
    return new Delta(reply.addAllBlockCrc(Checksums.ofBlocks(delta)).build(), delta);
  }

  RangeReply xorWrite(Capability capability, XorWriteRequest request, byte[] payload)
      throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    FakeWrite write = FakeWrite.of(capability, request, payload);
    store.require(capability, name, Right.WRITE);
    requireBlocks("offset", request.getOffset());
    requireBlocks("length", payload.length);
    requireXor(capability, name, write, request.getBlockCrcList());
    var unused = store.change(name, object -> executed(object, write, request.getDurable(), false));
    return DONE;
  }

  private void requireXor(
      Capability capability, ObjectName name, FakeWrite write, List<Integer> crcs)
      throws WeftException {
    boolean numbered = write.firstSeq() > 0 && write.bytes().length > 0;
    requireWrite(capability, name, write, numbered, crcs);
    if (!write.isRecorded(store.existing(capability, name, Right.WRITE).version())) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "an XOR needs the id of a client: it is done only once");
    }
  }

  /** What can be said of a write without looking at the object, and its version. */
  private void requireWrite(
      Capability capability, ObjectName name, FakeWrite write, boolean numbered, List<Integer> crcs)
      throws WeftException {
    store.require(capability, name, Right.WRITE, Right.COPY);
    if (write.offset() + write.bytes().length > capability.byteLimit()) {
      throw new WeftException(ErrorCode.CAPABILITY_INVALID, "the write ends past the byte limit");
    }
    if (!numbered) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "bytes need seqs, from 1 on, and an XOR needs bytes");
    }
    requireOwnGrant(capability, write.grant());
    checkCrcs(write, crcs);
    store.requireVersion(capability, name);
  }

  /** Once: an id that is complete, or in the list, is answered (P 5.4). Empty: nothing pending. */
  private Optional<FakePending> executed(
      FakeObject object, FakeWrite write, boolean durable, boolean made) throws WeftException {
    if (write.seqCount() > 0 && object.pending().isComplete(write.grant(), write.lastSeq())) {
      return Optional.empty();
    }
    if (write.isClients(object.version())) {
      Optional<FakePending> known = object.executed(write);
      if (known.isPresent()) {
        return known;
      }
    } else if (object.carries(write)) {
      return Optional.empty();
    }
    requireTruncation(object, write.truncationNumber());
    Optional<FakePending> record = object.write(write);
    store.countWrite();
    boolean changes = write.bytes().length > 0 || made;
    object.durable(object.isDurable() && (durable || !changes));
    return record;
  }

  private static void requireTruncation(FakeObject object, int number) throws WeftException {
    if (number < object.truncationNumber()) {
      throw new WeftException(
          ErrorCode.FENCED,
          "a write of truncation number "
              + number
              + " comes after a truncation with "
              + object.truncationNumber());
    }
  }

  AbortReply abort(Capability capability, AbortRequest request) throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    store.require(capability, name, Right.WRITE);
    if (request.getFirstSeq() == 0 || request.getSeqCount() == 0) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "an ABORT needs the seqs of a write");
    }
    requireOwnGrant(capability, request.getGrant());
    var unused = store.existing(capability, name, Right.WRITE);
    boolean undone =
        store.change(
            name,
            object -> {
              object.durable(false);
              return object.abort(request.getGrant(), request.getFirstSeq(), request.getSeqCount());
            });
    return AbortReply.newBuilder()
        .setUndone(undone)
        .setPendingCheckpoint(2)
        .setDurableCheckpoint(1)
        .build();
  }

  RangeReply complete(Capability capability, CompleteRequest request) throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    store.require(capability, name, Right.WRITE);
    requireOwnGrant(capability, request.getGrant());
    var unused = store.existing(capability, name, Right.WRITE);
    return store.change(
        name,
        object -> {
          note(object, capability, request.getGrant(), request.getCompleteUpTo());
          if (request.getForgetGivenBack()) {
            object.givenBack().clear();
          }
          if (request.getEof() > 0) {
            object.establish(request.getTruncationNumber(), request.getEof());
          }
          return DONE;
        });
  }

  RangeReply truncate(Capability capability, TruncateRequest request) throws WeftException {
    requireBlocks("length", request.getLength());
    long grant = request.getGrant();
    long seq = request.getSeq();
    ObjectName name = forCutting(capability, request.getObjectId(), grant, seq);
    return cut(
        capability,
        name,
        new WriteId(grant, seq),
        request.getCompleteUpTo(),
        object -> {
          object.establish(request.getTruncationNumber(), request.getEof());
          object.truncate(request.getLength(), grant, seq);
        });
  }

  RangeReply punch(Capability capability, PunchRequest request) throws WeftException {
    requireBlocks("offset", request.getOffset());
    requireBlocks("length", request.getLength());
    long grant = request.getGrant();
    long seq = request.getSeq();
    ObjectName name = forCutting(capability, request.getObjectId(), grant, seq);
    return cut(
        capability,
        name,
        new WriteId(grant, seq),
        request.getCompleteUpTo(),
        object -> object.punch(request.getOffset(), request.getLength(), grant, seq));
  }

  private RangeReply cut(
      Capability capability,
      ObjectName name,
      WriteId id,
      long completeUpTo,
      Consumer<FakeObject> change)
      throws WeftException {
    return store.change(
        name,
        object -> {
          if (!object.pending().isComplete(id.grant(), id.sequence())) {
            note(object, capability, id.grant(), completeUpTo);
            change.accept(object);
          }
          return DONE;
        });
  }

  /** What a request says of other writes. */
  private static void note(
      FakeObject object, Capability capability, long grant, long completeUpTo) {
    object.resolvedBelow(capability.floor());
    object.pending().complete(grant, completeUpTo);
  }

  private ObjectName forCutting(Capability capability, long objectId, long grant, long seq)
      throws WeftException {
    requireOwnGrant(capability, grant);
    if (seq == 0) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "it needs a seq; seqs start at 1");
    }
    ObjectName name = name(capability, objectId);
    var unused = store.existing(capability, name, Right.WRITE);
    return name;
  }

  /** A client acts under its own grant alone, a manager under any. */
  private static void requireOwnGrant(Capability capability, long grant) throws WeftException {
    if (capability.allows(Right.MANAGE)
        ? new Lsn(grant).epoch() > capability.epoch()
        : grant != capability.grant()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "the request's grant is not its capability's");
    }
    if (Long.compareUnsigned(grant, capability.floor()) < 0 && new Lsn(grant).index() != 0) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "the request's grant lies below its capability's floor");
    }
  }

  private static void requireBlocks(String what, long bytes) throws WeftException {
    if (bytes % BLOCK_BYTES != 0) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, what + " " + bytes + " is no multiple of 4096");
    }
  }

  private static void checkCrcs(FakeWrite write, List<Integer> crcs) throws WeftException {
    byte[] payload = write.bytes();
    int done = 0;
    int index = 0;
    while (done < payload.length) {
      int inBlock = (int) ((write.offset() + done) % BLOCK_BYTES);
      int count = Math.min(BLOCK_BYTES - inBlock, payload.length - done);
      if (index >= crcs.size() || Checksums.of(payload, done, count) != crcs.get(index)) {
        throw new WeftException(
            ErrorCode.BAD_CHECKSUM, "block " + index + " of the payload does not match its CRC");
      }
      index++;
      done += count;
    }
    if (index != crcs.size()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          index + " blocks are touched, " + crcs.size() + " CRCs were sent");
    }
  }

  FlushReply flush(Capability capability, FlushRequest request) throws WeftException {
    if (request.getObjectId() == WHOLE_PARTITION) {
      store.objects().values().forEach(object -> object.durable(true));
    } else {
      ObjectName name = name(capability, request.getObjectId());
      store.existing(capability, name, Right.WRITE, Right.COPY).durable(true);
    }
    return FlushReply.newBuilder().setDurableCheckpoint(2).build();
  }
}
