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
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.operation.GrantEnd;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.grant.OpenFile;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.OpenReply;

/** A file without a name lives for the clients that have it open (P 6.5, 6.6). */
class OpenUnlinkedTest {
  private TestVolume volume;
  private TestClient reader;
  private TestClient other;
  private long object;

  @BeforeEach
  void aFileThatOneReads() throws WeftException {
    volume = TestVolume.formatted(8);
    reader = volume.superuser();
    other = volume.superuser();
    object = other.write("/f", 40).getObjectId();
  }

  private static void refused(ErrorCode expected, Executable attempt) {
    WeftException refusal = assertThrows(WeftException.class, attempt);
    assertEquals(expected, refusal.code(), refusal.getMessage());
  }

  private static boolean isRemoved(TestVolume of, long objectId) {
    return of.records().stream()
        .flatMap(record -> record.effects().stream())
        .anyMatch(
            effect ->
                effect instanceof ObjectEffect.RemoveObject remove
                    && remove.object().value() == objectId);
  }

  private static boolean isOrphan(TestVolume of, long objectId) {
    return of.machine().snapshot().stream()
        .anyMatch(
            effect ->
                effect instanceof LiveEffect.OrphanAdded orphan
                    && orphan.object().value() == objectId);
  }

  private void assertGone(TestVolume of) {
    of.tick();
    assertTrue(isRemoved(of, object));
    assertFalse(isOrphan(of, object));
  }

  private void assertKept(TestVolume of) {
    of.tick();
    assertFalse(isRemoved(of, object));
    assertTrue(isOrphan(of, object));
  }

  @Test
  void unlinkedFileGoesWithTheLastClose() throws WeftException {
    OpenReply first = reader.open("/f");
    OpenReply second = other.open("/f");
    other.unlink("/f");
    assertKept(volume);
    refused(ErrorCode.NOT_FOUND, () -> reader.open("/f"));
    volume.own(reader.closing(first));
    assertKept(volume);
    volume.own(other.closing(second));
    assertGone(volume);
    assertEquals(1, other.statfs().getFiles());
  }

  @Test
  void aFileThatNoClientHasOpenGoesAtOnce() throws WeftException {
    volume.own(reader.closing(reader.open("/f")));
    other.unlink("/f");
    assertTrue(isRemoved(volume, object));
  }

  @Test
  void clientsThatHaveItOpenMayReopenItById() throws WeftException {
    OpenReply opened = reader.open("/f");
    other.unlink("/f");
    assertEquals(40, reader.openAgain(object).getAttributes().getSize());
    refused(ErrorCode.NOT_FOUND, () -> other.openAgain(object));
    refused(ErrorCode.NOT_FOUND, () -> other.execute(new OpenFile(other.byId(object), true)));
    volume.own(reader.closing(opened));
    assertKept(volume);
    volume.own(reader.closing(reader.openAgain(object)));
    assertGone(volume);
    refused(ErrorCode.NOT_FOUND, () -> reader.openAgain(object));
  }

  @Test
  void closingDoesNotUndoAnOpeningItsSenderHasNotSeen() throws WeftException {
    OpenReply first = reader.open("/f");
    OpenReply onItsWay = reader.open("/f");
    volume.own(reader.closing(first));
    other.unlink("/f");
    assertKept(volume);
    volume.own(reader.closing(onItsWay));
    assertGone(volume);
  }

  @Test
  void replacedFileIsKeptForItsReaders() throws WeftException {
    OpenReply opened = reader.open("/f");
    other.write("/g", 1);
    other.rename("/g", "/f");
    assertKept(volume);
    opened = reader.openAgain(object);
    assertEquals(40, opened.getAttributes().getSize());
    OpenReply second = reader.open("/f");
    long replacement = second.getAttributes().getObjectId();
    other.create("/f", 0644, 0, true, false);
    assertTrue(isOrphan(volume, replacement));
    volume.own(reader.closing(opened));
    volume.own(reader.closing(second));
    assertGone(volume);
    assertTrue(isRemoved(volume, replacement));
  }

