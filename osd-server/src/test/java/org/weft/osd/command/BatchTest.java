package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.OsdCaller.blocksOf;
import static org.weft.osd.harness.OsdCaller.writeOf;
import static org.weft.osd.harness.Refusals.refused;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.harness.Blocks;
import org.weft.osd.harness.Caps;
import org.weft.osd.harness.OsdCaller;
import org.weft.osd.harness.OsdRig;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.FenceRequest;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.ReadRequest;
import org.weft.protocol.wire.RemoveReply;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.SetAttributesReply;
import org.weft.protocol.wire.SetAttributesRequest;

/** BATCH: one frame, one commit, and each item on its own capability (P 5.7, 6.3). */
class BatchTest {
  private static final long OBJECT = 70_000;
  private static final long GRANT = Lsn.of(3, 10).value();
  private static final byte[] BLOCK = Blocks.random(1, 4_096);

  @TempDir Path directory;
  private OsdRig rig;
  private OsdCaller osd;
  private Caps caps;
  private SignedCapability manager;
  private final BatchRequest.Builder batch = BatchRequest.newBuilder();
  private final List<byte[]> secrets = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    rig = OsdRig.start(directory);
    osd = rig.caller();
    caps = rig.caps();
    manager = caps.manager(3);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private void add(Opcode opcode, MessageLite body, byte[] payload, byte[] secret) {
    batch.addItems(
        BatchItem.newBuilder()
            .setOpcode(opcode.number())
            .setBody(body.toByteString())
            .setPayload(ByteString.copyFrom(payload)));
    secrets.add(secret);
  }

  private void addAttributes(SignedCapability capability, long object, long lsn) {
    var request =
        SetAttributesRequest.newBuilder()
            .setCapability(capability.encoded())
            .setObjectId(object)
            .setCreate(TAG)
            .addPages(AttributePage.newBuilder().setLsn(lsn));
    add(Opcode.SET_ATTRIBUTES, request.build(), new byte[0], capability.secret());
  }

  private void addBlocks(long object, long lsn) {
    var request =
        blocksOf(object, lsn, List.of(4L), BLOCK).setCapability(manager.encoded()).build();
    add(Opcode.WRITE_BLOCKS, request, BLOCK, manager.secret());
  }

  private void addRemove(long object, long lsn) {
    var request =
        RemoveRequest.newBuilder()
            .setCapability(manager.encoded())
            .setObjectId(object)
            .setLsn(lsn)
            .build();
    add(Opcode.REMOVE, request, new byte[0], manager.secret());
  }

  private List<BatchItemReply> send() throws WeftException {
    BatchReply reply = osd.batch(batch.build(), secrets);
    assertEquals(batch.getItemsCount(), reply.getItemsCount());
    return reply.getItemsList();
  }

  private static ErrorCode error(BatchItemReply item) {
    return ErrorCode.of(item.getError());
  }

  @Test
  void doesAllItemsInOrder() throws Exception {
    addAttributes(manager, OBJECT, 7);
    addBlocks(OBJECT, 8);
    addAttributes(manager, OBJECT, 6);
    addBlocks(OBJECT + 1, 9);
    addRemove(OBJECT + 1, 10);
    List<BatchItemReply> replies = send();
    replies.forEach(item -> assertEquals(0, item.getError(), item.getMessage()));
    assertEquals(1, SetAttributesReply.parseFrom(replies.get(2).getBody()).getSkipped());
    assertTrue(RemoveReply.parseFrom(replies.get(4).getBody()).getExisted());
    assertArrayEquals(BLOCK, osd.read(manager, OBJECT, 4 * 4_096, 4_096).bytes());
    assertEquals(List.of(OBJECT), osd.list(manager, 0, 0).getObjectIdList());
  }

