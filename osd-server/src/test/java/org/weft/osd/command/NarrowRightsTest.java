package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.OsdCaller.writeOf;
import static org.weft.osd.harness.Refusals.refused;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.harness.Blocks;
import org.weft.osd.harness.Caps;
import org.weft.osd.harness.OsdCaller;
import org.weft.osd.harness.OsdRig;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AbortRequest;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.CompleteRequest;
import org.weft.protocol.wire.FenceRequest;
import org.weft.protocol.wire.FlushRequest;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.GetStampRequest;
import org.weft.protocol.wire.ListBadBlocksRequest;
import org.weft.protocol.wire.ListPendingRequest;
import org.weft.protocol.wire.ListRequest;
import org.weft.protocol.wire.PunchRequest;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.ReadDeltaRequest;
import org.weft.protocol.wire.ReadRequest;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.ReportBadBlocksRequest;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.TruncateRequest;
import org.weft.protocol.wire.WriteBlocksRequest;
import org.weft.protocol.wire.WriteRequest;
import org.weft.protocol.wire.XorReadWriteRequest;
import org.weft.protocol.wire.XorWriteRequest;

/**
 * What an OSD does for a check of a volume without a manager (P 6.8d), and for a manager that
 * copies a component for another one (P 6.8): what they need, and nothing else that there is.
 */
class NarrowRightsTest {
  private static final long OBJECT = 70_000;
  private static final long GRANT = Lsn.of(3, 10).value();
  private static final long NUMBER = Lsn.of(3, 20).value();
  private static final byte[] BYTES = Blocks.random(1, 4_096);
  private static final byte[] COPIED = Blocks.random(2, 4_096);
  private static final long LIFE_MILLIS = 15L * 60 * 1_000;
  private static final byte[] LOST = new byte[4_096];

  /** Commands that are obeyed by a capability, each with an empty request. */
  private static final Map<Opcode, Message> COMMANDS =
      new EnumMap<>(
          Map.ofEntries(
              Map.entry(Opcode.WRITE, WriteRequest.getDefaultInstance()),
              Map.entry(Opcode.WRITE_BLOCKS, WriteBlocksRequest.getDefaultInstance()),
              Map.entry(Opcode.SET_ATTRIBUTES, SetAttributesRequest.getDefaultInstance()),
              Map.entry(Opcode.REMOVE, RemoveRequest.getDefaultInstance()),
              Map.entry(Opcode.RAISE_VERSION, RaiseVersionRequest.getDefaultInstance()),
              Map.entry(Opcode.FENCE, FenceRequest.getDefaultInstance()),
              Map.entry(Opcode.ABORT, AbortRequest.getDefaultInstance()),
              Map.entry(Opcode.COMPLETE, CompleteRequest.getDefaultInstance()),
              Map.entry(Opcode.XOR_READ_WRITE, XorReadWriteRequest.getDefaultInstance()),
              Map.entry(Opcode.XOR_WRITE, XorWriteRequest.getDefaultInstance()),
              Map.entry(Opcode.TRUNCATE, TruncateRequest.getDefaultInstance()),
              Map.entry(Opcode.PUNCH, PunchRequest.getDefaultInstance()),
              Map.entry(Opcode.READ, ReadRequest.getDefaultInstance()),
              Map.entry(Opcode.GET_STAMP, GetStampRequest.getDefaultInstance()),
              Map.entry(Opcode.LIST_PENDING, ListPendingRequest.getDefaultInstance()),
              Map.entry(Opcode.READ_DELTA, ReadDeltaRequest.getDefaultInstance()),
              Map.entry(Opcode.GET_ATTRIBUTES, GetAttributesRequest.getDefaultInstance()),
              Map.entry(Opcode.LIST, ListRequest.getDefaultInstance()),
              Map.entry(Opcode.FLUSH, FlushRequest.getDefaultInstance()),
              Map.entry(Opcode.LIST_BAD_BLOCKS, ListBadBlocksRequest.getDefaultInstance()),
              Map.entry(Opcode.REPORT_BAD_BLOCKS, ReportBadBlocksRequest.getDefaultInstance())));

