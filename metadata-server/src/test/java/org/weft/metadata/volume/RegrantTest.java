package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.repair.MissingComponent;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.grant.BeginResolve;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.grant.Regrant;
import org.weft.metadata.volume.operation.repair.GiveUpComponent;
import org.weft.metadata.volume.operation.repair.MarkMissing;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.RegrantReply;

/** A writer loses components and goes on without them (P 5.8). */
class RegrantTest {
  private TestVolume volume;
  private TestClient writer;
  private CreateReply created;
  private Held held;
  private StorageMap map;

  @BeforeEach
  void aFileBeingWrittenOnFiveOfSixOsds() throws WeftException {
    volume = TestVolume.formatted(3);
    writer = volume.superuser();
    created = writer.create("/f");
    held = Held.of(created);
    map = StorageMap.fromMessage(created.getGrant().getMap());
  }

  private Regrant.Lost silent(int component) {
    return lost(component, ErrorCode.UNAVAILABLE);
  }

  private Regrant.Lost lost(int component, ErrorCode error) {
    return new Regrant.Lost(component, map.osdOf(component), error);
  }

  private void givenUp(int... components) {
    List<OsdId> away = java.util.Arrays.stream(components).mapToObj(map::osdOf).toList();
    volume.osds(6, away);
  }

  /** What was pending is decided, without a word on the length. */
  private void resolved(Held of) {
    volume.own(new BeginResolve(of.number(), Set.of()));
    volume.own(new FinishResolve(of.number(), 4_000));
  }

  /** Asks, and once more when the file is in order. */
  private RegrantReply regranted(Held of, Regrant.Lost... lost) throws WeftException {
    RegrantReply begun = writer.regrant(of, lost);
    assertTrue(begun.getBeingResolved());
    assertFalse(begun.hasGrant());
    assertRefused(ErrorCode.UNAVAILABLE, () -> writer.regrant(of, lost));
    resolved(of);
    RegrantReply reply = writer.regrant(of, lost);
    assertFalse(reply.getBeingResolved());
    return reply;
  }

  @Test
  void regrantWaitsForSysmgrAndSaysSo() throws WeftException {
    WeftException refusal =
        assertThrows(WeftException.class, () -> writer.regrant(held, silent(1)));
    assertEquals(ErrorCode.UNAVAILABLE, refusal.code());
    assertTrue(refusal.getMessage().contains("" + map.osdOf(1)), refusal.getMessage());
    givenUp(1);
    RegrantReply reply = TestClient.parse(RegrantReply.parser(), writer.retry());
    assertTrue(reply.getBeingResolved());
    assertTrue(reply.getAttributes().getMap().getMissingList().contains(1));
  }

  @Test
  void pastQuarantineIsNotSysmgrsPresentState() {
    WeftException refusal =
        assertThrows(
            WeftException.class, () -> writer.regrant(held, lost(1, ErrorCode.QUARANTINED)));
    assertEquals(ErrorCode.UNAVAILABLE, refusal.code());
  }

  @Test
  void componentIsMarkedMissingThenResolvedThenRegranted() throws Exception {
    givenUp(1);
    RegrantReply reply = regranted(held, silent(1));
    Grant grant = reply.getGrant();
    assertTrue(grant.getNumber() > held.number().value());
    StorageMap next = StorageMap.fromMessage(grant.getMap());
    assertEquals(map.generation() + 1, next.generation());
    assertEquals(List.of(1), List.copyOf(next.missing()));
    assertEquals(map.components(), next.components());
    assertEquals(grant.getMap(), reply.getAttributes().getMap());
    Capability capability = Capability.decode(grant.getCapability().asReadOnlyByteBuffer());
    assertEquals(grant.getNumber(), capability.grant());
    assertEquals(grant.getNumber(), capability.floor());
    assertEquals(next.generation(), capability.mapGeneration());
    assertRefused(ErrorCode.GRANT_REVOKED, () -> writer.publish(held, 1));
    assertEquals(1, volume.machine().counts().writeGrants());
    writer.close(Held.of(reply), 10, 1);
    assertEquals(0, volume.machine().counts().writeGrants());
    assertEquals(next, StorageMap.fromMessage(writer.attributes("/f").getMap()));
  }

  @Test
  void lossAdmittedByTheOsdNeedsNoSysmgr() throws WeftException {
    writer.regrant(held, lost(0, ErrorCode.BAD_MEDIA));
    CreateReply second = writer.create("/g");
    Regrant.Lost quarantined =
        new Regrant.Lost(0, new OsdId(second.getGrant().getMap().getOsd(0)), ErrorCode.BAD_MEDIA);
    writer.regrant(Held.of(second), quarantined);
    assertEquals(2, volume.machine().counts().repairFiles());
  }