  @Test
  void reportsRefusedItemsAndDoesTheOthers() throws Exception {
    osd.fence(manager, 3);
    addAttributes(manager, OBJECT, 7);
    addAttributes(caps.manager(2), OBJECT + 1, 7);
    addAttributes(caps.client(OBJECT + 2, GRANT), OBJECT + 2, 7);
    var bad = blocksOf(OBJECT + 3, 1, List.of(0L), BLOCK).setBlockCrc(0, 1);
    add(Opcode.WRITE_BLOCKS, bad.setCapability(manager.encoded()).build(), BLOCK, manager.secret());
    var absent = writeOf(OBJECT + 4, GRANT, 1, 0, BLOCK);
    SignedCapability client = caps.client(OBJECT + 4, GRANT);
    add(Opcode.WRITE, absent.setCapability(client.encoded()).build(), BLOCK, client.secret());
    addBlocks(OBJECT + 5, 1);
    List<BatchItemReply> replies = send();
    assertEquals(0, replies.get(0).getError());
    assertEquals(ErrorCode.FENCED, error(replies.get(1)));
    assertEquals(ErrorCode.CAPABILITY_INVALID, error(replies.get(2)));
    assertEquals(ErrorCode.BAD_CHECKSUM, error(replies.get(3)));
    assertEquals(ErrorCode.NO_SUCH_OBJECT, error(replies.get(4)));
    assertEquals(0, replies.get(5).getError());
    assertEquals(List.of(OBJECT, OBJECT + 5), osd.list(manager, 0, 0).getObjectIdList());
  }

  @Test
  void anItemSignedWithAnotherSecretIsRefused() throws Exception {
    addAttributes(manager, OBJECT, 7);
    addAttributes(manager, OBJECT + 1, 7);
    secrets.set(1, caps.manager(2).secret());
    List<BatchItemReply> replies = send();
    assertEquals(0, replies.get(0).getError());
    assertEquals(ErrorCode.UNAUTHENTICATED, error(replies.get(1)));
  }

  @Test
  void anItemOfWhichTheBodyIsGarbageIsRefused() throws Exception {
    add(Opcode.REMOVE, RemoveRequest.newBuilder().build(), new byte[0], manager.secret());
    batch.getItemsBuilder(0).setBody(ByteString.copyFrom(new byte[] {(byte) 0xff, 1, 2}));
    addAttributes(manager, OBJECT, 7);
    List<BatchItemReply> replies = send();
    assertEquals(ErrorCode.MALFORMED, error(replies.get(0)));
    assertEquals(0, replies.get(1).getError());
  }

  @Test
  void commandsThatOnlyAskAreNoItems() throws Exception {
    var read = ReadRequest.newBuilder().setCapability(manager.encoded()).setObjectId(OBJECT);
    add(Opcode.READ, read.build(), new byte[0], manager.secret());
    add(Opcode.BATCH, BatchRequest.getDefaultInstance(), new byte[0], manager.secret());
    add(Opcode.REMOVE, RemoveRequest.getDefaultInstance(), new byte[0], manager.secret());
    batch.getItemsBuilder(2).setOpcode(0x7777);
    for (BatchItemReply item : send()) {
      assertEquals(ErrorCode.UNSUPPORTED, error(item));
    }
  }

  private void addQuestion(SignedCapability capability, long object) {
    var request =
        GetAttributesRequest.newBuilder()
            .setCapability(capability.encoded())
            .setObjectId(object)
            .addPage(0);
    add(Opcode.GET_ATTRIBUTES, request.build(), new byte[0], capability.secret());
  }

  @Test
  void attributesOfManyObjectsAreAskedForAtOnce() throws Exception {
    for (int each = 0; each < 100; each++) {
      addAttributes(manager, OBJECT + each, 7 + each);
    }
    send();
    batch.clear();
    secrets.clear();
    for (int each = 0; each < 100; each++) {
      addQuestion(manager, OBJECT + each);
    }
    addQuestion(manager, OBJECT + 100);
    addQuestion(caps.client(OBJECT, GRANT), OBJECT + 1);
    List<BatchItemReply> replies = send();
    for (int each = 0; each < 100; each++) {
      GetAttributesReply reply = GetAttributesReply.parseFrom(replies.get(each).getBody());
      assertEquals(7 + each, reply.getPages(0).getLsn());
    }
    assertEquals(ErrorCode.NO_SUCH_OBJECT, error(replies.get(100)));
    assertEquals(ErrorCode.CAPABILITY_INVALID, error(replies.get(101)), "another object's");
  }

