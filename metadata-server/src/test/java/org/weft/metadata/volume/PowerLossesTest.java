package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.grant.BeginResolve;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.grant.Regrant;
import org.weft.metadata.volume.operation.repair.GiveUpLosses;
import org.weft.metadata.volume.operation.repair.MarkMissing;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.RegrantReply;

/** What OSDs that lost power may have lost of a file that bears the loss of one (P 5.9). */
class PowerLossesTest {
  private static final int X = 1;
  private static final int Y = 2;
  private static final int Z = 3;

  private TestVolume volume;
  private TestClient writer;
  private Held held;
  private StorageMap map;

  @BeforeEach
  void aFileBeingWritten() throws WeftException {
    volume = TestVolume.formatted(3);
    writer = volume.superuser();
    CreateReply created = writer.create("/f");
    held = Held.of(created);
    map = StorageMap.fromMessage(created.getGrant().getMap());
    assertEquals(1, map.layout().parityUnits());
  }

  private List<OsdId> osds(int... components) {
    return IntStream.of(components).mapToObj(map::osdOf).toList();
  }

  private void lossy(long quarantine, int... components) {
    volume.lossy(6, quarantine, osds(components));
  }

  private MessageLite decide(int... counted) throws WeftException {
    return decide(volume, counted);
  }

  private MessageLite decide(TestVolume where, int... counted) throws WeftException {
    GiveUpLosses losses = new GiveUpLosses(held.object(), map, new TreeSet<>(osds(counted)));
    return where.execute(null, losses).reply();
  }

  private List<Integer> missing() throws WeftException {
    return writer.attributes("/f").getMap().getMissingList();
  }

  private Set<OsdId> suspects(TestVolume where) {
    return where.machine().suspectsOf(held.object()).suspects();
  }

  private void resolved(TestVolume where, Lsn number, Integer... gone) {
    where.own(new BeginResolve(number, Set.of()));
    where.own(new FinishResolve(number, 0, new TreeSet<>(List.of(gone)), "", 0, new TreeSet<>()));
  }

  private Regrant.Lost quarantined(int component) {
    return new Regrant.Lost(component, map.osdOf(component), ErrorCode.QUARANTINED);
  }

  @Test
  void lossWithinTheCodeIsMarkedMissingAndTheWriterRegranted() throws WeftException {
    lossy(1, X);
    assertRefused(ErrorCode.UNAVAILABLE, () -> writer.regrant(held, quarantined(X)));
    assertEquals(Empty.getDefaultInstance(), decide(X));
    assertEquals(List.of(X), missing());
    assertEquals(1, volume.machine().counts().repairComponents());
    assertTrue(volume.machine().resolving().get(0).renewing());
    assertTrue(volume.machine().resolving().get(0).map().isMissing(X));
    resolved(volume, held.number());
    RegrantReply reply = writer.regrant(held, quarantined(X));
    assertEquals(List.of(X), reply.getGrant().getMap().getMissingList());
    writer.close(Held.of(reply), 10, 1);
  }

  /** Whichever of them the writer meets first: else the other one would be decoded from. */
  @Test
  void twoAreCountedTogether() throws WeftException {
    lossy(1, X, Y);
    assertRefused(ErrorCode.UNAVAILABLE, () -> writer.regrant(held, quarantined(X)));
    assertInstanceOf(AttributesReply.class, decide(X, Y));
    assertEquals(List.of(), missing());
    assertEquals(Set.copyOf(osds(X, Y)), suspects(volume));
    assertTrue(volume.machine().resolving().get(0).resolving());
    assertEquals(Empty.getDefaultInstance(), decide(X, Y), "it is decided");
    assertRefused(ErrorCode.GRANT_REVOKED, () -> writer.regrant(held, quarantined(X)));
    resolved(volume, held.number());
    assertEquals(Set.of(), suspects(volume), "they have been compared");
    assertRefused(ErrorCode.GRANT_REVOKED, () -> writer.regrant(held, quarantined(X)));
    Held next = Held.of(writer.update("/f"));
    volume.own(new AddLiveEffects(List.of(new LiveEffect.GrantSettled(held.number()))));
    assertEquals(Empty.getDefaultInstance(), decide(X, Y), "nothing of that grant is lost");
    assertRefused(ErrorCode.UNAVAILABLE, () -> writer.regrant(next, quarantined(X)));
    assertEquals(List.of(), missing());
    writer.close(next, 10, 1);
    assertEquals(Empty.getDefaultInstance(), decide(X, Y), "nor when it has ended");
    assertEquals(List.of(), volume.machine().resolving());
  }