  /** Those that go by another right, or carry others. */
  private static final Set<Opcode> OTHERS =
      EnumSet.of(Opcode.BATCH, Opcode.LIST_PARTITIONS, Opcode.OSD_STATUS);

  private static final Set<Opcode> OF_LOOKS =
      EnumSet.of(Opcode.LIST, Opcode.READ, Opcode.GET_STAMP, Opcode.GET_ATTRIBUTES);
  private static final Set<Opcode> OF_COPIES =
      EnumSet.of(
          Opcode.READ,
          Opcode.GET_STAMP,
          Opcode.REPORT_BAD_BLOCKS,
          Opcode.WRITE,
          Opcode.RAISE_VERSION,
          Opcode.FLUSH);

  @TempDir Path directory;
  private OsdRig rig;
  private OsdCaller osd;
  private Caps caps;

  @BeforeEach
  void startWithOneObject() throws IOException {
    rig = OsdRig.start(directory);
    osd = rig.caller();
    caps = rig.caps();
    osd.write(
        caps.client(OBJECT, GRANT), writeOf(OBJECT, GRANT, 1, 0, BYTES).setCreate(TAG), BYTES);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private SignedCapability looker(long epoch) {
    return rig.cluster()
        .sign(
            Caps.with(
                caps.managerCapability(epoch),
                Right.bits(Right.READ, Right.READ_ATTRIBUTES, Right.LOOK)));
  }

  private SignedCapability copier(long object, long number) {
    return copier(object, number, osdId(), start(), LIFE_MILLIS);
  }

  private SignedCapability copier(long object, long number, int osdId, long start, long millis) {
    long expiryMillis = rig.environment().clock().nowMillis() + millis;
    return caps.copier(object, number, osdId, start, expiryMillis);
  }

  private int osdId() {
    return rig.daemon().store().identity().osd().orElseThrow().value();
  }

  private long start() {
    return rig.daemon().store().identity().incarnation();
  }

  private void send(Opcode opcode, SignedCapability capability) throws WeftException {
    Message.Builder request = COMMANDS.get(opcode).newBuilderForType();
    request.setField(field(request, "capability"), capability.encoded());
    FieldDescriptor object = field(request, "object_id");
    if (object != null) {
      request.setField(object, OBJECT);
    }
    OsdCaller.wait(osd.send(opcode, request.build(), new byte[0], capability.secret()))
        .payload()
        .release();
  }

  private static FieldDescriptor field(Message.Builder of, String name) {
    return of.getDescriptorForType().findFieldByName(name);
  }

  /** All other commands are refused for the right that they need, before anything else. */
  private void assertRefusesAllBut(Set<Opcode> allowed, SignedCapability capability) {
    for (Opcode opcode : COMMANDS.keySet()) {
      if (!allowed.contains(opcode)) {
        refused(ErrorCode.CAPABILITY_INVALID, () -> send(opcode, capability));
      }
    }
  }

  @Test
  void everyCommandOfAnOsdIsJudgedHere() {
    for (Opcode opcode : Opcode.values()) {
      if (!COMMANDS.containsKey(opcode) && !OTHERS.contains(opcode)) {
        WeftException refusal =
            assertThrows(
                WeftException.class,
                () ->
                    OsdCaller.wait(
                        osd.send(opcode, ListRequest.getDefaultInstance(), new byte[0], null)));
        assertNotEquals(
            ErrorCode.CAPABILITY_INVALID, refusal.code(), opcode + " goes by a capability");
      }
    }
  }

  @Test
  void aLookerIsAnsweredInQuarantineTooAndChangesNothing() throws Exception {
    SignedCapability looker = looker(3);
    rig.daemon().store().quarantine(true, Set.of());
    osd.raiseVersion(caps.manager(3), OBJECT, NUMBER);
    assertEquals(List.of(OBJECT), osd.list(looker, 0, 10).getObjectIdList());
    assertArrayEquals(BYTES, osd.read(looker, OBJECT, 0, BYTES.length).bytes());
    assertEquals(NUMBER, osd.attributes(looker, OBJECT).getObjectVersion());
    assertEquals(
        1,
        osd.stamps(looker, GetStampRequest.newBuilder().setObjectId(OBJECT).setLength(4_096))
            .getStampsCount());
    assertRefusesAllBut(OF_LOOKS, looker);
    rig.daemon().store().quarantine(false, Set.of());
    assertRefusesAllBut(OF_LOOKS, looker);
    BatchItemReply removal = batched(looker);
    assertEquals(ErrorCode.CAPABILITY_INVALID.number(), removal.getError());
    assertArrayEquals(BYTES, osd.read(caps.manager(3), OBJECT, 0, BYTES.length).bytes());
    assertEquals(NUMBER, osd.attributes(caps.manager(3), OBJECT).getObjectVersion());
  }

  private BatchItemReply batched(SignedCapability capability) throws WeftException {
    RemoveRequest removal =
        RemoveRequest.newBuilder()
            .setCapability(capability.encoded())
            .setObjectId(OBJECT)
            .setLsn(Lsn.of(9, 1).value())
            .build();
    BatchRequest request =
        BatchRequest.newBuilder()
            .addItems(
                BatchItem.newBuilder()
                    .setOpcode(Opcode.REMOVE.number())
                    .setBody(removal.toByteString()))
            .build();
    return osd.batch(request, List.of(capability.secret())).getItems(0);
  }

  @Test
  void aNewerManagerFencesALooker() throws Exception {
    SignedCapability looker = looker(3);
    osd.fence(caps.manager(4), 4);
    refused(ErrorCode.FENCED, () -> osd.list(looker, 0, 10));
    refused(ErrorCode.FENCED, () -> osd.read(looker, OBJECT, 0, 1));
    refused(ErrorCode.FENCED, () -> osd.attributes(looker, OBJECT));
  }

  @Test
  void theRightToCopyAllowsNothingBeyondWritingItsObject() throws Exception {
    long made = OBJECT + 1;
    SignedCapability copier = copier(made, NUMBER);
    osd.write(
        copier,
        WriteRequest.newBuilder().setObjectId(made).setGrant(NUMBER).setCreate(TAG),
        new byte[0]);
    osd.raiseVersion(copier, made, NUMBER);
    osd.write(copier, writeOf(made, NUMBER, 1, 0, COPIED).setEof(8_192), COPIED);
    osd.write(copier, writeOf(made, NUMBER, 2, 4_096, LOST).setLost(true), LOST);
    osd.flush(copier, made);
    assertArrayEquals(COPIED, osd.read(copier, made, 0, COPIED.length).bytes());
    // The block that is lost comes with a checksum that fits nothing.
    AssertionError lost =
        assertThrows(AssertionError.class, () -> osd.read(copier, made, 4_096, 4_096));
    assertTrue(String.valueOf(lost.getMessage()).contains("bad checksum"), lost::toString);
    assertRefusesAllBut(OF_COPIES, copier(OBJECT, NUMBER));
    assertEquals(ErrorCode.CAPABILITY_INVALID.number(), batched(copier(OBJECT, NUMBER)).getError());
    assertArrayEquals(BYTES, osd.read(caps.manager(3), OBJECT, 0, BYTES.length).bytes());
  }

  @Test
  void aCopierTouchesNoOtherObject() {
    SignedCapability copier = copier(OBJECT + 1, NUMBER);
    assertRefusesAllBut(Set.of(), copier);
    refused(ErrorCode.CAPABILITY_INVALID, () -> osd.flush(copier, Capability.WHOLE_PARTITION));
  }

  @Test
  void aCopierActsUnderItsOwnNumberAlone() throws Exception {
    SignedCapability copier = copier(OBJECT, NUMBER);
    long version = osd.attributes(caps.manager(3), OBJECT).getObjectVersion();
    for (long other : new long[] {GRANT, NUMBER - 1, NUMBER + 1}) {
      refused(
          ErrorCode.INVALID_ARGUMENT,
          () -> osd.write(copier, writeOf(OBJECT, other, 2, 0, COPIED), COPIED));
      refused(ErrorCode.INVALID_ARGUMENT, () -> osd.raiseVersion(copier, OBJECT, other));
    }
    assertEquals(version, osd.attributes(caps.manager(3), OBJECT).getObjectVersion());
  }

  @Test
  void aCopierIsRefusedOnceItsTimeIsOver() {
    SignedCapability expired = caps.copier(OBJECT, NUMBER, osdId(), start(), 1);
    for (Opcode opcode : OF_COPIES) {
      refused(ErrorCode.CAPABILITY_EXPIRED, () -> send(opcode, expired));
    }
  }

  /**
   * A component of the same file on another OSD, or on this one after another start: a worker with
   * a wrong map would write over what is alive.
   */
  @Test
  void aCopierReadsALiveComponentAndChangesNothingOfIt() throws Exception {
    long version = osd.attributes(caps.manager(3), OBJECT).getObjectVersion();
    for (SignedCapability copier :
        List.of(
            copier(OBJECT, NUMBER, osdId() + 1, start(), LIFE_MILLIS),
            copier(OBJECT, NUMBER, osdId(), start() + 1, LIFE_MILLIS),
            copier(OBJECT, NUMBER, 0, 0, LIFE_MILLIS))) {
      assertArrayEquals(BYTES, osd.read(copier, OBJECT, 0, BYTES.length).bytes());
      refused(
          ErrorCode.CAPABILITY_INVALID,
          () -> osd.write(copier, writeOf(OBJECT, NUMBER, 1, 0, COPIED), COPIED));
      refused(
          ErrorCode.CAPABILITY_INVALID,
          () -> osd.write(copier, writeOf(OBJECT, NUMBER, 1, 0, LOST).setLost(true), LOST));
      refused(ErrorCode.CAPABILITY_INVALID, () -> osd.raiseVersion(copier, OBJECT, NUMBER));
      refused(ErrorCode.CAPABILITY_INVALID, () -> osd.flush(copier, OBJECT));
      assertRefusesAllBut(
          EnumSet.of(Opcode.READ, Opcode.GET_STAMP, Opcode.REPORT_BAD_BLOCKS), copier);
    }
    assertArrayEquals(BYTES, osd.read(caps.manager(3), OBJECT, 0, BYTES.length).bytes());
    assertEquals(version, osd.attributes(caps.manager(3), OBJECT).getObjectVersion());
  }

  @Test
  void aRightToCopyEverythingIsRefused() {
    SignedCapability all = copier(Capability.WHOLE_PARTITION, NUMBER);
    String text = refused(ErrorCode.CAPABILITY_INVALID, () -> osd.read(all, OBJECT, 0, 1));
    assertTrue(text.contains("names no object"), text);
    refused(
        ErrorCode.CAPABILITY_INVALID,
        () -> osd.write(all, writeOf(OBJECT, NUMBER, 1, 0, COPIED), COPIED));
  }

  @Test
  void aRightToCopyThatLastsForHoursIsRefused() throws Exception {
    long hourMillis = 60L * 60 * 1_000;
    SignedCapability lasting = copier(OBJECT, NUMBER, osdId(), start(), 2 * hourMillis);
    for (Opcode opcode : OF_COPIES) {
      refused(ErrorCode.CAPABILITY_INVALID, () -> send(opcode, lasting));
    }
    SignedCapability ever = caps.copier(OBJECT, NUMBER, osdId(), start(), Long.MAX_VALUE);
    refused(ErrorCode.CAPABILITY_INVALID, () -> osd.raiseVersion(ever, OBJECT, NUMBER));
    osd.raiseVersion(copier(OBJECT, NUMBER, osdId(), start(), hourMillis / 2), OBJECT, NUMBER);
  }

  /** No version binds a right to look or to copy: beside it stands none but to read. */
  @Test
  void anotherRightThanToReadBesideANarrowOneIsRefused() {
    for (Right narrow : List.of(Right.LOOK, Right.COPY)) {
      for (Right writes : List.of(Right.WRITE, Right.CREATE, Right.LOOK, Right.COPY)) {
        if (writes == narrow) {
          continue;
        }
        SignedCapability both = caps.client(OBJECT, NUMBER, Right.READ, narrow, writes);
        String text =
            refused(ErrorCode.CAPABILITY_INVALID, () -> osd.read(both, OBJECT, 0, BYTES.length));
        assertTrue(text.contains("beside"), text);
      }
    }
  }
}
