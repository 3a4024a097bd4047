package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.OpenReply;

/** A file that exists is written again: its grant, its length, its truncation (P 4.3, 5.7, 6.5). */
class UpdateGrantTest {
  private TestVolume volume;
  private TestClient writer;
  private TestClient other;

  @BeforeEach
  void twoClientsOfOneUser() throws WeftException {
    volume = TestVolume.formatted(3);
    writer = volume.superuser();
    other = volume.superuser();
  }

  private Held update(long sizeBytes) throws WeftException {
    writer.write("/f", sizeBytes);
    return Held.of(writer.update("/f"));
  }

  @Test
  void openingForWritingGrantsItUnderTheLsnOfItsRecord() throws Exception {
    FileAttributes closed = writer.write("/f", 100);
    OpenReply opened = writer.update("/f");
    Grant grant = opened.getGrant();
    assertEquals(lastRecordLsn().value(), grant.getNumber());
    assertEquals(closed, opened.getAttributes());
    Capability capability = Capability.decode(grant.getCapability().asReadOnlyByteBuffer());
    assertEquals(grant.getNumber(), capability.grant());
    assertEquals(grant.getNumber(), capability.floor());
    int rights = Right.bits(Right.READ, Right.WRITE, Right.CREATE, Right.READ_ATTRIBUTES);
    assertEquals(rights, capability.rights());
    assertTrue(grant.getInitialAttributes().isEmpty());
    assertFalse(grant.getHasTrim());
    assertEquals(0, grant.getTruncationNumber());
    assertTrue(other.open("/f").getGrant().getBeingWritten());
  }

  @Test
  void readersSeeBeingWrittenUntilTheResolveEnds() throws WeftException {
    Held held = update(100);
    writer.abandon(held);
    assertTrue(other.open("/f").getGrant().getBeingWritten());
    finishResolve(100);
    assertFalse(other.open("/f").getGrant().getBeingWritten());
  }

  @Test
  void aSecondWriterIsRefusedAndAReaderIsNot() throws WeftException {
    update(100);
    assertRefused(ErrorCode.BEING_WRITTEN, () -> other.update("/f"));
    assertRefused(ErrorCode.BEING_WRITTEN, () -> writer.update("/f"));
    assertRefused(ErrorCode.EXISTS, () -> other.create("/f", 0644, 0, false, false));
    assertEquals(100, other.open("/f").getAttributes().getSize());
  }

  @Test
  void writingTakesThePermissionAndAFile() throws WeftException {
    writer.write("/f", 1);
    writer.chmod("/", 0777);
    TestClient stranger = volume.client("alice", "team");
    assertRefused(ErrorCode.PERMISSION_DENIED, () -> stranger.update("/f"));
    writer.chmod("/f", 0666);
    stranger.close(Held.of(stranger.update("/f")), 1, 0);
    assertRefused(ErrorCode.IS_DIRECTORY, () -> writer.update("/"));
    assertRefused(ErrorCode.NOT_FOUND, () -> writer.update("/g"));
  }

  @Test
  void idleWriterChangesNothing() throws WeftException {
    FileAttributes before = writer.write("/f", 100);
    volume.pass(1_000);
    writer.close(Held.of(writer.update("/f")), 100, 0);
    assertEquals(before, writer.attributes("/f"));
    writer.close(Held.of(writer.update("/f")), 0, 0);
    assertEquals(100, writer.attributes("/f").getSize());
  }

  @Test
  void publishedBytesAreVisibleWhileTheWriterGoesOn() throws WeftException {
    CreateReply created = writer.create("/f");
    Held held = Held.of(created);
    volume.pass(1_000);
    FileAttributes published = writer.publish(held, 70_000);
    assertEquals(70_000, published.getSize());
    OpenReply tail = other.open("/f");
    assertEquals(published, tail.getAttributes());
    assertTrue(tail.getGrant().getBeingWritten());
    assertTrue(published.getMtimeMillis() > created.getAttributes().getMtimeMillis());
    writer.publish(held, 80_000);
    assertEquals(90_000, writer.close(held, 90_000, 9).getSize());
  }