  @Test
  void attributesAreThoseBeforeTheChangesOfTheBatch() throws Exception {
    addAttributes(manager, OBJECT, 7);
    send();
    batch.clear();
    secrets.clear();
    addAttributes(manager, OBJECT, 8);
    addQuestion(manager, OBJECT);
    List<BatchItemReply> replies = send();
    assertEquals(0, replies.get(0).getError());
    assertEquals(7, GetAttributesReply.parseFrom(replies.get(1).getBody()).getPages(0).getLsn());
  }

  @Test
  void attributesBeyondOneReplyAreRefusedItemByItem() throws Exception {
    byte[] large = new byte[60 << 10];
    for (int each = 0; each < 50; each++) {
      var request =
          SetAttributesRequest.newBuilder()
              .setCapability(manager.encoded())
              .setObjectId(OBJECT + each)
              .setCreate(TAG)
              .addPages(AttributePage.newBuilder().setLsn(7).setValue(ByteString.copyFrom(large)));
      add(Opcode.SET_ATTRIBUTES, request.build(), new byte[0], manager.secret());
      send();
      batch.clear();
      secrets.clear();
    }
    for (int each = 0; each < 50; each++) {
      addQuestion(manager, OBJECT + each);
    }
    List<BatchItemReply> replies = send();
    assertEquals(34, replies.stream().filter(item -> item.getError() == 0).count());
    assertTrue(replies.get(49).getMessage().contains("ask for fewer"));
  }

  @Test
  void aFenceInsideABatchBindsTheItemsBehindIt() throws Exception {
    SignedCapability newer = caps.manager(4);
    var fence = FenceRequest.newBuilder().setCapability(newer.encoded()).setEpoch(4).build();
    add(Opcode.FENCE, fence, new byte[0], newer.secret());
    addAttributes(manager, OBJECT, 7);
    addAttributes(newer, OBJECT + 1, 7);
    List<BatchItemReply> replies = send();
    assertEquals(0, replies.get(0).getError(), replies.get(0).getMessage());
    assertEquals(ErrorCode.FENCED, error(replies.get(1)));
    assertEquals(0, replies.get(2).getError());
  }

  @Test
  void tooManyItemsAreRefusedAsAWhole() {
    for (int i = 0; i <= CommandLimits.MAX_BATCH_ITEMS; i++) {
      addRemove(OBJECT + i, 1);
    }
    refused(ErrorCode.INVALID_ARGUMENT, this::send);
  }

  @Test
  void anEmptyBatchChangesNothing() throws Exception {
    assertEquals(List.of(), send());
  }

  @Test
  void theOsdRefusesBatchesOfMillionsOfItems() throws Exception {
    BatchRequest.Builder millions = BatchRequest.newBuilder();
    for (int count = 0; count < 2_000_000; count++) {
      millions.addItems(BatchItem.getDefaultInstance());
    }
    BatchRequest large = millions.build();
    List<CompletableFuture<RpcReply>> answers = new ArrayList<>();
    List<RpcConnection> strangers = new ArrayList<>();
    for (int number = 0; number < 16; number++) {
      RpcConnection stranger = rig.connect();
      strangers.add(stranger);
      answers.add(new OsdCaller(stranger).send(Opcode.BATCH, large, new byte[0], null));
    }
    assertTrue(osd.status().getCapacityBytes() > 0);
    for (CompletableFuture<RpcReply> answer : answers) {
      String refusal = refused(ErrorCode.MALFORMED, () -> OsdCaller.wait(answer));
      assertTrue(refusal.contains("parts"), refusal);
    }
    assertTrue(osd.status().getCapacityBytes() > 0);
    strangers.forEach(RpcConnection::close);
  }
}
