package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.grant.RangeTable;
import org.weft.metadata.grant.RecallTable.Recall;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.grant.RenewGrants;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.OpenReply;

/** Several clients write one file, each in ranges of its own (P 6.5). */
class SharedGrantTest {
  private TestVolume volume;
  private TestClient first;
  private TestClient second;
  private TestClient third;
  private long stripe;

  @BeforeEach
  void threeClientsAndAFile() throws WeftException {
    volume = TestVolume.formatted(3);
    first = volume.superuser();
    second = volume.client(TestVolume.SUPERUSER);
    third = volume.client(TestVolume.SUPERUSER);
    stripe = StorageMap.fromMessage(first.write("/f", 100).getMap()).layout().stripeBytes();
  }

  private ByteRange stripes(long from, long to) {
    return new ByteRange(from * stripe, to * stripe);
  }

  @Test
  void writersThatShareAFileDoNotFenceEachOther() throws WeftException {
    OpenReply one = first.share("/f");
    OpenReply two = second.share("/f");
    assertTrue(two.getGrant().getShared());
    assertEquals(one.getGrant().getNumber(), capability(one.getGrant()).floor());
    assertEquals(one.getGrant().getNumber(), capability(two.getGrant()).floor());
    assertEquals(two.getGrant().getNumber(), capability(two.getGrant()).grant());
    first.close(Held.of(one), 100, 0);
    OpenReply three = third.share("/f");
    assertEquals(two.getGrant().getNumber(), capability(three.getGrant()).floor());
    second.close(Held.of(two), 100, 0);
    third.close(Held.of(three), 100, 0);
    OpenReply alone = first.update("/f");
    assertFalse(alone.getGrant().getShared());
    assertEquals(alone.getGrant().getNumber(), capability(alone.getGrant()).floor());
  }

  private static Capability capability(Grant grant) throws WeftException {
    return Capability.decode(grant.getCapability().asReadOnlyByteBuffer());
  }

  @Test
  void sharedAndExclusiveWritersExcludeEachOther() throws WeftException {
    Held alone = Held.of(first.update("/f"));
    String refusal = refused(ErrorCode.BEING_WRITTEN, () -> second.share("/f"));
    assertTrue(refusal.contains("host/1/weft"), refusal);
    first.close(alone, 100, 0);
    Held shared = Held.of(first.share("/f"));
    Held beside = Held.of(second.share("/f"));
    refusal = refused(ErrorCode.BEING_WRITTEN, () -> third.update("/f"));
    assertTrue(refusal.contains("and 1 more") && refusal.contains("shared"), refusal);
    assertTrue(third.open("/f").getGrant().getBeingWritten());
    first.close(shared, 100, 0);
    refused(ErrorCode.BEING_WRITTEN, () -> third.update("/f"));
    second.close(beside, 100, 0);
    third.update("/f");
  }

  @Test
  void soleWriterOwnsTheWholeFileUntilAnotherWantsAPart() throws WeftException {
    Held one = Held.of(first.share("/f"));
    assertEquals(ByteRange.ALL, first.acquire(one, stripes(2, 3)));
    Held two = Held.of(second.share("/f"));
    String refusal = refused(ErrorCode.BUSY, () -> second.acquire(two, stripes(0, 2)));
    assertTrue(refusal.contains("host/1/weft"), refusal);
    assertEquals(recalls(one, stripes(0, 2)), volume.machine().recalls(volume.now()));
    assertEquals(ByteRange.ALL, first.acquire(one, stripes(0, 1)), "it has it still");
    first.release(one, stripes(0, 2), 100);
    assertEquals(stripes(0, 2), second.acquire(two, stripes(0, 2)));
    assertEquals(new ByteRange(2 * stripe, ByteRange.END), first.acquire(one, stripes(9, 10)));
    refused(ErrorCode.BUSY, () -> first.acquire(one, stripes(1, 3)));
    second.close(two, 100, 0);
    assertEquals(ByteRange.ALL, first.acquire(one, stripes(1, 3)));
  }

  private List<Recall> recalls(Held owner, ByteRange range) {
    WriteGrant grant =
        volume.machine().grants().stream()
            .filter(each -> each.number().equals(owner.number()))
            .findFirst()
            .orElseThrow();
    return List.of(new Recall(grant, range));
  }

  @Test
  void recallsAreRepeatedUntilTheyAreObeyed() throws WeftException {
    Held one = Held.of(first.share("/f"));
    first.acquire(one, stripes(0, 1));
    Held two = Held.of(second.share("/f"));
    refused(ErrorCode.BUSY, () -> second.acquire(two, stripes(5, 6)));
    assertEquals(1, volume.machine().recalls(volume.now()).size());
    assertEquals(0, volume.machine().recalls(volume.now()).size());
    volume.pass(500);
    assertEquals(recalls(one, stripes(5, 6)), volume.machine().recalls(volume.now()));
    first.release(one, stripes(4, 7), 100);
    volume.pass(500);
    assertEquals(List.of(), volume.machine().recalls(volume.now()));
    second.acquire(two, stripes(5, 6));
  }