  @Test
  void unlinkedFileGoesWhenItsReadersSessionEnds() throws WeftException {
    reader.open("/f");
    other.unlink("/f");
    volume.own(new CloseSession(reader.session()));
    assertGone(volume);
  }

  @Test
  void unlinkedFileGoesWhenItsReadersLeaseEnds() throws WeftException {
    reader.open("/f");
    other.unlink("/f");
    volume.pass(SessionTable.LEASE_MILLIS - 1);
    volume.own(new RenewSession(other.session()));
    assertKept(volume);
    volume.pass(1);
    volume.tick();
    assertGone(volume);
  }

  @Test
  void unlinkedFileIsKeptUntilEachSessionReclaims() throws WeftException {
    reader.open("/f");
    other.unlink("/f");
    TestVolume next = volume.restarted();
    assertKept(next);
    next.own(other.reclaiming(2));
    assertKept(next);
    next.own(reader.reclaiming(2, object));
    assertKept(next);
    TestClient again = reader.with(next);
    next.own(again.closing(again.openAgain(object)));
    assertGone(next);
  }

  @Test
  void readerThatDoesNotReclaimAfterARestartLosesTheFile() throws WeftException {
    reader.open("/f");
    other.unlink("/f");
    TestVolume next = volume.restarted();
    next.own(reader.reclaiming(2));
    assertKept(next);
    next.own(new CloseSession(other.session()));
    assertGone(next);
  }

  /** P 6.5: it is heard, says less than all, and would keep every nameless file for ever. */
  @Test
  void sessionThatNeverReclaimsEndsAfterThreeLeases() throws WeftException {
    reader.open("/f");
    other.unlink("/f");
    TestVolume next = volume.restarted();
    next.machine().renewSessions(next.now());
    for (int third = 1; third <= 9; third++) {
      next.tick();
      assertTrue(next.machine().hasSession(reader.session()), "third " + third);
      next.own(other.reclaiming(2));
      next.own(new RenewSession(reader.session()));
      next.pass(SessionTable.LEASE_MILLIS / 3);
    }
    assertKept(next);
    next.pass(SessionTable.LEASE_MILLIS / 3);
    next.own(other.reclaiming(2));
    next.own(new RenewSession(reader.session()));
    next.tick();
    assertFalse(next.machine().hasSession(reader.session()));
    assertTrue(next.machine().hasSession(other.session()), "this one has spoken");
    next.tick();
    assertGone(next);
  }

  @Test
  void aFileUnlinkedBeforeItsReadersHaveSpokenIsKept() throws WeftException {
    reader.open("/f");
    TestVolume next = volume.restarted();
    next.own(other.reclaiming(2));
    other.with(next).unlink("/f");
    assertKept(next);
    next.own(reader.reclaiming(2, object));
    assertKept(next);
    next.own(new CloseSession(reader.session()));
    assertGone(next);
  }

  @Test
  void closingsForAnotherManagerAreIgnored() throws WeftException {
    reader.open("/f");
    other.unlink("/f");
    TestVolume next = volume.restarted();
    next.own(other.reclaiming(2));
    next.own(reader.reclaiming(1));
    next.own(reader.reclaiming(3));
    assertKept(next);
    next.own(reader.reclaiming(2));
    assertGone(next);
    next.own(reader.reclaiming(2, object));
    next.own(new CloseSession(reader.session()));
  }

  @Test
  void aWriterAndAReaderBothKeepIt() throws WeftException {
    CreateReply created = other.create("/w");
    object = created.getAttributes().getObjectId();
    OpenReply opened = reader.open("/w");
    other.unlink("/w");
    other.close(created, 77);
    assertKept(volume);
    assertEquals(77, reader.openAgain(object).getAttributes().getSize());
    volume.own(reader.closing(reader.openAgain(object)));
    assertGone(volume);
    assertFalse(isOrphan(volume, opened.getAttributes().getObjectId()));
  }