  @Test
  void aPublishedLengthOnlyGrows() throws WeftException {
    Held held = update(100);
    assertEquals(100, writer.publish(held, 60).getSize());
    assertEquals(200, writer.publish(held, 200).getSize());
    assertEquals(200, writer.close(held, 150, 1).getSize());
  }

  @Test
  void onlyTheHolderPublishesCutsAndTrims() throws WeftException {
    Held held = update(100);
    assertRefused(ErrorCode.GRANT_REVOKED, () -> other.publish(held, 200));
    assertRefused(ErrorCode.GRANT_REVOKED, () -> other.setLength(held, 50));
    writer.close(held, 100, 0);
    assertRefused(ErrorCode.GRANT_REVOKED, () -> writer.publish(held, 200));
    assertRefused(ErrorCode.GRANT_REVOKED, () -> writer.setLength(held, 50));
    assertRefused(ErrorCode.GRANT_REVOKED, () -> writer.trimmed(held, 1));
    assertEquals(100, other.attributes("/f").getSize());
  }

  @Test
  void silentOsdsDoNotMakeAHeldFileGone() throws WeftException {
    Held held = update(100);
    TestVolume silent = TestVolume.recovered(7, volume.machine().snapshot(), List.of());
    TestClient again = writer.with(silent);
    assertRefused(ErrorCode.UNAVAILABLE, () -> again.publish(held, 200));
    assertRefused(ErrorCode.UNAVAILABLE, () -> again.close(held, 200, 1));
  }