  /**
   * Else it might flush what it wrote before, and be told that it is durable, though it is gone.
   */
  @Test
  void writerThatAlreadyAsksForAGrantLearnsOfTheLoss() throws WeftException {
    lossy(1, X);
    decide(X);
    assertTrue(volume.machine().resolving().get(0).renewing());
    lossy(2, Y, Z);
    decide(Y, Z);
    resolved(volume, held.number());
    assertRefused(ErrorCode.GRANT_REVOKED, () -> writer.regrant(held, quarantined(X)));
  }

  /** The second is counted although it is not known yet which others lost power with it. */
  @Test
  void lossesAreDecidedOnlyWhenAllAreCounted() throws WeftException {
    lossy(1, X, Y);
    assertRefused(ErrorCode.UNAVAILABLE, () -> decide(X));
    assertEquals(List.of(), volume.machine().resolving());
    decide(X, Y);
    assertEquals(Set.copyOf(osds(X, Y)), suspects(volume));
  }

  @Test
  void powerLossesAndMissingComponentsAreCountedTogether() throws WeftException {
    volume.own(new MarkMissing(held.object(), map.osdOf(Z)));
    lossy(1, X);
    decide(X);
    assertEquals(List.of(Z), missing());
    assertEquals(Set.copyOf(osds(X)), suspects(volume));
  }

  @Test
  void nextManagerKnowsTheAcceptedSuspects() throws WeftException {
    lossy(1, X, Y);
    decide(X, Y);
    TestVolume replayed = volume.restarted();
    TestVolume fromSnapshot =
        TestVolume.recovered(
            7, volume.machine().snapshot(), volume.recordsBehindSnapshot(volume.records().size()));
    for (TestVolume each : List.of(replayed, fromSnapshot)) {
      assertEquals(Set.copyOf(osds(X, Y)), suspects(each));
      // Of one it is known meanwhile: it has been readmitted.
      each.lossy(6, 1, osds(Y));
      assertEquals(Empty.getDefaultInstance(), decide(each, Y));
      assertEquals(Set.copyOf(osds(X, Y)), suspects(each), "one is not believed for itself");
      resolved(each, held.number());
      assertEquals(Set.of(), suspects(each));
      assertEquals(Set.of(), suspects(each.restarted()));
    }
  }

  @Test
  void nextLossIsDecidedAgain() throws WeftException {
    lossy(1, X, Y);
    decide(X, Y);
    resolved(volume, held.number());
    Held next = Held.of(writer.update("/f"));
    lossy(2, X);
    assertEquals(Empty.getDefaultInstance(), decide(X));
    assertEquals(List.of(X), missing());
    resolved(volume, next.number());
    writer.close(Held.of(writer.regrant(next)), 10, 1);
  }

  /** What it wrote and closed may be lost here and there: that is found out by resolving it. */
  @Test
  void closedFileWithAcceptedSuspectsIsResolved() throws WeftException {
    writer.close(held, 100, 3);
    FileAttributes before = writer.attributes("/f");
    volume.pass(60_000);
    lossy(1, X, Y);
    assertInstanceOf(AttributesReply.class, decide(X, Y));
    WriteGrant resolving = volume.machine().resolving().get(0);
    assertTrue(resolving.resolving());
    assertEquals(held.number(), resolving.first());
    assertRefused(ErrorCode.BEING_WRITTEN, () -> writer.update("/f"));
    TestVolume next = volume.restarted();
    assertEquals(resolving, next.machine().resolving().get(0));
    resolved(volume, resolving.number());
    assertEquals(0, volume.machine().counts().writeGrants());
    FileAttributes after = writer.attributes("/f");
    assertEquals(before, after.toBuilder().setChangeLsn(before.getChangeLsn()).build());
    assertEquals(Empty.getDefaultInstance(), decide(X, Y), "it is decided");
    writer.update("/f");
  }

  @Test
  void aFileThatWasClosedIsWrittenOffOnOne() throws WeftException {
    writer.close(held, 100, 3);
    lossy(1, X);
    decide(X);
    assertEquals(List.of(X), missing());
    assertEquals(List.of(), volume.machine().resolving());
  }