  @Test
  void onlyGivenUpComponentsAreMarkedMissing() throws WeftException {
    givenUp(2);
    RegrantReply reply = regranted(held, silent(1), silent(2));
    assertEquals(List.of(2), reply.getGrant().getMap().getMissingList());
    assertRefused(ErrorCode.UNAVAILABLE, () -> writer.regrant(Held.of(reply), silent(1)));
  }

  @Test
  void lossBeyondTheCodeIsRefusedAndTheGrantStays() throws WeftException {
    givenUp(1, 2);
    assertRefused(ErrorCode.TOO_MANY_LOST, () -> writer.regrant(held, silent(1), silent(2)));
    RegrantReply reply = regranted(held, silent(1));
    assertRefused(ErrorCode.TOO_MANY_LOST, () -> writer.regrant(Held.of(reply), silent(2)));
    assertEquals(1, volume.machine().counts().repairComponents());
  }

  @Test
  void componentsAreThoseOfTheMap() throws WeftException {
    givenUp(1);
    assertRefused(
        ErrorCode.INVALID_ARGUMENT,
        () -> writer.regrant(held, new Regrant.Lost(2, map.osdOf(1), ErrorCode.UNAVAILABLE)));
    assertRefused(
        ErrorCode.INVALID_ARGUMENT,
        () -> writer.regrant(held, new Regrant.Lost(99, map.osdOf(1), ErrorCode.UNAVAILABLE)));
    RegrantReply reply = regranted(held, silent(1));
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> writer.regrant(Held.of(reply), silent(1)));
    assertRefused(ErrorCode.GRANT_REVOKED, () -> writer.regrant(held, silent(2)));
  }

  @Test
  void aRetryGetsTheSameAnswerAlsoFromTheNextManager() throws WeftException {
    givenUp(1);
    RegrantReply begun = writer.regrant(held, silent(1));
    assertEquals(begun, TestClient.parse(RegrantReply.parser(), writer.retry()));
    resolved(held);
    RegrantReply reply = writer.regrant(held, silent(1));
    assertEquals(reply, TestClient.parse(RegrantReply.parser(), writer.retry()));
    TestVolume next = volume.restarted();
    assertEquals(reply, TestClient.parse(RegrantReply.parser(), writer.with(next).retry()));
    TestVolume behindSnapshot =
        TestVolume.recovered(
            7, volume.machine().snapshot(), volume.recordsBehindSnapshot(volume.records().size()));
    TestClient again = writer.with(behindSnapshot);
    assertEquals(reply, TestClient.parse(RegrantReply.parser(), again.retry()));
    again.close(Held.of(reply), 5, 1);
  }

  @Test
  void repairQueueSurvivesAFailover() throws WeftException {
    givenUp(1);
    writer.regrant(held, silent(1));
    MissingComponent expected = new MissingComponent(held.object(), map.osdOf(1), 1);
    TestVolume replayed = volume.restarted();
    TestVolume fromSnapshot =
        TestVolume.recovered(
            7, volume.machine().snapshot(), volume.recordsBehindSnapshot(volume.records().size()));
    for (TestVolume each : List.of(volume, replayed, fromSnapshot)) {
      assertEquals(List.of(expected), each.machine().repairs().all());
      assertEquals(Map.of(map.osdOf(1), 1), new TreeMap<>(each.machine().repairs().countByOsd()));
      assertEquals(
          List.of(expected), each.machine().repairs().at(map.osdOf(1), new ObjectId(0), 10));
      assertEquals(List.of(), each.machine().repairs().at(map.osdOf(2), new ObjectId(0), 10));
      assertEquals(1, each.machine().counts().repairFiles());
      assertTrue(
          each.machine().snapshot().stream()
              .anyMatch(
                  effect ->
                      effect instanceof LiveEffect.LaggingAdded lagging
                          && lagging.kind() == LiveEffect.LaggingKind.REMOVE
                          && lagging.osd().equals(map.osdOf(1))),
          "what is left of the component is neither read nor kept");
    }
  }

  @Test
  void aFileThatIsRemovedNeedsNoRepair() throws WeftException {
    givenUp(1);
    RegrantReply reply = regranted(held, silent(1));
    writer.unlink("/f");
    assertEquals(1, volume.machine().counts().repairComponents(), "it is written still");
    writer.close(Held.of(reply), 5, 1);
    assertEquals(0, volume.machine().counts().repairComponents());
    assertEquals(0, volume.restarted().machine().repairs().size());
    assertFalse(
        volume.machine().snapshot().stream()
            .anyMatch(effect -> effect instanceof LiveEffect.RepairAdded));
  }

  @Test
  void aWriterThatIsGoneAfterwardsLeavesOneGrantToResolve() throws WeftException {
    givenUp(1);
    RegrantReply reply = regranted(held, silent(1));
    volume.own(new CloseSession(writer.session()));
    assertEquals(1, volume.machine().resolving().size());
    assertEquals(
        reply.getGrant().getNumber(), volume.machine().resolving().get(0).number().value());
    assertTrue(volume.machine().resolving().get(0).map().isMissing(1));
    assertEquals(reply.getGrant().getNumber(), volume.machine().resolving().get(0).first().value());
  }

  @Test
  void aMapThatTheManagerChangedItselfComesWithTheNextGrant() throws WeftException {
    volume.own(new MarkMissing(held.object(), map.osdOf(2)));
    assertEquals(List.of(), volume.machine().writtenAt(new OsdId(99)));
    assertEquals(List.of(held.object()), volume.machine().writtenAt(map.osdOf(2)));
    assertEquals(1, volume.machine().laggingAt(map.osdOf(2)));
    volume.own(new MarkMissing(held.object(), map.osdOf(2)));
    assertEquals(1, volume.machine().counts().repairComponents(), "said again it changes nothing");
    RegrantReply reply = regranted(held, lost(2, ErrorCode.BAD_MEDIA));
    assertEquals(List.of(2), reply.getGrant().getMap().getMissingList());
    assertEquals(List.of(), volume.machine().writtenAt(map.osdOf(2)));
    writer.close(Held.of(reply), 5, 1);
  }

  /** Nothing that comes back brings the file further: it goes, whatever the code bears. */
  @Test
  void blockingComponentIsGivenUpBeyondTheCode() throws WeftException {
    volume.own(new MarkMissing(held.object(), map.osdOf(2)));
    volume.own(new GiveUpComponent(held.object(), map.osdOf(1), "block 7 is damaged for good"));
    volume.own(new GiveUpComponent(held.object(), map.osdOf(1), "block 7 is damaged for good"));
    assertEquals(List.of(1, 2), writer.attributes("/f").getMap().getMissingList());
    List<String> told = volume.machine().damage(10);
    assertEquals(1, told.size(), told::toString);
    assertTrue(told.get(0).contains("block 7 is damaged for good"), told::toString);
    TestVolume next = volume.restarted();
    assertEquals(told, next.machine().damage(10), "in the journal, before anything relies on it");
  }

  /** What its OSD holds of the file's bytes is not read any more, and its attributes stay. */
  @Test
  void theLastComponentThatIsGivenUpKeepsTheAttributes() throws WeftException {
    volume.own(new MarkMissing(held.object(), map.osdOf(2)));
    volume.own(new GiveUpComponent(held.object(), map.osdOf(0), "gone"));
    volume.own(new GiveUpComponent(held.object(), map.osdOf(1), "gone"));
    StorageMap left = StorageMap.fromMessage(writer.attributes("/f").getMap());
    assertEquals(List.of(0, 1, 2), List.copyOf(left.missing()));
    assertEquals(List.of(map.osdOf(1)), left.attributeOsds());
    assertEquals(1, volume.machine().laggingAt(map.osdOf(0)));
    assertEquals(0, volume.machine().laggingAt(map.osdOf(1)), "nothing is removed there");
    TestVolume next = volume.restarted();
    assertEquals(0, next.machine().laggingAt(map.osdOf(1)));
    volume.own(new CloseSession(writer.session()));
    volume.own(new FinishResolve(held.number(), 0));
    volume.superuser().unlink("/f");
    assertEquals(0, volume.machine().counts().writeGrants());
  }

  @Test
  void oneOfSeveralLostComponentsKeepsTheAttributes() throws WeftException {
    volume.own(
        new AddLiveEffects(
            List.of(
                new LiveEffect.LaggingAdded(
                    map.osdOf(0), held.object(), LiveEffect.LaggingKind.REFRESH, Lsn.ZERO))));
    writer.regrant(held, lost(2, ErrorCode.BAD_MEDIA));
    TreeSet<Integer> gone = new TreeSet<>(List.of(0, 1));
    volume.own(new FinishResolve(held.number(), 0, gone, "lost", 0, new TreeSet<>()));
    StorageMap left = StorageMap.fromMessage(writer.attributes("/f").getMap());
    assertEquals(List.of(0, 1, 2), List.copyOf(left.missing()));
    assertEquals(List.of(map.osdOf(1)), left.attributeOsds());
  }

  /** It may have bytes under way that only its next grant fills in (P 4.3). */
  @Test
  void livingWriterDecidesTheFilesLength() throws WeftException {
    writer.publish(held, 1_000);
    givenUp(1);
    RegrantReply reply = regranted(held, silent(1));
    assertEquals(1_000, reply.getAttributes().getSize());
  }

  @Test
  void aFileIsNeitherClosedNorCutWhileItIsResolved() throws WeftException {
    writer.publish(held, 1_000);
    givenUp(1);
    writer.regrant(held, silent(1));
    assertRefused(ErrorCode.UNAVAILABLE, () -> writer.close(held, 1_000, 1));
    assertRefused(ErrorCode.UNAVAILABLE, () -> writer.setLength(held, 10));
    assertRefused(ErrorCode.BEING_WRITTEN, () -> volume.superuser().update("/f"));
    resolved(held);
    assertRefused(ErrorCode.BEING_WRITTEN, () -> volume.superuser().update("/f"));
    writer.close(Held.of(writer.regrant(held)), 1_000, 1);
    volume.superuser().update("/f");
  }

  @Test
  void lossBeyondTheCodeLeavesTheFileToAResolve() throws WeftException {
    writer.regrant(held, lost(1, ErrorCode.BAD_MEDIA));
    Regrant.Lost two = lost(2, ErrorCode.BAD_MEDIA);
    assertRefused(ErrorCode.TOO_MANY_LOST, () -> writer.regrant(held, two));
    assertEquals(1, volume.machine().resolving().size());
  }

  /** Its grant is resolved like that of any writer that is gone, by this manager or the next. */
  @Test
  void aWriterThatDiesWhileItWaitsLeavesItsGrantToResolve() throws WeftException {
    givenUp(1);
    writer.regrant(held, silent(1));
    assertEquals(1, volume.machine().resolving().size(), "it is resolved for its writer");
    TestVolume replayed = volume.restarted();
    TestVolume fromSnapshot =
        TestVolume.recovered(
            7, volume.machine().snapshot(), volume.recordsBehindSnapshot(volume.records().size()));
    for (TestVolume each : List.of(volume, replayed, fromSnapshot)) {
      assertEquals(1, each.machine().resolving().size());
      assertTrue(each.machine().resolving().get(0).map().isMissing(1));
      each.own(new CloseSession(writer.session()));
      each.own(new BeginResolve(held.number(), Set.of()));
      each.own(new FinishResolve(held.number(), 4_000));
      assertEquals(List.of(), each.machine().resolving());
      assertEquals(0, each.machine().counts().writeGrants());
    }
    assertEquals(4_000, volume.superuser().attributes("/f").getSize());
  }

  @Test
  void writerThatGivesUpLeavesItsGrantToResolve() throws WeftException {
    givenUp(1);
    writer.regrant(held, silent(1));
    writer.abandon(held);
    resolved(held);
    assertEquals(0, volume.machine().counts().writeGrants());
  }

  /** The next manager resolves, and answers the client that asks again. */
  @Test
  void nextManagerContinuesTheRegrant() throws WeftException {
    givenUp(1);
    writer.regrant(held, silent(1));
    TestVolume next = volume.restarted();
    TestClient again = writer.with(next);
    assertRefused(ErrorCode.UNAVAILABLE, () -> again.regrant(held, silent(1)));
    next.own(new BeginResolve(held.number(), Set.of()));
    next.own(new FinishResolve(held.number(), 0));
    assertEquals(List.of(1), again.regrant(held, silent(1)).getGrant().getMap().getMissingList());
  }

  /** Only now can it be resolved without them (P 5.5). */
  @Test
  void componentsOnDownOsdsAreMarkedMissingBeforeTheResolve() throws WeftException {
    writer.abandon(held);
    volume.own(new BeginResolve(held.number(), Set.of(map.osdOf(3))));
    assertEquals(List.of(3), writer.attributes("/f").getMap().getMissingList());
    assertTrue(volume.machine().resolving().get(0).map().isMissing(3));
    assertEquals(1, volume.machine().counts().repairComponents());
    BeginResolve without = new BeginResolve(held.number(), Set.of(map.osdOf(3), map.osdOf(0)));
    assertRefused(ErrorCode.TOO_MANY_LOST, () -> volume.execute(null, without));
  }

  private static void assertRefused(ErrorCode expected, Executable attempt) {
    assertEquals(expected, assertThrows(WeftException.class, attempt).code());
  }
}