  @Test
  void aWriterThatStopsAskingIsForgotten() throws WeftException {
    Held one = Held.of(first.share("/f"));
    first.acquire(one, stripes(0, 1));
    Held two = Held.of(second.share("/f"));
    refused(ErrorCode.BUSY, () -> second.acquire(two, stripes(5, 6)));
    volume.pass(3_000);
    assertEquals(List.of(), volume.machine().recalls(volume.now()));
    first.release(one, ByteRange.ALL, 100);
    first.acquire(one, stripes(5, 6));
  }

  @Test
  void theWriterThatCameFirstIsServedFirst() throws WeftException {
    Held one = Held.of(first.share("/f"));
    Held two = Held.of(second.share("/f"));
    Held three = Held.of(third.share("/f"));
    first.acquire(one, stripes(0, 2));
    refused(ErrorCode.BUSY, () -> second.acquire(two, stripes(1, 4)));
    first.release(one, stripes(0, 2), 100);
    String refusal = refused(ErrorCode.BUSY, () -> first.acquire(one, stripes(0, 2)));
    assertTrue(refusal.contains("asked first"), refusal);
    refused(ErrorCode.BUSY, () -> third.acquire(three, stripes(3, 4)));
    assertEquals(stripes(1, 4), second.acquire(two, stripes(1, 4)));
    refused(ErrorCode.BUSY, () -> third.acquire(three, stripes(3, 4)));
    second.release(two, stripes(1, 4), 100);
    assertEquals(stripes(0, 2), first.acquire(one, stripes(0, 2)), "it does not want the same");
    assertEquals(stripes(3, 4), third.acquire(three, stripes(3, 4)));
  }

  @Test
  void rangesAreMadeOfWholeStripesAndTakeASharedGrant() throws WeftException {
    Held one = Held.of(first.share("/f"));
    refused(ErrorCode.INVALID_ARGUMENT, () -> first.acquire(one, new ByteRange(1, stripe)));
    refused(ErrorCode.INVALID_ARGUMENT, () -> first.release(one, new ByteRange(0, 7), 100));
    first.close(one, 100, 0);
    refused(ErrorCode.GRANT_REVOKED, () -> first.acquire(one, stripes(0, 1)));
    Held alone = Held.of(first.update("/f"));
    refused(ErrorCode.INVALID_ARGUMENT, () -> first.acquire(alone, stripes(0, 1)));
    refused(ErrorCode.INVALID_ARGUMENT, () -> first.release(alone, stripes(0, 1), 100));
  }

  @Test
  void releasePublishesTheLength() throws WeftException {
    Held one = Held.of(first.share("/f"));
    Held two = Held.of(second.share("/f"));
    first.acquire(one, stripes(0, 4));
    assertEquals(4 * stripe, first.release(one, stripes(0, 2), 4 * stripe).getSize());
    assertEquals(4 * stripe, third.attributes("/f").getSize());
    int records = volume.records().size();
    first.release(one, stripes(0, 2), 3 * stripe);
    assertEquals(records, volume.records().size(), "it changes nothing any more");
    second.publish(two, 2 * stripe);
    assertEquals(4 * stripe, third.attributes("/f").getSize());
    assertEquals(5 * stripe, first.close(one, 5 * stripe, 9).getSize());
    assertEquals(5 * stripe, second.close(two, 2 * stripe, 9).getSize());
  }

  @Test
  void ownersAreBounded() throws WeftException {
    Held one = Held.of(first.share("/f"));
    second.share("/f");
    for (int each = 0; each < RangeTable.MAX_OF_GRANT; each++) {
      first.acquire(one, stripes(2L * each, 2L * each + 1));
    }
    refused(ErrorCode.INVALID_ARGUMENT, () -> first.acquire(one, stripes(5_000, 5_001)));
    assertEquals(stripes(0, 3), first.acquire(one, stripes(1, 2)), "it joins two");
    assertEquals(stripes(5_000, 5_003), first.acquire(one, stripes(5_000, 5_003)));
    refused(ErrorCode.INVALID_ARGUMENT, () -> first.release(one, stripes(5_001, 5_002), 100));
    first.release(one, stripes(5_000, 5_002), 100);
  }