  /**
   * What nothing is left of is not read, whatever the code bears; what cannot be is not rebuilt.
   */
  @Test
  void componentTheResolveFoundGoneIsMarkedMissing() throws WeftException {
    lossy(1, X, Y);
    decide(X, Y);
    resolved(volume, held.number(), X, Y);
    assertEquals(List.of(X, Y), missing());
    assertEquals(0, volume.machine().counts().repairComponents());
    Held next = Held.of(writer.update("/f"));
    assertEquals(List.of(X, Y), writer.attributes("/f").getMap().getMissingList());
    writer.close(next, 0, 0);
    TestVolume restarted = volume.restarted();
    assertEquals(List.of(X, Y), writer.with(restarted).attributes("/f").getMap().getMissingList());
  }

  @Test
  void componentTheResolveFoundGoneWaitsForARebuild() throws WeftException {
    lossy(1, X, Y);
    decide(X, Y);
    resolved(volume, held.number(), Y);
    assertEquals(List.of(Y), missing());
    assertEquals(1, volume.machine().counts().repairComponents());
  }

  /** They would be decoded, each piece of another time. */
  @Test
  void clientsCannotOpenAFileBeforeTheComparison() throws WeftException {
    writer.close(held, 100, 3);
    lossy(1, X, Y);
    decide(X, Y);
    assertEquals(1, volume.machine().suspectFilesAt(map.osdOf(X)));
    assertEquals(0, volume.machine().suspectFilesAt(map.osdOf(Z)));
    WeftException refused = assertThrows(WeftException.class, () -> writer.open("/f"));
    assertEquals(ErrorCode.UNAVAILABLE, refused.code());
    assertTrue(refused.getMessage().contains("power"), refused.getMessage());
    resolved(volume, volume.machine().resolving().get(0).number());
    assertEquals(0, volume.machine().suspectFilesAt(map.osdOf(X)));
    writer.open("/f");
  }

  /** What it relied on is not there any more. */
  @Test
  void aResolveThatLostAComponentMeanwhileIsMadeAgain() throws WeftException {
    writer.abandon(held);
    volume.own(new BeginResolve(held.number(), Set.of()));
    volume.own(new MarkMissing(held.object(), map.osdOf(Z)));
    assertRefused(ErrorCode.UNAVAILABLE, () -> volume.execute(null, by(map.generation())));
    volume.own(by(map.generation() + 1));
    assertEquals(List.of(), volume.machine().resolving());
  }

  private FinishResolve by(int generation, Integer... suspects) {
    return new FinishResolve(
        held.number(), 0, new TreeSet<>(), "", generation, new TreeSet<>(List.of(suspects)));
  }

  /** It was not compared with the others, although the map is the same. */
  @Test
  void aResolveThatWasBegunBeforeAnotherLossIsMadeAgain() throws WeftException {
    lossy(1, X, Y);
    decide(X, Y);
    volume.own(new BeginResolve(held.number(), Set.of()));
    FinishResolve late = by(map.generation(), X, Y);
    lossy(1, X, Y, Z);
    assertRefused(ErrorCode.UNAVAILABLE, () -> volume.execute(null, late));
    decide(X, Y, Z);
    assertRefused(ErrorCode.UNAVAILABLE, () -> volume.execute(null, late));
    assertEquals(Set.copyOf(osds(X, Y, Z)), suspects(volume), "the third was not compared");
    volume.own(by(map.generation(), X, Y, Z));
    assertEquals(Set.of(), suspects(volume));
  }

  /** It ended before the loss, and may be lost all the same. */
  @Test
  void endedGrantWithoutACheckpointIsCompared() throws WeftException {
    writer.close(held, 100, 3);
    Held next = Held.of(writer.update("/f"));
    writer.abandon(next);
    WriteGrant alone = volume.machine().resolving().get(0);
    assertEquals(next.number(), volume.machine().firstToCompare(alone));
    lossy(1, X, Y);
    decide(X, Y);
    WriteGrant resolving = volume.machine().resolving().get(0);
    assertEquals(held.number(), volume.machine().firstToCompare(resolving));
    resolved(volume, resolving.number());
    assertEquals(List.of(), volume.machine().resolving());
  }

