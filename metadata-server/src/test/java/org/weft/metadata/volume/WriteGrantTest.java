package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.GrantEnd;
import org.weft.metadata.volume.operation.grant.BeginResolve;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.grant.Regrant;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.metadata.volume.operation.volume.RaiseCreateFloor;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.capability.InitialAttributesSignature;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.OpenReply;

/** One writer for each file, and what becomes of the file when it goes away (P 5.7, 6.5, 6.6). */
class WriteGrantTest {
  private TestVolume volume;
  private TestClient writer;
  private TestClient other;

  @BeforeEach
  void twoClientsOfOneUser() throws WeftException {
    volume = TestVolume.formatted(3);
    writer = volume.superuser();
    other = volume.superuser();
  }

  @Test
  void aCreationGrantsWritingUnderTheLsnOfItsRecord() throws Exception {
    CreateReply created = writer.create("/f");
    Grant grant = created.getGrant();
    Lsn lsn = lastRecordLsn();
    assertEquals(lsn.value(), grant.getNumber());
    assertEquals(lsn.value(), created.getAttributes().getCreateGrant());
    Capability capability = Capability.decode(grant.getCapability().asReadOnlyByteBuffer());
    assertEquals(lsn.value(), capability.grant());
    assertEquals(lsn.value(), capability.floor());
    assertTrue(capability.allows(Right.WRITE) && capability.allows(Right.CREATE));
    assertFalse(capability.allows(Right.MANAGE));
    assertEquals(created.getAttributes().getObjectId(), capability.object().object().value());
    assertArrayEquals(
        Hmac.sha256(TestVolume.KEY, grant.getCapability().toByteArray()),
        grant.getSecret().toByteArray());
  }

  @Test
  void theFirstAttributesAreSignedForTheFirstWrite() throws Exception {
    CreateReply created = writer.create("/f");
    Grant grant = created.getGrant();
    assertEquals(created.getAttributes(), FileAttributes.parseFrom(grant.getInitialAttributes()));
    assertEquals(grant.getNumber(), grant.getInitialAttributesLsn());
    byte[] expected =
        InitialAttributesSignature.sign(
            TestVolume.KEY,
            ObjectName.of(1, created.getAttributes().getObjectId()),
            0,
            grant.getInitialAttributesLsn(),
            ByteBuffer.wrap(grant.getInitialAttributes().toByteArray()));
    assertArrayEquals(expected, grant.getInitialAttributesMac().toByteArray());
    assertEquals(3, grant.getMetaCopies());
  }

  @Test
  void secondWriterLearnsWhichClientWritesSinceWhen() throws WeftException {
    writer.create("/f");
    WeftException refusal = assertThrows(WeftException.class, () -> other.update("/f"));
    assertEquals(ErrorCode.BEING_WRITTEN, refusal.code());
    assertTrue(refusal.getMessage().contains("host/1/weft"), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("2025-"), refusal.getMessage());
  }

  @Test
  void afterTheCloseAnotherMayReplaceTheFile() throws WeftException {
    FileAttributes first = writer.write("/f", 100);
    CreateReply second = other.create("/f", 0644, 0, true, false);
    assertTrue(second.getAttributes().getObjectId() > first.getObjectId());
    assertTrue(removes(first.getObjectId()));
    other.close(second, 7);
    assertEquals(7, writer.attributes("/f").getSize());
    assertEquals(1, writer.attributes("/").getEntries());
  }

  @Test
  void readersGetInBesideTheWriterUpToThePublishedLength() throws Exception {
    CreateReply created = writer.create("/f");
    OpenReply beside = other.open("/f");
    assertTrue(beside.getGrant().getBeingWritten());
    assertEquals(0, beside.getAttributes().getSize());
    assertEquals(0, beside.getGrant().getNumber());
    Capability capability =
        Capability.decode(beside.getGrant().getCapability().asReadOnlyByteBuffer());
    assertTrue(capability.allows(Right.READ));
    assertFalse(capability.allows(Right.WRITE));
    assertTrue(Long.compareUnsigned(capability.grant(), created.getGrant().getNumber()) >= 0);
    writer.close(created, 50);
    OpenReply after = other.open("/f");
    assertFalse(after.getGrant().getBeingWritten());
    assertEquals(50, after.getAttributes().getSize());
  }

  @Test
  void onlyTheHolderCloses() throws WeftException {
    CreateReply created = writer.create("/f");
    assertRevoked(() -> other.close(created, 1));
    writer.close(created, 1);
    assertRevoked(() -> writer.close(created, 2));
    assertEquals(1, writer.attributes("/f").getSize());
  }

