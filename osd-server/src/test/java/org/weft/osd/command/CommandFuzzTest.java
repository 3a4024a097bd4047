package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.OsdCaller.blocksOf;
import static org.weft.osd.harness.OsdCaller.writeOf;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.osd.command.request.ClientGate;
import org.weft.osd.harness.Blocks;
import org.weft.osd.harness.FakeInbound;
import org.weft.osd.harness.OsdCaller;
import org.weft.osd.harness.OsdRig;
import org.weft.osd.store.Durability;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AbortRequest;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.CompleteRequest;
import org.weft.protocol.wire.CompletionMarkMessage;
import org.weft.protocol.wire.FenceRequest;
import org.weft.protocol.wire.FlushRequest;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.GetStampRequest;
import org.weft.protocol.wire.ListPartitionsRequest;
import org.weft.protocol.wire.ListPendingRequest;
import org.weft.protocol.wire.ListRequest;
import org.weft.protocol.wire.OsdStatusRequest;
import org.weft.protocol.wire.PunchRequest;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.ReadDeltaRequest;
import org.weft.protocol.wire.ReadRequest;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.TruncateRequest;
import org.weft.protocol.wire.WriteBlocksRequest;
import org.weft.protocol.wire.WriteRequest;
import org.weft.protocol.wire.XorReadWriteRequest;
import org.weft.protocol.wire.XorWriteRequest;

/**
 * Whatever a body says, it is answered, never with INTERNAL, and objects that it does not name are
 * not harmed. Signatures count as good, so that nonsense gets past the door. Another course of
 * events with {@code -Dweft.fuzz.seed}, more of it with {@code -Dweft.fuzz.rounds}.
 */
class CommandFuzzTest {
  private static final int ROUNDS = Integer.getInteger("weft.fuzz.rounds", 150);
  private static final long SEED = Long.getLong("weft.fuzz.seed", 42L);
  private static final long BYSTANDER = 90_000;
  private static final long[] OBJECTS = {70_000, 70_001, 70_002};
  private static final long GRANT = Lsn.of(3, 10).value();
  private static final byte[] UNHARMED = Blocks.random(1, 100_000);

  private static final Map<Opcode, Descriptor> BODIES = bodies();

  @TempDir Path directory;
  private OsdRig rig;
  private OsdCommandService service;
  private SignedCapability manager;

  private static Map<Opcode, Descriptor> bodies() {
    Map<Opcode, Descriptor> bodies = new EnumMap<>(Opcode.class);
    bodies.put(Opcode.WRITE, WriteRequest.getDescriptor());
    bodies.put(Opcode.READ, ReadRequest.getDescriptor());
    bodies.put(Opcode.WRITE_BLOCKS, WriteBlocksRequest.getDescriptor());
    bodies.put(Opcode.GET_ATTRIBUTES, GetAttributesRequest.getDescriptor());
    bodies.put(Opcode.SET_ATTRIBUTES, SetAttributesRequest.getDescriptor());
    bodies.put(Opcode.REMOVE, RemoveRequest.getDescriptor());
    bodies.put(Opcode.LIST, ListRequest.getDescriptor());
    bodies.put(Opcode.LIST_PARTITIONS, ListPartitionsRequest.getDescriptor());
    bodies.put(Opcode.FLUSH, FlushRequest.getDescriptor());
    bodies.put(Opcode.RAISE_VERSION, RaiseVersionRequest.getDescriptor());
    bodies.put(Opcode.FENCE, FenceRequest.getDescriptor());
    bodies.put(Opcode.GET_STAMP, GetStampRequest.getDescriptor());
    bodies.put(Opcode.BATCH, BatchRequest.getDescriptor());
    bodies.put(Opcode.OSD_STATUS, OsdStatusRequest.getDescriptor());
    bodies.put(Opcode.TRUNCATE, TruncateRequest.getDescriptor());
    bodies.put(Opcode.PUNCH, PunchRequest.getDescriptor());
    bodies.put(Opcode.XOR_READ_WRITE, XorReadWriteRequest.getDescriptor());
    bodies.put(Opcode.XOR_WRITE, XorWriteRequest.getDescriptor());
    bodies.put(Opcode.ABORT, AbortRequest.getDescriptor());
    bodies.put(Opcode.COMPLETE, CompleteRequest.getDescriptor());
    bodies.put(Opcode.LIST_PENDING, ListPendingRequest.getDescriptor());
    bodies.put(Opcode.READ_DELTA, ReadDeltaRequest.getDescriptor());
    return bodies;
  }

  static Stream<Opcode> opcodes() {
    return BODIES.keySet().stream();
  }