  /** The volume's list of damage names it, also at the next manager, until the file is gone. */
  @Test
  void damagedFileIsReportedUntilItIsRemoved() throws WeftException {
    writer.abandon(held);
    volume.own(new BeginResolve(held.number(), Set.of()));
    volume.own(
        new FinishResolve(
            held.number(), 0, new TreeSet<>(), "lost much: rewrite it", 0, new TreeSet<>()));
    TestVolume fromSnapshot =
        TestVolume.recovered(
            7, volume.machine().snapshot(), volume.recordsBehindSnapshot(volume.records().size()));
    for (TestVolume each : List.of(volume, volume.restarted(), fromSnapshot)) {
      String said = each.machine().damage(5).toString();
      assertTrue(said.contains("f, object " + held.object() + ", lost much: rewrite it"), said);
      assertTrue(each.machine().damage(0).get(0).contains("1 more"), "they are counted");
    }
    writer.unlink("/f");
    assertEquals(List.of(), volume.machine().damage(5));
    assertEquals(List.of(), volume.restarted().machine().damage(5));
  }

  /** That a file was removed is dropped from the journal as soon as its OSDs know. */
  @Test
  void removedFileNeedsNoDecision() throws WeftException {
    writer.abandon(held);
    volume.own(new BeginResolve(held.number(), Set.of()));
    volume.own(
        new FinishResolve(
            held.number(), 0, new TreeSet<>(), "lost much: rewrite it", 0, new TreeSet<>()));
    assertEquals(1, volume.machine().unsettled().size());
    writer.unlink("/f");
    Held orphan = Held.of(writer.create("/g"));
    writer.unlink("/g");
    writer.abandon(orphan);
    TestVolume later = TestVolume.recovered(7, List.of(), volume.recordsWithoutRedo());
    assertEquals(List.of(), List.copyOf(later.machine().unsettled().all()));
    assertEquals(List.of(), later.machine().damage(5));
    assertEquals(List.of(), List.copyOf(later.machine().grants()));
  }

  /** Copies that are out of date are written from those that are not. */
  @Test
  void theLastCopyOfTheAttributesThatIsUpToDateStays() throws WeftException {
    lossy(1, X);
    for (int behind : List.of(0, Y)) {
      LiveEffect lags =
          new LiveEffect.LaggingAdded(
              map.osdOf(behind), held.object(), LiveEffect.LaggingKind.REFRESH, Lsn.ZERO);
      volume.own(new AddLiveEffects(List.of(lags)));
    }
    WeftException refused = assertThrows(WeftException.class, () -> decide(X));
    assertEquals(ErrorCode.UNAVAILABLE, refused.code());
    assertTrue(refused.getMessage().contains("out of date on OSDs"), refused.getMessage());
    assertEquals(List.of(), missing());
    volume.own(
        new AddLiveEffects(List.of(new LiveEffect.LaggingCleared(map.osdOf(Y), held.object()))));
    decide(X);
    assertEquals(List.of(X), missing());
  }

  /** Somewhere the attributes have to lie, or the file could not be removed. */
  @Test
  void anObjectWithAttributesStays() throws WeftException {
    writer.abandon(held);
    resolved(volume, held.number(), 0, 1, 2);
    assertEquals(List.of(0, 1, 2), missing(), "none of its bytes are read");
    StorageMap left = StorageMap.fromMessage(writer.attributes("/f").getMap());
    assertEquals(List.of(map.osdOf(0)), left.attributeOsds());
    assertEquals(0, volume.machine().laggingAt(map.osdOf(0)), "nothing is removed there");
    writer.unlink("/f");
  }

  /** What one that is down holds may be what those lost. */
  @Test
  void downOsdIsWaitedForWhileOthersAreSuspect() throws WeftException {
    lossy(1, X, Y);
    decide(X, Y);
    BeginResolve without = new BeginResolve(held.number(), Set.of(map.osdOf(Z)));
    WeftException refused = assertThrows(WeftException.class, () -> volume.execute(null, without));
    assertEquals(ErrorCode.TOO_MANY_LOST, refused.code());
    assertTrue(refused.getMessage().contains("bring"), refused.getMessage());
    assertEquals(List.of(), missing());
    int removed = map.osdOf(Z).value();
    volume.osdsWithout(6, removed);
    volume.own(without);
    assertEquals(List.of(Z), missing(), "it does not come back");
    assertEquals(Set.copyOf(osds(X, Y)), suspects(volume));
  }

  private static void assertRefused(ErrorCode expected, Executable attempt) {
    assertEquals(expected, assertThrows(WeftException.class, attempt).code());
  }
}