  @Test
  void anAbandonedFileTakesNoWriterBeforeItIsResolved() throws WeftException {
    CreateReply created = writer.create("/f");
    writer.abandon(created);
    assertRevoked(() -> writer.close(created, 9));
    WeftException refusal = assertThrows(WeftException.class, () -> other.update("/f"));
    assertEquals(ErrorCode.BEING_WRITTEN, refusal.code());
    WriteGrant resolving = volume.machine().resolving().get(0);
    volume.own(new FinishResolve(resolving.number(), 77));
    assertEquals(77, other.attributes("/f").getSize());
    other.update("/f");
  }

  @Test
  void aLapsedSessionLosesItsGrants() throws WeftException {
    CreateReply created = writer.create("/f");
    volume.pass(SessionTable.LEASE_MILLIS - 1);
    other.attributes("/");
    volume.tick();
    assertEquals(List.of(), volume.machine().resolving());
    volume.pass(1);
    volume.tick();
    assertEquals(1, volume.machine().resolving().size());
    WeftException refusal = assertThrows(WeftException.class, () -> writer.close(created, 1));
    assertEquals(ErrorCode.SESSION_EXPIRED, refusal.code());
    other.attributes("/");
  }

  @Test
  void aSessionThatCameBackBeforeItsEndIsKept() throws WeftException {
    CreateReply created = writer.create("/f");
    volume.pass(SessionTable.LEASE_MILLIS);
    List<Operation> due = volume.machine().due(volume.now());
    volume.own(new RenewSession(writer.session()));
    due.forEach(volume::own);
    writer.close(created, 1);
  }

  @Test
  void aSignOfLifeKeepsTheSession() throws WeftException {
    CreateReply created = writer.create("/f");
    for (int round = 0; round < 5; round++) {
      volume.pass(SessionTable.LEASE_MILLIS - 1);
      volume.own(new RenewSession(writer.session()));
      volume.tick();
    }
    writer.close(created, 1);
  }

  @Test
  void leasesStartAgainAfterARestart() throws WeftException {
    CreateReply created = writer.create("/f");
    volume.pass(SessionTable.LEASE_MILLIS + 1);
    TestVolume next = volume.restarted(volume.records().size());
    next.tick();
    writer.with(next).close(created, 12);
    assertEquals(12, writer.with(next).open("/f").getAttributes().getSize());
  }

  @Test
  void aClosedSessionAbandonsItsFiles() throws WeftException {
    writer.create("/f");
    volume.own(new CloseSession(writer.session()));
    assertEquals(1, volume.machine().resolving().size());
    assertEquals(
        ErrorCode.SESSION_EXPIRED,
        assertThrows(WeftException.class, () -> writer.attributes("/")).code());
    // A retry of the close is no error.
    volume.own(new CloseSession(writer.session()));
  }

  @Test
  void aSessionWithManyGrantsEndsInSeveralRecords() throws WeftException {
    int files = GrantEnd.MAX_PER_RECORD * 2 + 10;
    for (int file = 0; file < files; file++) {
      writer.create("/f" + file);
    }
    int before = volume.records().size();
    volume.own(new CloseSession(writer.session()));
    volume.tick();
    volume.tick();
    assertEquals(files, volume.machine().resolving().size());
    assertEquals(before + 3, volume.records().size());
    assertEquals(1, volume.machine().counts().sessions());
  }

  @Test
  void anUnlinkedFileLivesUntilItsGrantEnds() throws WeftException {
    CreateReply created = writer.create("/f");
    long object = created.getAttributes().getObjectId();
    other.unlink("/f");
    assertFalse(removes(object));
    assertEquals(List.of(), other.names("/"));
    writer.close(created, 5);
    assertTrue(removes(object));
    assertEquals(0, volume.machine().counts().writeGrants());
  }

  @Test
  void aReplacedFileThatIsBeingWrittenBecomesAnOrphan() throws WeftException {
    CreateReply created = writer.create("/f");
    other.write("/g", 3);
    other.rename("/g", "/f");
    assertEquals(3, other.attributes("/f").getSize());
    assertFalse(removes(created.getAttributes().getObjectId()));
    volume.own(new CloseSession(writer.session()));
    assertTrue(removes(created.getAttributes().getObjectId()));
    assertEquals(List.of(), volume.machine().resolving());
  }

  @Test
  void aFileUnlinkedWhileItIsResolvedIsRemovedAfterIt() throws WeftException {
    CreateReply created = writer.create("/f");
    writer.abandon(created);
    other.unlink("/f");
    WriteGrant resolving = volume.machine().resolving().get(0);
    assertTrue(volume.machine().isOrphan(resolving));
    volume.own(new FinishResolve(resolving.number(), 0));
    assertTrue(removes(created.getAttributes().getObjectId()));
    assertEquals(0, volume.machine().counts().writeGrants());
  }

