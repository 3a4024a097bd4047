package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.grant.BeginResolve;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.length.BeginCut;
import org.weft.metadata.volume.operation.length.FinishCut;
import org.weft.metadata.volume.operation.repair.BeginBlockRepair;
import org.weft.metadata.volume.operation.repair.BeginRebuild;
import org.weft.metadata.volume.operation.repair.FinishRebuild;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.FileAttributes;

/** The records of a cut that its writer left and the manager finishes (P 4.3). */
class LeftCutRecordsTest {
  private TestVolume volume;
  private TestClient writer;
  private TestClient other;
  private ObjectId object;

  @BeforeEach
  void aWriterIsGoneInACut() throws WeftException {
    volume = TestVolume.formatted(3);
    writer = volume.superuser();
    other = volume.superuser();
    writer.write("/f", 100);
    Held held = Held.of(writer.update("/f"));
    object = held.object();
    writer.setLength(held, 40);
    volume.pass(1_000);
    writer.abandon(held);
    resolve(volume);
  }

  private static void resolve(TestVolume volume) {
    for (WriteGrant grant : volume.machine().resolving()) {
      volume.own(new FinishResolve(grant.number(), 0));
    }
  }

  private static WriteGrant only(TestVolume volume) {
    List<WriteGrant> all = volume.machine().resolving();
    assertEquals(1, all.size());
    return all.get(0);
  }

  private static void finish(TestVolume volume, WriteGrant grant) {
    FileAttributes cut =
        TestClient.parse(
                AttributesReply.parser(), volume.own(new BeginCut(grant.number(), Set.of())))
            .getAttributes();
    assertEquals(40, cut.getSize());
    volume.own(new FinishCut(grant.number(), 1, cut.getMap().getGeneration()));
    volume.machine().attemptEnded(grant.object());
  }

  @Test
  void truncationHasAGrantOfItsOwn() {
    WriteGrant grant = only(volume);
    assertTrue(volume.machine().isUnusedCut(grant));
    assertEquals(WriteGrant.NO_SESSION, grant.session());
    assertEquals(volume.machine().lastLsn(), grant.number());
    assertEquals(grant.number(), grant.first());
  }

  @Test
  void fileIsNotGrantedBeforeTruncationAndResolveEnd() throws WeftException {
    assertEquals(ErrorCode.BEING_WRITTEN, refusal(() -> other.update("/f")));
    finish(volume, only(volume));
    assertEquals(ErrorCode.BEING_WRITTEN, refusal(() -> other.update("/f")));
    resolve(volume);
    assertFalse(other.update("/f").getGrant().getHasTrim());
  }

  @Test
  void readersSeeTheLengthDuringATruncation() throws WeftException {
    FileAttributes before = other.open("/f").getAttributes();
    assertEquals(40, before.getSize());
    finish(volume, only(volume));
    resolve(volume);
    FileAttributes after = other.open("/f").getAttributes();
    assertFalse(after.getHasTrim());
    assertEquals(before.getMtimeMillis(), after.getMtimeMillis());
  }

  @Test
  void aManagerThatStartsResolvesTheFileBeforeItTriesAgain() {
    WriteGrant before = only(volume);
    TestVolume next = volume.restarted();
    assertFalse(next.machine().isUnusedCut(only(next)));
    assertEquals(
        ErrorCode.GRANT_REVOKED,
        refusal(() -> next.execute(null, new BeginCut(before.number(), Set.of()))));
    next.own(new FinishResolve(before.number(), 70));
    WriteGrant after = only(next);
    assertTrue(next.machine().isUnusedCut(after));
    assertTrue(after.number().compareTo(before.number()) > 0);
    finish(next, after);
    resolve(next);
    assertEquals(List.of(), next.machine().resolving());
  }

  @Test
  void truncationBegunBeforeAnotherAttemptDoesNotCount() {
    WriteGrant grant = only(volume);
    volume.own(new BeginResolve(grant.number(), Set.of()));
    assertEquals(
        ErrorCode.UNAVAILABLE,
        refusal(() -> volume.execute(null, new FinishCut(grant.number(), 1, 1))));
    resolve(volume);
    assertTrue(volume.machine().isUnusedCut(only(volume)));
  }

  @Test
  void componentsThatAreDownAreMarkedMissingFirst() {
    WriteGrant grant = only(volume);
    OsdId down = grant.map().osdOf(0);
    assertEquals(
        ErrorCode.UNAVAILABLE,
        refusal(() -> volume.execute(null, new BeginCut(grant.number(), Set.of(down)))));
  }