  @Test
  void survivorsKeepTheirRangesUnderNewGrants() throws WeftException {
    Held one = Held.of(first.share("/f"));
    Held two = Held.of(second.share("/f"));
    first.acquire(one, stripes(0, 1));
    second.acquire(two, stripes(1, 2));
    first.abandon(one);
    assertEquals(
        List.of(one.number()),
        volume.machine().resolving().stream().map(WriteGrant::first).toList(),
        "of all of them");
    refused(ErrorCode.FENCED, () -> second.acquire(two, stripes(2, 3)));
    refused(ErrorCode.BEING_WRITTEN, () -> third.share("/f"));
    refused(ErrorCode.UNAVAILABLE, () -> second.regrant(two));
    second.publish(two, 2 * stripe);
    WriteGrant dead = volume.machine().resolving().get(0);
    assertEquals(one.number(), dead.number());
    volume.own(new FinishResolve(dead.number(), 100));
    OpenReply joined = third.share("/f");
    assertEquals(joined.getGrant().getNumber(), capability(joined.getGrant()).floor());
    refused(ErrorCode.BUSY, () -> third.acquire(Held.of(joined), stripes(1, 2)));
    Grant renewed = second.regrant(two).getGrant();
    assertTrue(renewed.getShared());
    assertEquals(joined.getGrant().getNumber(), capability(renewed).floor());
    Held next = new Held(two.object(), new Lsn(renewed.getNumber()));
    assertEquals(stripes(1, 2), second.acquire(next, stripes(1, 2)));
    assertEquals(stripes(0, 1), third.acquire(Held.of(joined), stripes(0, 1)));
    assertNotEquals(two.number(), next.number());
    refused(ErrorCode.GRANT_REVOKED, () -> second.publish(two, 9 * stripe));
    assertEquals(2 * stripe, second.close(next, 100, 4).getSize());
  }

  /** One has the file open for very long, and many others have written it meanwhile. */
  @Test
  void anOldGrantIsReplacedSoThatOthersCanBeForgotten() throws WeftException {
    Held old = Held.of(first.share("/f"));
    first.acquire(old, stripes(0, 1));
    Held two = Held.of(second.share("/f"));
    assertEquals(Optional.of(earlier()), volume.cache().lowestGrant(old.object()));
    volume.own(new RenewGrants(old.object()));
    volume.own(new RenewGrants(old.object()));
    assertEquals(Optional.of(old.number()), volume.cache().lowestGrant(old.object()));
    volume.own(new FinishResolve(old.number(), 100));
    assertEquals(Optional.empty(), volume.cache().lowestGrant(old.object()), "nothing is pending");
    Held next = Held.of(first.regrant(old));
    first.acquire(next, stripes(0, 1));
    assertEquals(Optional.of(next.number()), volume.cache().lowestGrant(old.object()));
    second.close(two, 100, 0);
    first.close(next, 100, 0);
    assertEquals(0, volume.machine().counts().writeGrants());
    volume.own(new RenewGrants(old.object()));
  }

  /** After a loss of power its marks say which components fell behind. */
  @Test
  void aGrantIsRememberedUntilItIsUnderCheckpoints() throws WeftException {
    Held one = Held.of(first.share("/f"));
    Held two = Held.of(second.share("/f"));
    volume.own(new AddLiveEffects(List.of(new LiveEffect.GrantSettled(earlier()))));
    first.close(one, 100, 3);
    assertEquals(Optional.of(one.number()), volume.cache().lowestGrant(one.object()));
    volume.own(new AddLiveEffects(List.of(new LiveEffect.GrantSettled(one.number()))));
    assertEquals(Optional.of(two.number()), volume.cache().lowestGrant(one.object()));
    second.close(two, 100, 3);
    volume.own(new AddLiveEffects(List.of(new LiveEffect.GrantSettled(two.number()))));
    assertEquals(Optional.empty(), volume.cache().lowestGrant(one.object()));
  }

  /** The grant under which the file was made. */
  private Lsn earlier() {
    return volume.machine().unsettled().all().iterator().next().number();
  }

  @Test
  void filesOfSeveralDeadSharersAreResolvedTogether() throws WeftException {
    Held one = Held.of(first.share("/f"));
    Held two = Held.of(second.share("/f"));
    Held three = Held.of(third.share("/f"));
    second.abandon(two);
    third.abandon(three);
    assertEquals(1, volume.machine().resolving().size());
    WriteGrant dead = volume.machine().resolving().get(0);
    assertEquals(two.number(), dead.number());
    assertEquals(one.number(), dead.first(), "the one that lives had writes under way too");
    volume.own(new FinishResolve(dead.number(), 700));
    assertEquals(List.of(), volume.machine().resolving());
    assertEquals(1, volume.machine().grants().size());
    first.regrant(one);
  }

