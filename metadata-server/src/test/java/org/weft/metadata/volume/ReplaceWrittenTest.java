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
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.grant.CloseFile;
import org.weft.metadata.volume.operation.grant.CloseUnwritten;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.OpenReply;

/** A file that is being written is replaced at once, and its writers are shut out (P 6.6). */
class ReplaceWrittenTest {
  private TestVolume volume;
  private TestClient writer;
  private TestClient newcomer;
  private Held held;
  private long old;

  @BeforeEach
  void aFileThatIsBeingWritten() throws WeftException {
    volume = TestVolume.formatted(8);
    writer = volume.superuser();
    newcomer = volume.superuser();
    CreateReply created = writer.create("/f");
    held = Held.of(created);
    old = created.getAttributes().getObjectId();
    writer.publish(held, 70_000);
  }

  private CreateReply replace() throws WeftException {
    return newcomer.create("/f", 0644, 0, true, false);
  }

  private List<Effect> lastRecord() {
    return volume.records().get(volume.records().size() - 1).effects();
  }

  private boolean lastRecordRemovesTheOldObject() {
    return lastRecord().stream()
        .anyMatch(
            effect ->
                effect instanceof ObjectEffect.RemoveObject remove
                    && remove.object().value() == old);
  }

  private static String refused(ErrorCode expected, Executable attempt) {
    WeftException refusal = assertThrows(WeftException.class, attempt);
    assertEquals(expected, refusal.code(), refusal.getMessage());
    return refusal.getMessage();
  }

  @Test
  void oneRecordReplacesTheFile() throws WeftException {
    int records = volume.records().size();
    CreateReply created = replace();
    assertEquals(records + 1, volume.records().size());
    assertTrue(lastRecordRemovesTheOldObject());
    assertTrue(created.getAttributes().getObjectId() != old);
    assertEquals(0, newcomer.attributes("/f").getSize());
    assertEquals(1, volume.machine().counts().writeGrants());
    assertEquals(0, volume.machine().resolving().size());
    assertEquals(1, newcomer.statfs().getFiles() - 1);
    newcomer.close(created, 5);
    assertEquals(5, writer.attributes("/f").getSize());
  }

  @Test
  void writerLearnsWhichClientReplacedItsFileAndWhen() throws WeftException {
    replace();
    String why = refused(ErrorCode.GRANT_REVOKED, () -> writer.publish(held, 80_000));
    assertTrue(why.contains("/f was replaced at 20"), why);
    assertTrue(why.contains("by host/1/weft"), why);
    refused(ErrorCode.GRANT_REVOKED, () -> writer.close(held, 80_000, 1));
    refused(ErrorCode.GRANT_REVOKED, () -> writer.regrant(held));
  }

  @Test
  void theReasonOutlivesTheManager() throws WeftException {
    replace();
    TestVolume next = volume.restarted();
    String why = refused(ErrorCode.GRANT_REVOKED, () -> writer.with(next).close(held, 80_000, 1));
    assertTrue(why.contains("was replaced"), why);
    TestVolume fromSnapshot =
        TestVolume.recovered(
            7, volume.machine().snapshot(), volume.recordsBehindSnapshot(volume.records().size()));
    why = refused(ErrorCode.GRANT_REVOKED, () -> writer.with(fromSnapshot).publish(held, 80_000));
    assertTrue(why.contains("was replaced"), why);
  }

  @Test
  void aClientReplacesWhatItWritesItself() throws WeftException {
    CreateReply second = writer.create("/f", 0644, 0, true, false);
    refused(ErrorCode.GRANT_REVOKED, () -> writer.close(held, 80_000, 1));
    writer.close(second, 3);
    assertEquals(3, newcomer.attributes("/f").getSize());
  }

  @Test
  void readerOfTheReplacedFileContinuesAfterItsResolve() throws WeftException {
    OpenReply opened = newcomer.open("/f");
    replace();
    assertFalse(lastRecordRemovesTheOldObject());
    List<WriteGrant> resolving = volume.machine().resolving();
    assertEquals(List.of(held.number()), resolving.stream().map(WriteGrant::number).toList());
    assertFalse(volume.machine().isOrphan(resolving.get(0)), "it is read");
    volume.own(new FinishResolve(held.number(), 75_000));
    assertEquals(75_000, newcomer.openAgain(old).getAttributes().getSize());
    volume.own(newcomer.closing(newcomer.openAgain(old)));
    volume.tick();
    assertTrue(lastRecordRemovesTheOldObject());
    assertEquals(opened.getAttributes().getObjectId(), old);
  }

  @Test
  void fileWithoutReadersIsRemovedWithoutAResolve() throws WeftException {
    newcomer.open("/f");
    replace();
    volume.own(newcomer.closing(newcomer.openAgain(old)));
    WriteGrant resolving = volume.machine().resolving().get(0);
    assertTrue(volume.machine().isOrphan(resolving));
    volume.own(new FinishResolve(resolving.number(), 0));
    assertTrue(lastRecordRemovesTheOldObject());
    assertEquals(1, volume.machine().counts().writeGrants());
  }