  @Test
  void theReaderMayLeaveBeforeTheWriter() throws WeftException {
    CreateReply created = other.create("/w");
    object = created.getAttributes().getObjectId();
    OpenReply opened = reader.open("/w");
    other.unlink("/w");
    volume.own(reader.closing(opened));
    assertKept(volume);
    other.close(created, 77);
    assertGone(volume);
    assertEquals(0, volume.machine().counts().writeGrants());
  }

  @Test
  void unlinkedFileOfADeadWriterIsResolvedForItsReaders() throws WeftException {
    CreateReply created = other.create("/w");
    object = created.getAttributes().getObjectId();
    OpenReply opened = reader.open("/w");
    other.unlink("/w");
    other.abandon(created);
    WriteGrant resolving = volume.machine().resolving().get(0);
    assertFalse(volume.machine().isOrphan(resolving), "a client reads it");
    volume.own(new FinishResolve(resolving.number(), 9));
    assertKept(volume);
    assertEquals(9, reader.openAgain(object).getAttributes().getSize());
    volume.own(reader.closing(opened));
    assertKept(volume);
    volume.own(reader.closing(reader.openAgain(object)));
    assertGone(volume);
  }

  @Test
  void manyOrphansAreRemovedInSeveralRecords() throws WeftException {
    int files = 2 * GrantEnd.MAX_PER_RECORD + 5;
    for (int file = 0; file < files; file++) {
      other.write("/f" + file, 1);
      reader.open("/f" + file);
      other.unlink("/f" + file);
    }
    volume.own(new CloseSession(reader.session()));
    int before = volume.records().size();
    for (int tick = 0; tick < 5; tick++) {
      volume.tick();
    }
    assertEquals(before + 3, volume.records().size());
    assertEquals(1, other.statfs().getFiles() - 1);
  }

  /** A snapshot alone, with nothing behind it: what it forgets is lost (P 6.4). */
  @Test
  void aSnapshotKeepsAbandonedAndOrphanedGrantsAndOrphansOfReaders() throws WeftException {
    CreateReply abandoned = other.create("/abandoned");
    other.abandon(abandoned);
    CreateReply orphaned = other.create("/orphaned");
    other.unlink("/orphaned");
    reader.open("/f");
    other.unlink("/f");
    TestVolume next =
        TestVolume.recovered(
            2, volume.machine().snapshot(), volume.recordsBehindSnapshot(volume.records().size()));
    next.own(other.reclaiming(2));
    next.own(reader.reclaiming(2, object));
    assertKept(next);
    List<WriteGrant> resolving = next.machine().resolving();
    assertEquals(
        List.of(abandoned.getGrant().getNumber()),
        resolving.stream().map(grant -> grant.number().value()).toList());
    TestClient again = other.with(next);
    refused(ErrorCode.GRANT_REVOKED, () -> again.close(abandoned, 1));
    refused(ErrorCode.BEING_WRITTEN, () -> again.update("/abandoned"));
    next.own(new FinishResolve(resolving.get(0).number(), 12));
    assertEquals(12, again.attributes("/abandoned").getSize());
    again.close(orphaned, 4);
    assertTrue(isRemoved(next, orphaned.getAttributes().getObjectId()));
    next.own(new CloseSession(reader.session()));
    assertGone(next);
    assertEquals(List.of("abandoned"), again.names("/"));
  }

  @Test
  void aSessionHasOnlySoManyFilesOpen() throws WeftException {
    var files = new org.weft.metadata.session.OpenFiles(any -> false);
    for (long file = 1; file <= 100_000; file++) {
      files.open(reader.session(), new ObjectId(file));
    }
    files.open(reader.session(), new ObjectId(5));
    refused(ErrorCode.INVALID_ARGUMENT, () -> files.open(reader.session(), new ObjectId(100_001)));
    files.open(other.session(), new ObjectId(100_001));
  }
}