  @Test
  void aWriterFollowsItsFileThroughARename() throws WeftException {
    CreateReply created = writer.create("/f");
    other.mkdir("/d");
    other.rename("/f", "/d/g");
    writer.close(created, 5);
    assertEquals(5, other.attributes("/d/g").getSize());
  }

  @Test
  void theCreateFloorIsTheOldestGrant() throws WeftException {
    CreateReply first = writer.create("/f");
    CreateReply second = writer.create("/g");
    assertEquals(first.getGrant().getNumber(), floor().value());
    writer.close(first, 1);
    assertEquals(second.getGrant().getNumber(), floor().value());
    writer.close(second, 1);
    assertEquals(volume.machine().lastLsn().next(), floor());
  }

  /** Else OSDs would keep the tombstones of all that goes meanwhile. */
  @Test
  void veryOldGrantNoLongerHoldsTheCreateFloor() throws WeftException {
    CreateReply created = writer.create("/f");
    TestClient.Held old = TestClient.Held.of(created);
    other.mkdir("/d");
    passAnHour(11);
    assertEquals(old.number(), floor());
    WeftException refusal = assertThrows(WeftException.class, () -> writer.regrant(old));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    passAnHour(2);
    Lsn passed = floor();
    assertTrue(passed.compareTo(old.number()) > 0);
    TestVolume later = volume.restarted();
    assertEquals(passed, later.machine().createFloor(), "it never falls");
    // It needs a component that is not there yet, and was refused it.
    assertTrue(writer.regrant(old).getBeingResolved());
    volume.own(new FinishResolve(old.number(), 0));
    TestClient.Held next = TestClient.Held.of(writer.regrant(old));
    assertTrue(next.number().compareTo(floor()) >= 0);
    writer.close(next, 7, 0);
  }

  @Test
  void takenRenewedGrantKeepsTheAttemptsNumber() throws WeftException {
    CreateReply created = writer.create("/f");
    TestClient.Held held = TestClient.Held.of(created);
    StorageMap map = StorageMap.fromMessage(created.getGrant().getMap());
    writer.regrant(held, new Regrant.Lost(1, map.osdOf(1), ErrorCode.BAD_MEDIA));
    volume.own(new BeginResolve(held.number(), Set.of()));
    Lsn attempt = lastRecordLsn();
    other.recoverLease("/f");
    other.mkdir("/d");
    assertEquals(attempt, floor());
  }

  @Test
  void fileInResolveHoldsTheCreateFloorDuringAttemptsOnly() throws WeftException {
    CreateReply created = writer.create("/f");
    writer.abandon(created);
    WriteGrant dead = volume.machine().resolving().get(0);
    volume.own(new BeginResolve(dead.number(), Set.of()));
    Lsn attempt = lastRecordLsn();
    other.mkdir("/d");
    assertEquals(attempt, floor());
    volume.own(new RaiseCreateFloor(volume.machine().lastLsn()));
    assertEquals(attempt, floor(), "what it makes is not refused");
    volume.machine().attemptEnded(dead.object());
    other.mkdir("/e");
    assertEquals(volume.machine().lastLsn().next(), floor());
    volume.own(new BeginResolve(dead.number(), Set.of()));
    assertEquals(lastRecordLsn(), floor());
    volume.own(new FinishResolve(dead.number(), 0));
    assertEquals(volume.machine().lastLsn().next(), floor());
  }

  private void passAnHour(int twelfths) throws WeftException {
    for (int i = 0; i < twelfths; i++) {
      volume.pass(TimeUnit.MINUTES.toMillis(5));
      writer.attributes("/f");
      other.attributes("/f");
      volume.tick();
    }
  }

  private Lsn floor() {
    return volume.machine().createFloor();
  }

  private static void assertRevoked(org.junit.jupiter.api.function.Executable attempt) {
    assertEquals(ErrorCode.GRANT_REVOKED, assertThrows(WeftException.class, attempt).code());
  }

  private Lsn lastRecordLsn() {
    return volume.records().get(volume.records().size() - 1).lsn();
  }

  private boolean removes(long object) {
    List<Effect> last = volume.records().get(volume.records().size() - 1).effects();
    boolean removed =
        last.stream()
            .anyMatch(
                effect ->
                    effect instanceof ObjectEffect.RemoveObject remove
                        && remove.object().value() == object);
    boolean stillWritten =
        volume.machine().snapshot().stream()
            .anyMatch(
                effect ->
                    effect instanceof LiveEffect.GrantOpened opened
                        && opened.object().value() == object);
    return removed && !stillWritten;
  }
}