  @Test
  void anAbandonedFileIsReplacedBeforeItIsResolved() throws WeftException {
    writer.abandon(held);
    assertEquals(1, volume.machine().resolving().size());
    replace();
    assertTrue(lastRecordRemovesTheOldObject());
    assertEquals(0, volume.machine().resolving().size());
    assertEquals(1, volume.machine().counts().writeGrants());
  }

  @Test
  void replacementShutsOutAllSharingWriters() throws WeftException {
    writer.close(held, 70_000, 1);
    Held one = Held.of(writer.share("/f"));
    Held other = Held.of(newcomer.share("/f"));
    writer.acquire(one, new ByteRange(0, stripeBytes()));
    TestClient third = volume.superuser();
    third.create("/f", 0644, 0, true, false);
    assertTrue(lastRecordRemovesTheOldObject());
    refused(ErrorCode.GRANT_REVOKED, () -> writer.publish(one, 90_000));
    String why =
        refused(
            ErrorCode.GRANT_REVOKED,
            () -> newcomer.acquire(other, new ByteRange(0, stripeBytes())));
    assertTrue(why.contains("was replaced"), why);
    assertEquals(1, volume.machine().counts().writeGrants());
  }

  private long stripeBytes() throws WeftException {
    return org.weft.protocol.layout.StorageMap.fromMessage(writer.attributes("/f").getMap())
        .layout()
        .stripeBytes();
  }

  @Test
  void aFileThatHasAnotherNameIsWrittenOn() throws WeftException {
    newcomer.link("/f", "/g");
    replace();
    writer.close(held, 80_000, 1);
    assertEquals(80_000, newcomer.attributes("/g").getSize());
    assertEquals(0, newcomer.attributes("/f").getSize());
  }

  @Test
  void replacingTakesThePermissionsThatAClosedFileTakes() throws WeftException {
    writer.chmod("/", 0777);
    TestClient alice = volume.client("alice", "team");
    refused(ErrorCode.PERMISSION_DENIED, () -> alice.create("/f", 0644, 0, true, false));
    writer.publish(held, 80_000);
    writer.chmod("/f", 0666);
    writer.chmod("/", 01777);
    refused(ErrorCode.PERMISSION_DENIED, () -> alice.create("/f", 0644, 0, true, false));
    writer.publish(held, 90_000);
    writer.chmod("/", 0777);
    alice.create("/f", 0644, 0, true, false);
    refused(ErrorCode.GRANT_REVOKED, () -> writer.publish(held, 95_000));
  }

  @Test
  void replacedFileIsKeptForReadersAfterARestart() throws WeftException {
    TestVolume next = volume.restarted();
    next.own(newcomer.reclaiming(2));
    TestClient again = newcomer.with(next);
    again.create("/f", 0644, 0, true, false);
    assertEquals(1, next.machine().resolving().size());
    assertFalse(next.machine().isOrphan(next.machine().resolving().get(0)));
    next.own(writer.reclaiming(2));
    assertTrue(next.machine().isOrphan(next.machine().resolving().get(0)));
  }

  @Test
  void filesClosedUnwrittenAreClosedAlthoughOneOfThemWasReplaced() throws WeftException {
    CreateReply first = writer.create("/a");
    CreateReply second = writer.create("/b");
    newcomer.create("/a", 0644, 0, true, false);
    writer.execute(new CloseUnwritten(List.of(unwritten(first), unwritten(second))));
    newcomer.update("/b");
  }

  private static CloseFile unwritten(CreateReply created) {
    return CloseFile.unwritten(Held.of(created).object(), new Lsn(created.getGrant().getNumber()));
  }

  @Test
  void oneRecordEndsManyWriters() throws WeftException {
    writer.close(held, 70_000, 1);
    for (int share = 0; share < 300; share++) {
      writer.share("/f");
    }
    replace();
    assertEquals(1, volume.machine().counts().writeGrants());
    assertEquals(
        1, lastRecord().stream().filter(LiveEffect.GrantsRevoked.class::isInstance).count());
  }

  @Test
  void writerLearnsOfTheReplacementOnceItIsDurable() throws WeftException {
    replace();
    Lsn replaced = volume.records().get(volume.records().size() - 1).lsn();
    refused(ErrorCode.GRANT_REVOKED, () -> writer.close(held, 70_000, 0));
    Outcome outcome = volume.machine().execute(writer.last(), writer.lastOperation(), volume.now());
    assertEquals(replaced, ((Outcome.Refused) outcome).seen());
  }

  @Test
  void endedSessionIsReportedOnceDurable() throws WeftException {
    writer.execute(new CloseSession(writer.session()));
    Lsn ended = volume.records().get(volume.records().size() - 1).lsn();
    Outcome outcome = volume.machine().execute(new RenewSession(writer.session()), volume.now());
    assertEquals(ended, ((Outcome.Refused) outcome).seen());
  }
}