  @Test
  void ownerThatIgnoresARecallForALeaseCountsAsGone() throws WeftException {
    Held one = Held.of(first.share("/f"));
    first.acquire(one, stripes(0, 1));
    Held two = Held.of(second.share("/f"));
    for (int millis = 0; millis < SessionTable.LEASE_MILLIS; millis += 1_000) {
      refused(ErrorCode.BUSY, () -> second.acquire(two, stripes(0, 1)));
      volume.own(new RenewSession(first.session()));
      volume.tick();
      assertEquals(List.of(), volume.machine().resolving(), "after " + millis + " ms");
      volume.pass(1_000);
    }
    refused(ErrorCode.BUSY, () -> second.acquire(two, stripes(0, 1)));
    volume.tick();
    assertEquals(one.number(), volume.machine().resolving().get(0).number());
    refused(ErrorCode.GRANT_REVOKED, () -> first.release(one, stripes(0, 1), 100));
    refused(ErrorCode.FENCED, () -> second.acquire(two, stripes(0, 1)));
    volume.own(new FinishResolve(one.number(), 100));
    Held next = Held.of(second.regrant(two));
    second.acquire(next, stripes(0, 1));
  }

  @Test
  void fencedOwnerHasALeaseAfterTheResolve() throws WeftException {
    Held one = Held.of(first.share("/f"));
    first.acquire(one, stripes(0, 1));
    Held two = Held.of(second.share("/f"));
    Held three = Held.of(third.share("/f"));
    third.abandon(three);
    refused(ErrorCode.FENCED, () -> second.acquire(two, stripes(0, 1)));
    volume.pass(60_000);
    volume.own(new FinishResolve(three.number(), 100));
    volume.machine().renewSessions(volume.now());
    Held next = Held.of(second.regrant(two));
    for (int millis = 0; millis < SessionTable.LEASE_MILLIS; millis += 1_000) {
      refused(ErrorCode.BUSY, () -> second.acquire(next, stripes(0, 1)));
      volume.own(new RenewSession(first.session()));
      volume.tick();
      assertEquals(List.of(), volume.machine().resolving(), "after " + millis + " ms");
      volume.pass(1_000);
    }
    refused(ErrorCode.BUSY, () -> second.acquire(next, stripes(0, 1)));
    volume.tick();
    assertEquals(one.number(), volume.machine().resolving().get(0).number());
  }

  @Test
  void recallTimeStartsAgainAfterAManagerRestart() throws WeftException {
    Held one = Held.of(first.share("/f"));
    first.acquire(one, stripes(0, 1));
    Held two = Held.of(second.share("/f"));
    refused(ErrorCode.BUSY, () -> second.acquire(two, stripes(0, 1)));
    volume.pass(60_000);
    volume.machine().renewSessions(volume.now());
    volume.tick();
    assertEquals(List.of(), volume.machine().resolving());
    assertEquals(1, volume.machine().recalls(volume.now()).size());
  }

  @Test
  void namelessFileLivesUntilItsLastWriterCloses() throws WeftException {
    Held one = Held.of(first.share("/f"));
    Held two = Held.of(second.share("/f"));
    Held three = Held.of(third.share("/f"));
    first.unlink("/f");
    first.close(one, 100, 0);
    second.publish(two, 400);
    second.abandon(two);
    WriteGrant dead = volume.machine().resolving().get(0);
    assertFalse(volume.machine().isOrphan(dead), "another client writes it still");
    volume.own(new FinishResolve(dead.number(), 100));
    Held next = Held.of(third.regrant(three));
    third.publish(next, 500);
    third.close(next, 500, 1);
    assertEquals(0, volume.machine().grants().size());
    refused(ErrorCode.NOT_FOUND, () -> third.openAgain(three.object().value()));
  }

  @Test
  void aLeaseIsRecoveredFromAllWritersThatShareTheFile() throws WeftException {
    Held one = Held.of(first.share("/f"));
    Held two = Held.of(second.share("/f"));
    assertFalse(third.recoverLease("/f").getClosed());
    refused(ErrorCode.GRANT_REVOKED, () -> first.publish(one, 200));
    refused(ErrorCode.GRANT_REVOKED, () -> second.publish(two, 200));
    volume.own(new FinishResolve(volume.machine().resolving().get(0).number(), 100));
    assertTrue(third.recoverLease("/f").getClosed());
  }

  @Test
  void createFloorStaysBelowEveryOpenGrant() throws WeftException {
    Held one = Held.of(first.share("/f"));
    second.share("/f");
    assertEquals(one.number(), volume.machine().createFloor());
    first.close(one, 100, 0);
    assertNotEquals(one.number(), volume.machine().createFloor());
  }

  private static String refused(ErrorCode expected, Executable attempt) {
    WeftException refusal = assertThrows(WeftException.class, attempt);
    assertEquals(expected, refusal.code(), refusal.getMessage());
    return refusal.getMessage();
  }
}
