package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.OsdCaller.blocksOf;
import static org.weft.osd.harness.OsdCaller.writeOf;
import static org.weft.osd.harness.Refusals.refused;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.harness.Blocks;
import org.weft.osd.harness.Caps;
import org.weft.osd.harness.OsdCaller;
import org.weft.osd.harness.OsdRig;
import org.weft.protocol.capability.InitialAttributesSignature;
import org.weft.protocol.capability.Right;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.ComponentTag;
import org.weft.protocol.wire.InitialAttributes;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.WriteRequest;

/** P 6.6: objects are born by their first write, and removed ones do not come back. */
class CreationTest {
  private static final long OBJECT = 70_000;
  private static final byte[] BYTES = Blocks.random(1, 4_096);

  @TempDir Path directory;
  private OsdRig rig;
  private OsdCaller osd;
  private Caps caps;

  @BeforeEach
  void start() throws IOException {
    rig = OsdRig.start(directory);
    osd = rig.caller();
    caps = rig.caps();
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private static long grant(long index) {
    return Lsn.of(3, index).value();
  }

  private void create(long grant) throws WeftException {
    osd.write(
        caps.client(OBJECT, grant), writeOf(OBJECT, grant, 1, 0, BYTES).setCreate(TAG), BYTES);
  }

  private void assertAbsent() {
    refused(ErrorCode.NO_SUCH_OBJECT, () -> osd.read(caps.manager(9), OBJECT, 0, 1));
  }

  @Test
  void aWriteWithoutTheTagDoesNotCreate() {
    var request = writeOf(OBJECT, grant(1), 1, 0, BYTES);
    refused(
        ErrorCode.NO_SUCH_OBJECT, () -> osd.write(caps.client(OBJECT, grant(1)), request, BYTES));
    assertAbsent();
  }

  @Test
  void creatingNeedsTheRightToIt() {
    var request = writeOf(OBJECT, grant(1), 1, 0, BYTES).setCreate(TAG);
    refused(
        ErrorCode.CAPABILITY_INVALID,
        () -> osd.write(caps.client(OBJECT, grant(1), Right.WRITE), request, BYTES));
    assertAbsent();
  }

  @Test
  void anImpossibleTagIsRefused() {
    List<ComponentTag> impossible =
        List.of(
            ComponentTag.getDefaultInstance(),
            TAG.toBuilder().setUnitBytes(1_000).build(),
            TAG.toBuilder().setDataUnits(-1).build(),
            TAG.toBuilder().setParityUnits(4).build(),
            TAG.toBuilder().setGroups(Integer.MAX_VALUE).build(),
            TAG.toBuilder().setComponentIndex(-5).build());
    for (ComponentTag tag : impossible) {
      var request = writeOf(OBJECT, grant(1), 1, 0, BYTES).setCreate(tag);
      refused(
          ErrorCode.INVALID_ARGUMENT,
          () -> osd.write(caps.client(OBJECT, grant(1)), request, BYTES));
    }
    assertAbsent();
  }

  @Test
  void aLateWriteDoesNotRecreateARemovedObject() throws Exception {
    create(grant(5));
    osd.remove(caps.manager(3), OBJECT, grant(6));
    refused(ErrorCode.TOMBSTONE, () -> create(grant(5)));
    assertAbsent();
    create(grant(7));
  }

  @Test
  void removingAnUnknownObjectAlsoLeavesATombstone() throws Exception {
    assertEquals(false, osd.remove(caps.manager(3), OBJECT, grant(6)).getExisted());
    refused(ErrorCode.TOMBSTONE, () -> create(grant(5)));
  }

  @Test
  void aGrantBelowTheFloorCreatesNoObject() throws Exception {
    osd.setAttributes(
        caps.manager(3),
        SetAttributesRequest.newBuilder()
            .setObjectId(OBJECT + 1)
            .setCreate(TAG)
            .setCreateFloor(grant(8))
            .addPages(AttributePage.newBuilder().setLsn(grant(9))));
    refused(ErrorCode.TOMBSTONE, () -> create(grant(7)));
    assertAbsent();
    create(grant(8));
  }

  /** What a manager gave up and said again may arrive when the file has gone, and its tombstone. */
  @Test
  void aLateFlushDoesNotRecreateAForgottenObject() throws Exception {
    SignedCapability manager = caps.manager(3);
    osd.setAttributes(manager, flushOf(OBJECT, 4));
    osd.remove(manager, OBJECT, grant(6));
    osd.setAttributes(manager, flushOf(OBJECT + 1, 5).setCreateFloor(grant(8)));
    refused(ErrorCode.BUSY, () -> osd.setAttributes(manager, flushOf(OBJECT, 4)));
    refused(
        ErrorCode.BUSY,
        () ->
            osd.writeBlocks(
                manager,
                blocksOf(OBJECT, grant(4), List.of(0L), BYTES).setCreate(TAG).setRound(4),
                BYTES));
    assertAbsent();
    osd.setAttributes(manager, flushOf(OBJECT + 2, 5));
    osd.setAttributes(caps.manager(4), flushOf(OBJECT + 3, 1));
  }

  private static SetAttributesRequest.Builder flushOf(long object, long round) {
    return SetAttributesRequest.newBuilder()
        .setObjectId(object)
        .setCreate(TAG)
        .setRound(round)
        .addPages(AttributePage.newBuilder().setLsn(grant(4)));
  }

  @Test
  void theFirstWriteStoresTheAttributesThatTheManagerSigned() throws Exception {
    var request = firstWrite(OBJECT, grant(1), "attributes");
    osd.write(caps.client(OBJECT, grant(1)), request, BYTES);
    var pages = osd.attributes(caps.manager(3), OBJECT).getPagesList();
    assertEquals(1, pages.size());
    assertEquals("attributes", pages.get(0).getValue().toStringUtf8());
    assertEquals(grant(1), pages.get(0).getLsn());
  }

  @Test
  void aLaterRetryDoesNotPutBackOldAttributes() throws Exception {
    var request = firstWrite(OBJECT, grant(1), "attributes");
    osd.write(caps.client(OBJECT, grant(1)), request.clone(), BYTES);
    osd.setAttributes(
        caps.manager(3),
        SetAttributesRequest.newBuilder()
            .setObjectId(OBJECT)
            .addPages(
                AttributePage.newBuilder()
                    .setLsn(grant(2))
                    .setValue(ByteString.copyFromUtf8("changed"))));
    osd.write(caps.client(OBJECT, grant(1)), request.clone(), BYTES);
    var pages = osd.attributes(caps.manager(3), OBJECT).getPagesList();
    assertEquals("changed", pages.get(0).getValue().toStringUtf8());
  }

  @Test
  void attributesThatTheManagerDidNotSignAreRefused() {
    var forged = firstWrite(OBJECT, grant(1), "attributes");
    forged.getInitialAttributesBuilder().getPageBuilder().setValue(ByteString.copyFromUtf8("root"));
    String text =
        refused(
            ErrorCode.CAPABILITY_INVALID,
            () -> osd.write(caps.client(OBJECT, grant(1)), forged, BYTES));
    assertTrue(text.contains("signed"), text);
    var another = firstWrite(OBJECT + 1, grant(1), "attributes").setObjectId(OBJECT);
    refused(
        ErrorCode.CAPABILITY_INVALID,
        () -> osd.write(caps.client(OBJECT, grant(1)), another, BYTES));
    assertAbsent();
  }

  private WriteRequest.Builder firstWrite(long object, long grant, String attributes) {
    byte[] key = rig.cluster().partition(Caps.PARTITION).getKeys(0).getKey().toByteArray();
    ByteString value = ByteString.copyFromUtf8(attributes);
    byte[] mac =
        InitialAttributesSignature.sign(
            key, ObjectName.of(Caps.PARTITION, object), 0, grant, value.asReadOnlyByteBuffer());
    return writeOf(object, grant, 1, 0, BYTES)
        .setCreate(TAG)
        .setInitialAttributes(
            InitialAttributes.newBuilder()
                .setPage(AttributePage.newBuilder().setLsn(grant).setValue(value))
                .setMac(ByteString.copyFrom(mac)));
  }
}