  @Test
  void negativeLengthsAreRefused() throws WeftException {
    Held held = update(100);
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> writer.publish(held, -1));
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> writer.setLength(held, -1));
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> writer.close(held, 100, -1));
  }

  @Test
  void aCutIsJournalledWithItsTrim() throws WeftException {
    Held held = update(100);
    FileAttributes cut = writer.setLength(held, 40);
    assertEquals(40, cut.getSize());
    assertEquals(1, cut.getTruncationNumber());
    assertTrue(cut.getHasTrim());
    assertEquals(40, cut.getTrim());
    assertEquals(cut, other.attributes("/f"));
    FileAttributes done = writer.trimmed(held, 1);
    assertFalse(done.getHasTrim());
    assertEquals(1, done.getTruncationNumber());
    assertEquals(done, writer.trimmed(held, 1), "said again it changes nothing");
    writer.publish(held, 300);
    assertEquals(2, writer.setLength(held, 0).getTruncationNumber());
  }

  @Test
  void upwardOnlyTheLengthChanges() throws WeftException {
    Held held = update(100);
    FileAttributes grown = writer.setLength(held, 1L << 40);
    assertEquals(1L << 40, grown.getSize());
    assertEquals(0, grown.getTruncationNumber());
    assertFalse(grown.getHasTrim());
    assertEquals(grown, writer.setLength(held, 1L << 40));
  }

  @Test
  void aFileDoesNotGrowBehindACutThatIsNotFinished() throws WeftException {
    Held held = update(100);
    writer.setLength(held, 40);
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> writer.publish(held, 41));
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> writer.setLength(held, 41));
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> writer.close(held, 41, 1));
    assertEquals(2, writer.setLength(held, 30).getTruncationNumber(), "shorter it may get");
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> writer.trimmed(held, 1));
    writer.trimmed(held, 2);
    assertEquals(41, writer.publish(held, 41).getSize());
  }

  @Test
  void anUnfinishedCutIsHandedToTheNextWriter() throws WeftException {
    Held held = update(100);
    writer.setLength(held, 40);
    TestVolume next = volume.restarted();
    TestClient again = writer.with(next);
    again.close(held, 40, 1);
    Grant grant = again.update("/f").getGrant();
    assertTrue(grant.getHasTrim());
    assertEquals(40, grant.getTrim());
    assertEquals(1, grant.getTruncationNumber());
  }

  @Test
  void theGrantOfAnUpdateSurvivesARestart() throws WeftException {
    Held held = update(100);
    TestClient again = writer.with(volume.restarted());
    assertEquals(120, again.publish(held, 120).getSize());
    again.close(held, 130, 2);
    assertEquals(130, again.attributes("/f").getSize());
  }

  @Test
  void publishedLengthStaysWhenItsWriterIsGone() throws WeftException {
    Held held = update(100);
    writer.publish(held, 500);
    volume.pass(SessionTable.LEASE_MILLIS - 1);
    other.attributes("/");
    volume.pass(1);
    volume.tick();
    finishResolve(300);
    assertEquals(500, other.attributes("/f").getSize());
    other.abandon(Held.of(other.update("/f")));
    finishResolve(700);
    assertEquals(700, other.attributes("/f").getSize());
  }

  @Test
  void bytesBehindAnUnfinishedTruncationStayGone() throws WeftException {
    Held held = update(100);
    writer.setLength(held, 40);
    writer.abandon(held);
    finishResolve(100);
    FileAttributes file = other.attributes("/f");
    assertEquals(40, file.getSize());
    assertTrue(file.getHasTrim(), "the next grant finishes it");
  }

  private void finishResolve(long sizeBytes) {
    WriteGrant resolving = volume.machine().resolving().get(0);
    volume.own(new FinishResolve(resolving.number(), sizeBytes));
  }

  @Test
  void aLeaseIsRecoveredFromItsWriter() throws WeftException {
    Held held = update(100);
    assertFalse(other.recoverLease("/f").getClosed());
    assertRefused(ErrorCode.GRANT_REVOKED, () -> writer.publish(held, 200));
    assertRefused(ErrorCode.BEING_WRITTEN, () -> other.update("/f"));
    assertFalse(other.recoverLease("/f").getClosed(), "until its recovery is over");
    int records = volume.records().size();
    assertFalse(other.recoverLease("/f").getClosed());
    assertEquals(records, volume.records().size());
    finishResolve(150);
    assertTrue(other.recoverLease("/f").getClosed());
    assertEquals(150, other.recoverLease("/f").getAttributes().getSize());
    assertRefused(ErrorCode.IS_DIRECTORY, () -> other.recoverLease("/"));
  }

  @Test
  void aRecoveredLeaseIsRecoveredAfterARestartToo() throws WeftException {
    update(100);
    other.recoverLease("/f");
    assertEquals(1, volume.restarted().machine().resolving().size());
    List<LiveEffect> live = volume.machine().snapshot();
    TestVolume next =
        TestVolume.recovered(7, live, volume.recordsBehindSnapshot(volume.records().size()));
    assertEquals(1, next.machine().resolving().size());
  }

  @Test
  void leasesAreForOwnersWritersAndSuperusersToRecover() throws WeftException {
    writer.chmod("/", 0777);
    TestClient alice = volume.client("alice", "team");
    TestClient bob = volume.client("bob", "team");
    alice.create("/f", 0444, 0, false, false);
    assertRefused(ErrorCode.PERMISSION_DENIED, () -> bob.recoverLease("/f"));
    alice.chown("/f", null, "team");
    alice.chmod("/f", 0464);
    assertFalse(bob.recoverLease("/f").getClosed());
    alice.create("/g", 0444, 0, false, false);
    assertFalse(alice.recoverLease("/g").getClosed());
    alice.create("/h", 0, 0, false, false);
    assertFalse(other.recoverLease("/h").getClosed());
  }

  private Lsn lastRecordLsn() {
    return volume.records().get(volume.records().size() - 1).lsn();
  }

  private static void assertRefused(ErrorCode expected, Executable attempt) {
    assertEquals(expected, assertThrows(WeftException.class, attempt).code());
  }
}
