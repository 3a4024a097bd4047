package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.writeOf;
import static org.weft.osd.harness.Refusals.refused;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.testkit.sysmgr.FakeCluster;

/** P 5.7: an OSD obeys capabilities and fences, nothing else, and a refusal harms nothing. */
class CapabilityCommandTest {
  private static final long OBJECT = 70_000;
  private static final long GRANT = Lsn.of(3, 10).value();
  private static final byte[] OLD = Blocks.random(1, 8_192);
  private static final byte[] NEW = Blocks.random(2, 8_192);

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
        caps.client(OBJECT, GRANT),
        writeOf(OBJECT, GRANT, 1, 0, OLD).setCreate(OsdCaller.TAG),
        OLD);
  }

  @AfterEach
  void unharmed() throws IOException {
    try {
      assertArrayEquals(OLD, osd.read(caps.manager(9), OBJECT, 0, OLD.length).bytes());
    } finally {
      rig.close();
    }
  }

  private void write(SignedCapability capability, long grant) throws WeftException {
    // The first write is complete, so that nothing but the capability stands in the way.
    osd.write(capability, writeOf(OBJECT, grant, 2, 0, NEW).setCompleteUpTo(1), NEW);
  }

  @Test
  void refusesACapabilityOfWhichAByteWasAltered() {
    SignedCapability genuine = caps.client(OBJECT, GRANT, Right.READ);
    byte[] altered = genuine.encoded().toByteArray();
    altered[3] |= (byte) Right.WRITE.bit();
    var forged = new SignedCapability(ByteString.copyFrom(altered), genuine.secret());
    String text = refused(ErrorCode.UNAUTHENTICATED, () -> write(forged, GRANT));
    assertTrue(text.contains("WRITE"), text);
  }

  @Test
  void refusesAnotherSecretsSignatureForAKnownCapability() throws Exception {
    SignedCapability genuine = caps.client(OBJECT, GRANT);
    byte[] other = caps.client(OBJECT + 1, GRANT).secret();
    refused(
        ErrorCode.UNAUTHENTICATED,
        () -> write(new SignedCapability(genuine.encoded(), other), GRANT));
  }

  @Test
  void refusesAnUnsignedRequest() {
    SignedCapability genuine = caps.client(OBJECT, GRANT);
    refused(
        ErrorCode.UNAUTHENTICATED,
        () -> write(new SignedCapability(genuine.encoded(), null), GRANT));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 95, 97, 4_000})
  void refusesACapabilityOfAnotherLength(int bytes) {
    var odd = new SignedCapability(ByteString.copyFrom(new byte[bytes]), Blocks.random(3, 32));
    refused(ErrorCode.CAPABILITY_INVALID, () -> write(odd, GRANT));
  }

  @Test
  void refusesTheWrongRight() {
    String text =
        refused(
            ErrorCode.CAPABILITY_INVALID,
            () -> write(caps.client(OBJECT, GRANT, Right.READ, Right.MANAGE), GRANT));
    assertTrue(text.contains("WRITE"), text);
    refused(
        ErrorCode.CAPABILITY_INVALID,
        () -> osd.read(caps.client(OBJECT, GRANT, Right.WRITE), OBJECT, 0, 1));
    refused(
        ErrorCode.CAPABILITY_INVALID,
        () -> osd.attributes(caps.client(OBJECT, GRANT, Right.READ), OBJECT));
    refused(ErrorCode.CAPABILITY_INVALID, () -> osd.remove(caps.client(OBJECT, GRANT), OBJECT, 1));
  }

  @Test
  void refusesAnotherObject() {
    refused(ErrorCode.CAPABILITY_INVALID, () -> write(caps.client(OBJECT + 1, GRANT), GRANT));
  }

  @Test
  void refusesAnExpiredOne() {
    Capability expired = Caps.with(caps.clientCapability(OBJECT, GRANT), 0, Long.MAX_VALUE, 1);
    refused(ErrorCode.CAPABILITY_EXPIRED, () -> write(rig.cluster().sign(expired), GRANT));
  }

  @Test
  void refusesToWriteBeyondTheByteLimit() {
    Capability limited =
        Caps.with(caps.clientCapability(OBJECT, GRANT), 0, NEW.length - 1, Long.MAX_VALUE);
    refused(ErrorCode.CAPABILITY_INVALID, () -> write(rig.cluster().sign(limited), GRANT));
  }

  @Test
  void refusesAStaleGrant() throws Exception {
    osd.raiseVersion(caps.manager(4), OBJECT, GRANT + 1);
    refused(ErrorCode.FENCED, () -> write(caps.client(OBJECT, GRANT), GRANT));
    refused(ErrorCode.FENCED, () -> osd.read(caps.client(OBJECT, GRANT), OBJECT, 0, 1));
    refused(ErrorCode.FENCED, () -> osd.attributes(caps.client(OBJECT, GRANT), OBJECT));
    refused(ErrorCode.FENCED, () -> osd.flush(caps.client(OBJECT, GRANT), OBJECT));
  }

  @Test
  void aWriteRaisesTheVersionToItsFloor() throws Exception {
    long later = GRANT + 5;
    Capability withFloor =
        Caps.with(caps.clientCapability(OBJECT, later), later, Long.MAX_VALUE, Long.MAX_VALUE);
    osd.write(rig.cluster().sign(withFloor), writeOf(OBJECT, later, 1, 128 << 10, NEW), NEW);
    refused(ErrorCode.FENCED, () -> write(caps.client(OBJECT, GRANT), GRANT));
  }

  @Test
  void refusesAManagerOfAnOlderEpochOnly() throws Exception {
    osd.fence(caps.manager(5), 5);
    var page = AttributePage.newBuilder().setPage(1).setLsn(1).setValue(ByteString.EMPTY);
    var request = SetAttributesRequest.newBuilder().setObjectId(OBJECT).addPages(page);
    String text =
        refused(ErrorCode.FENCED, () -> osd.setAttributes(caps.manager(4), request.clone()));
    assertTrue(text.contains("4") && text.contains("5"), text);
    refused(ErrorCode.FENCED, () -> osd.read(caps.manager(4), OBJECT, 0, 1));
    refused(ErrorCode.FENCED, () -> osd.fence(caps.manager(4), 4));
    osd.setAttributes(caps.manager(5), request.clone());
    osd.read(caps.client(OBJECT, GRANT), OBJECT, 0, 1);
  }

  @Test
  void aManagerFencesUpToItsOwnEpoch() {
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.fence(caps.manager(5), 6));
  }

  @Test
  void refusesAKeyVersionThatItDoesNotHave() {
    Capability capability = Caps.withKeyVersion(caps.clientCapability(OBJECT, GRANT), 2);
    byte[] key = rig.cluster().partition(Caps.PARTITION).getKeys(0).getKey().toByteArray();
    SignedCapability unknown = SignedCapability.sign(capability, key);
    String text = refused(ErrorCode.CAPABILITY_INVALID, () -> write(unknown, GRANT));
    assertTrue(text.contains("key version 2"), text);
  }

  @Test
  void refusesAPartitionThatItDoesNotHave() {
    Capability mine = caps.clientCapability(OBJECT, GRANT);
    Capability elsewhere =
        new Capability(
            ObjectName.of(99, OBJECT), mine.rights(), 1, GRANT, 0, 1, mine.expiryMillis(), 0, 0, 0);
    SignedCapability signed = SignedCapability.sign(elsewhere, Blocks.random(4, 32));
    refused(ErrorCode.NO_SUCH_PARTITION, () -> write(signed, GRANT));
  }

  @Test
  void refusesAWriteIdOfAnotherGrant() {
    refused(ErrorCode.INVALID_ARGUMENT, () -> write(caps.client(OBJECT, GRANT), GRANT + 1));
    // A manager may act for a writer of the past, none of the future.
    refused(ErrorCode.INVALID_ARGUMENT, () -> write(caps.manager(2), GRANT));
  }

  @Test
  void aClientsCapabilityIsNotForTheWholePartition() {
    refused(ErrorCode.CAPABILITY_INVALID, () -> osd.list(caps.client(OBJECT, GRANT), 0, 10));
    refused(ErrorCode.CAPABILITY_INVALID, () -> osd.flush(caps.client(OBJECT, GRANT), 0));
  }

  @Test
  void inQuarantineOnlyManagersAreServed() throws Exception {
    long object = 88_001;
    long grant = Lsn.of(3, 10).value();
    byte[] bytes = Blocks.random(9, 4_096);
    var client = rig.caps().client(object, grant);
    var manager = rig.caps().manager(3);
    rig.caller().write(client, writeOf(object, grant, 1, 0, bytes).setCreate(OsdCaller.TAG), bytes);
    rig.daemon().store().quarantine(true, Set.of());
    var next = writeOf(object, grant, 2, 0, bytes).setCompleteUpTo(1);
    refused(ErrorCode.QUARANTINED, () -> rig.caller().write(client, next, bytes));
    refused(ErrorCode.QUARANTINED, () -> rig.caller().read(client, object, 0, 4_096));
    refused(ErrorCode.QUARANTINED, () -> rig.caller().attributes(client, object));
    refused(ErrorCode.QUARANTINED, () -> rig.caller().flush(client, object));
    assertArrayEquals(bytes, rig.caller().read(manager, object, 0, 4_096).bytes());
    rig.caller().raiseVersion(manager, object, grant);
    rig.daemon().store().quarantine(true, Set.of(new PartitionId(2)));
    refused(ErrorCode.QUARANTINED, () -> rig.caller().read(client, object, 0, 4_096));
    rig.daemon().store().quarantine(true, Set.of(new PartitionId(FakeCluster.ROOT_VOLUME)));
    assertArrayEquals(bytes, rig.caller().read(client, object, 0, 4_096).bytes());
    rig.daemon().store().quarantine(true, Set.of());
    refused(ErrorCode.QUARANTINED, () -> rig.caller().read(client, object, 0, 4_096));
    rig.daemon().store().quarantine(false, Set.of());
    assertArrayEquals(bytes, rig.caller().read(client, object, 0, 4_096).bytes());
  }
}