  @BeforeEach
  void start() throws IOException {
    rig = OsdRig.start(directory);
    manager = rig.caps().manager(3);
    service =
        new OsdCommandService(
            rig.daemon().store(),
            rig.environment(),
            Runnable::run,
            Durability.WRITE_BACK,
            new byte[32],
            ClientGate.OPEN);
    service.open();
    create(BYSTANDER);
    for (long object : OBJECTS) {
      create(object);
    }
  }

  private void create(long object) throws WeftException {
    SignedCapability client = rig.caps().client(object, GRANT);
    var write = writeOf(object, GRANT, 1, 0, UNHARMED).setSeqCount(2).setCreate(TAG);
    rig.caller().write(client, write, UNHARMED);
  }

  @AfterEach
  void bystanderIsUnharmed() throws IOException {
    try {
      // Fences may be anywhere by now; they do not bind a client.
      var content =
          rig.caller().read(rig.caps().client(BYSTANDER, GRANT), BYSTANDER, 0, UNHARMED.length);
      assertArrayEquals(UNHARMED, content.bytes());
      assertEquals(UNHARMED.length, content.reply().getEof());
      assertEquals(List.of(), rig.daemon().store().status().problems());
    } finally {
      rig.close();
    }
  }

  @ParameterizedTest
  @MethodSource("opcodes")
  void nonsenseIsRefusedWithAReason(Opcode opcode) {
    SplittableRandom random = new SplittableRandom(SEED + opcode.number());
    RandomMessages messages = new RandomMessages(random, manager.encoded(), OBJECTS);
    int succeeded = 0;
    if (opcode == Opcode.READ_DELTA) {
      exchanged();
    }
    for (int round = 0; round < ROUNDS; round++) {
      byte[] payload = payload(random);
      byte[] body = body(opcode, messages, random, payload);
      succeeded += send(opcode, body, payload) ? 1 : 0;
    }
    assertTrue(succeeded > 0, "of these messages " + succeeded + " were good");
  }

  /** There is something to ask for. */
  private void exchanged() {
    for (long object : OBJECTS) {
      byte[] bytes = new byte[4_096];
      MessageLite body =
          XorReadWriteRequest.newBuilder()
              .setCapability(rig.caps().client(object, GRANT).encoded())
              .setObjectId(object)
              .addAllBlockCrc(Blocks.crcs(0, bytes))
              .setOffset(40L * 4_096)
              .setGrant(GRANT)
              .setSeq(3)
              .build();
      assertTrue(send(Opcode.XOR_READ_WRITE, body.toByteArray(), bytes));
    }
  }

  private static byte[] payload(SplittableRandom random) {
    int[] lengths = {0, 0, 1, 4_096, 8_192, 5_000, 70_000};
    byte[] payload = new byte[lengths[random.nextInt(lengths.length)]];
    random.nextBytes(payload);
    return payload;
  }

  private byte[] body(
      Opcode opcode, RandomMessages messages, SplittableRandom random, byte[] payload) {
    byte[] plausible =
        switch (random.nextInt(4)) {
          case 0 -> messages.draw(BODIES.get(opcode)).toByteArray();
          case 1 -> random(random);
          default -> plausible(opcode, messages, random, payload).toByteArray();
        };
    return random.nextInt(3) == 0 ? messages.mutate(plausible) : plausible;
  }

  private static byte[] random(SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(300)];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Good but for a field or two. */
  private MessageLite plausible(
      Opcode opcode, RandomMessages messages, SplittableRandom random, byte[] payload) {
    long object = OBJECTS[random.nextInt(OBJECTS.length)];
    Message noise = messages.draw(BODIES.get(opcode));
    Message.Builder good =
        switch (opcode) {
          case WRITE ->
              writeOf(
                      object,
                      Lsn.of(3, 1 + random.nextInt(9)).value(),
                      1,
                      random.nextInt(9_000),
                      payload)
                  .setCapability(manager.encoded())
                  .setSeqCount(1 + random.nextInt(3))
                  .setCreate(TAG);
          case WRITE_BLOCKS ->
              blocksOf(
                      object,
                      random.nextInt(50),
                      List.of(1L, 5L).subList(0, Math.min(2, payload.length / 4_096)),
                      payload)
                  .setCapability(manager.encoded());
          case SET_ATTRIBUTES ->
              SetAttributesRequest.newBuilder()
                  .setCapability(manager.encoded())
                  .setObjectId(object)
                  .addComplete(
                      CompletionMarkMessage.newBuilder()
                          .setGrant(random.nextInt(5))
                          .setCompleteUpTo(random.nextLong()))
                  .addPages(
                      AttributePage.newBuilder()
                          .setPage(random.nextInt(3))
                          .setLsn(random.nextInt(9)));
          case TRUNCATE ->
              TruncateRequest.newBuilder()
                  .setCapability(manager.encoded())
                  .setObjectId(object)
                  .setGrant(Lsn.of(3, 1 + random.nextInt(12)).value())
                  .setSeq(1 + random.nextInt(5))
                  .setLength(4_096L * random.nextInt(20));
          case PUNCH ->
              PunchRequest.newBuilder()
                  .setCapability(manager.encoded())
                  .setObjectId(object)
                  .setGrant(Lsn.of(3, 1 + random.nextInt(12)).value())
                  .setSeq(1 + random.nextInt(5))
                  .setOffset(4_096L * random.nextInt(20))
                  .setLength(4_096L * random.nextInt(20));
          case XOR_READ_WRITE, XOR_WRITE, ABORT, COMPLETE, READ_DELTA ->
              pending(opcode, object, random, payload);
          case BATCH -> batch(messages, random);
          default -> messages.draw(BODIES.get(opcode)).toBuilder();
        };
    if (random.nextInt(3) == 0) {
      var fields = BODIES.get(opcode).getFields();
      if (!fields.isEmpty()) {
        var field = fields.get(random.nextInt(fields.size()));
        good.setField(field, noise.getField(field));
      }
    }
    return good.build();
  }