  @Test
  void namelessFileIsNotTruncatedAnyMore() throws WeftException {
    Lsn number = only(volume).number();
    other.unlink("/f");
    assertEquals(
        ErrorCode.GRANT_REVOKED,
        refusal(() -> volume.execute(null, new BeginCut(number, Set.of()))));
    volume.machine().attemptEnded(object);
    resolve(volume);
    assertEquals(List.of(), volume.machine().resolving());
    assertTrue(volume.own(new FinishCut(number, 1, 1)).record().isEmpty());
  }

  /** Of a release that left it to the next writer. */
  @Test
  void rebuildWaitsForTheTruncation() throws WeftException {
    finish(volume, only(volume));
    resolve(volume);
    Held held = Held.of(other.update("/f"));
    other.setLength(held, 20);
    other.close(held, 20, 3);
    assertEquals(List.of(), volume.machine().resolving());
    Set<OsdId> lost = Set.of(new OsdId(other.attributes("/f").getMap().getOsd(0)));
    volume.osds(4, List.copyOf(lost));
    volume.own(new BeginRebuild(object, lost, Set.of()));
    assertTrue(volume.machine().isUnusedCut(only(volume)));
    assertEquals(
        ErrorCode.BUSY,
        refusal(() -> volume.execute(null, new BeginRebuild(object, lost, Set.of()))));
  }

  /** Its first attempt lost what the code does not bear to lose, as by a loss of power (P 5.9). */
  private void loseTooMuch() {
    WriteGrant grant = only(volume);
    SortedSet<Integer> gone = new TreeSet<>(List.of(0, 1));
    assertFalse(grant.map().bears(gone));
    volume.own(
        new FinishResolve(grant.number(), 40, gone, "components were lost", 0, new TreeSet<>()));
    // What the others have of it is durable.
    List<LiveEffect> settled =
        volume.machine().unsettled().of(object).stream()
            .<LiveEffect>map(each -> new LiveEffect.GrantSettled(each.number()))
            .toList();
    volume.own(new AddLiveEffects(settled));
  }

  @Test
  void truncationOfAHopelessFileIsGivenUp() throws WeftException {
    loseTooMuch();
    assertEquals(List.of(), volume.machine().resolving(), "every attempt would fail");
    assertEquals(1, volume.machine().damage(9).size());
    FileAttributes left = other.open("/f").getAttributes();
    assertEquals(40, left.getSize());
    assertEquals(List.of(), volume.restarted().machine().resolving());
  }

  /** The writer is told by its engine that nothing can be written. */
  @Test
  void givenUpTruncationIsNotRestartedByTheNextWriter() throws WeftException {
    loseTooMuch();
    Held next = Held.of(other.update("/f"));
    other.abandon(next);
    resolve(volume);
    assertEquals(List.of(), volume.machine().resolving());
    assertEquals(1, volume.machine().damage(9).size());
  }

  /** What is behind the cut may be in some components and not in others. */
  @Test
  void fileWithAGivenUpTruncationIsNotRepaired() throws WeftException {
    loseTooMuch();
    volume.osds(4);
    OsdId left = new OsdId(other.attributes("/f").getMap().getOsd(2));
    for (Operation repair :
        List.of(
            new BeginRebuild(object, Set.of(), Set.of()),
            new BeginBlockRepair(object, left, Set.of()))) {
      WeftException refused = assertThrows(WeftException.class, () -> volume.execute(null, repair));
      assertEquals(ErrorCode.TOO_MANY_LOST, refused.code());
      assertTrue(refused.getMessage().contains("f, object " + object), refused.getMessage());
      assertEquals(List.of(), volume.machine().resolving(), "it is begun again");
    }
  }

  /** As it is: a drain does not wait for ever for a file that has lost too much. */
  @Test
  void drainMovesComponentsOfAFileWithAGivenUpTruncation() throws WeftException {
    loseTooMuch();
    StorageMap map = AttributesCodec.fromMessage(other.attributes("/f")).map();
    OsdId left = map.osdOf(2);
    volume.draining(5, left);
    volume.execute(null, new BeginRebuild(object, Set.of(), Set.of()));
    volume
        .machine()
        .rebuilds()
        .find(object)
        .ifPresent(begun -> volume.own(new FinishRebuild(object, begun.number(), 0)));
    StorageMap moved = AttributesCodec.fromMessage(other.attributes("/f")).map();
    assertFalse(moved.components().contains(left), moved::toString);
  }

  @Test
  void aFileWhoseCutIsGivenUpGoesWithItsName() throws WeftException {
    loseTooMuch();
    other.unlink("/f");
    assertEquals(List.of(), volume.machine().resolving());
    assertEquals(List.of(), volume.machine().damage(9));
  }

  private static ErrorCode refusal(Executable call) {
    return assertThrows(WeftException.class, call).code();
  }
}