  /** As a client would send it: a manager's own numbers are not for these. */
  private Message.Builder pending(
      Opcode opcode, long object, SplittableRandom random, byte[] payload) {
    ByteString client = rig.caps().client(object, GRANT).encoded();
    long seq = 3 + random.nextInt(6);
    return switch (opcode) {
      case XOR_READ_WRITE -> {
        long offset = 4_096L * 40 + random.nextInt(200_000);
        yield XorReadWriteRequest.newBuilder()
            .setCapability(client)
            .setObjectId(object)
            .setOffset(offset)
            .addAllBlockCrc(Blocks.crcs(offset, payload))
            .setGrant(GRANT)
            .setSeq(seq)
            .addParticipants(random.nextInt(5));
      }
      case XOR_WRITE -> {
        long offset = 4_096L * (40 + random.nextInt(50));
        yield XorWriteRequest.newBuilder()
            .setCapability(client)
            .setObjectId(object)
            .setOffset(offset)
            .addAllBlockCrc(Blocks.crcs(offset, payload))
            .setGrant(GRANT)
            .setSeq(seq)
            .addParticipants(random.nextInt(5));
      }
      case ABORT ->
          AbortRequest.newBuilder()
              .setCapability(client)
              .setObjectId(object)
              .setGrant(GRANT)
              .setFirstSeq(seq)
              .setSeqCount(1 + random.nextInt(2));
      case COMPLETE ->
          CompleteRequest.newBuilder()
              .setCapability(client)
              .setObjectId(object)
              .setGrant(GRANT)
              .setCompleteUpTo(seq)
              .setEof(random.nextInt(9));
      default ->
          ReadDeltaRequest.newBuilder()
              .setCapability(manager.encoded())
              .setObjectId(object)
              .setGrant(GRANT)
              .setSeq(random.nextInt(5));
    };
  }

  private BatchRequest.Builder batch(RandomMessages messages, SplittableRandom random) {
    BatchRequest.Builder batch = BatchRequest.newBuilder();
    Opcode[] opcodes = BODIES.keySet().toArray(new Opcode[0]);
    for (int i = 0; i < 8; i++) {
      Opcode opcode = opcodes[random.nextInt(opcodes.length)];
      byte[] payload = payload(random);
      MessageLite body =
          opcode == Opcode.BATCH
              ? messages.draw(BODIES.get(opcode))
              : plausible(opcode, messages, random, payload);
      batch.addItems(
          BatchItem.newBuilder()
              .setOpcode(opcode.number())
              .setBody(body.toByteString())
              .setPayload(ByteString.copyFrom(payload)));
    }
    return batch;
  }

  private boolean send(Opcode opcode, byte[] body, byte[] payload) {
    FakeInbound request =
        new FakeInbound(opcode.number(), body, payload, true).deadlineNanos(far());
    service.handle(request);
    try {
      MessageLite reply = OsdCaller.wait(request.answer());
      if (reply instanceof org.weft.protocol.wire.BatchReply batch) {
        batch
            .getItemsList()
            .forEach(item -> assertNotEquals(ErrorCode.INTERNAL.number(), item.getError()));
      }
      return true;
    } catch (WeftException e) {
      assertNotEquals(ErrorCode.INTERNAL, e.code(), opcode + ": " + e);
      return false;
    }
  }

  private long far() {
    return rig.environment().ticker().nowNanos() + 60_000_000_000L;
  }
}
