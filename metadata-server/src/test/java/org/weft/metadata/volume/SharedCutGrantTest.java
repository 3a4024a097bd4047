package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.grant.CloseFile;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.grant.ReleaseRange;
import org.weft.metadata.volume.operation.length.PublishLength;
import org.weft.metadata.volume.operation.length.SetLength;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.AcquireRangeReply;
import org.weft.protocol.wire.AttributesReply;

/** A file that several clients have open is cut by one of them (P 6.5.75 to 6.5.79). */
class SharedCutGrantTest {
  private TestVolume volume;
  private TestClient first;
  private TestClient second;
  private TestClient third;
  private ByteRange beginning;
  private Held one;
  private Held two;

  @BeforeEach
  void twoClientsShareAFile() throws WeftException {
    volume = TestVolume.formatted(3);
    first = volume.superuser();
    second = volume.client(TestVolume.SUPERUSER);
    third = volume.client(TestVolume.SUPERUSER);
    long stripe = StorageMap.fromMessage(first.write("/f", 100).getMap()).layout().stripeBytes();
    beginning = new ByteRange(0, stripe);
    one = Held.of(first.share("/f"));
    two = Held.of(second.share("/f"));
  }

  private Held ownsAll(TestClient client, Held held) throws WeftException {
    assertEquals(ByteRange.ALL, client.acquire(held, ByteRange.ALL));
    return held;
  }

  private Held renewed(TestClient client, Held held) throws WeftException {
    refused(ErrorCode.FENCED, () -> client.acquire(held, beginning));
    return Held.of(client.regrant(held));
  }

  @Test
  void onlyASoleOrFullOwnerMaySetTheLength() throws WeftException {
    String refusal = refused(ErrorCode.INVALID_ARGUMENT, () -> first.setLength(one, 10));
    assertTrue(refusal.contains("acquire all of it first"), refusal);
    first.acquire(one, beginning);
    refused(ErrorCode.INVALID_ARGUMENT, () -> first.setLength(one, 10));
    refused(ErrorCode.INVALID_ARGUMENT, () -> first.setLength(one, 1_000));
    ownsAll(first, one);
    assertEquals(1_000, first.setLength(one, 1_000).getSize());
    Held cutter = first.cut(one, 10);
    refused(ErrorCode.BEING_WRITTEN, () -> third.share("/f"));
    refused(ErrorCode.INVALID_ARGUMENT, () -> second.trimmed(two, 1));
    first.trimmed(cutter, 1);
    third.share("/f");
  }

  /** What others wrote under younger grants is to be cut, and nothing that they write later. */
  @Test
  void truncationIsNewerThanOldWritesAndOlderThanNewOnes() throws WeftException {
    ownsAll(first, one);
    assertTrue(one.number().compareTo(two.number()) < 0);
    AttributesReply reply = setLength(first, one, 10);
    Held cutter = new Held(one.object(), new Lsn(reply.getGrant().getNumber()));
    assertTrue(two.number().compareTo(cutter.number()) < 0);
    assertTrue(reply.getGrant().getShared());
    Capability capability =
        Capability.decode(reply.getGrant().getCapability().asReadOnlyByteBuffer());
    assertEquals(cutter.number().value(), capability.grant());
    assertEquals(cutter.number().value(), capability.floor(), "the others are shut out");
    refused(ErrorCode.GRANT_REVOKED, () -> first.acquire(one, beginning));
    Held late = renewed(second, two);
    assertTrue(cutter.number().compareTo(late.number()) < 0);
    refused(ErrorCode.BUSY, () -> second.acquire(late, beginning));
    assertEquals(ByteRange.ALL, first.acquire(cutter, beginning), "it owns all still");
    first.trimmed(cutter, 1);
    first.release(cutter, ByteRange.ALL, 10);
    AcquireRangeReply found = second.acquired(late, beginning);
    assertEquals(10, found.getSize());
    assertEquals(1, found.getTruncationNumber());
    assertFalse(found.getHasTrim());
  }

  @Test
  void waitersDuringATruncationDoNotBlockEachOther() throws WeftException {
    Held three = Held.of(third.share("/f"));
    ownsAll(first, one);
    Held cutter = first.cut(one, 10);
    Held again = renewed(second, two);
    Held last = renewed(third, three);
    refused(ErrorCode.BUSY, () -> second.acquire(again, beginning));
    refused(ErrorCode.BUSY, () -> third.acquire(last, beginning));
    first.trimmed(cutter, 1);
    first.release(cutter, ByteRange.ALL, 10);
    assertEquals(beginning, third.acquire(last, beginning));
  }

  /** What was waited for because of the cut alone is forgotten with it, and nothing else. */
  @Test
  void aClientThatAskedBeforeACutKeepsItsPlaceAfterIt() throws WeftException {
    Held three = Held.of(third.share("/f"));
    ownsAll(first, one);
    refused(ErrorCode.BUSY, () -> second.acquire(two, beginning));
    Held cutter = first.cut(one, 10);
    first.trimmed(cutter, 1);
    first.release(cutter, ByteRange.ALL, 10);
    Held last = renewed(third, three);
    String refusal = refused(ErrorCode.BUSY, () -> third.acquire(last, beginning));
    assertTrue(refusal.contains("asked first"), refusal);
    renewed(second, two);
    assertEquals(beginning, third.acquire(last, beginning), "that grant waits no more");
  }

  /** One asks for all of the file to cut it, the other for some, and is to finish the cut first. */
  @Test
  void waiterForTheWholeFileKeepsItsPlaceAfterATruncation() throws WeftException {
    Held three = Held.of(third.share("/f"));
    ownsAll(first, one);
    Held cutter = first.cut(one, 10);
    Held cuts = renewed(second, two);
    Held writes = renewed(third, three);
    refused(ErrorCode.BUSY, () -> second.acquire(cuts, ByteRange.ALL));
    refused(ErrorCode.BUSY, () -> third.acquire(writes, beginning));
    first.trimmed(cutter, 1);
    first.release(cutter, ByteRange.ALL, 10);
    refused(ErrorCode.BUSY, () -> third.acquire(writes, beginning));
    assertEquals(ByteRange.ALL, second.acquire(cuts, ByteRange.ALL));
  }

  /** It had asked for all of it before there was a cut, and is in the line once. */
  @Test
  void waiterFromBeforeATruncationKeepsItsPlace() throws WeftException {
    Held three = Held.of(third.share("/f"));
    ownsAll(first, one);
    refused(ErrorCode.BUSY, () -> second.acquire(two, ByteRange.ALL));
    Held cutter = first.cut(one, 10);
    Held cuts = renewed(second, two);
    Held writes = renewed(third, three);
    refused(ErrorCode.BUSY, () -> second.acquire(cuts, beginning));
    refused(ErrorCode.BUSY, () -> second.acquire(cuts, ByteRange.ALL));
    first.trimmed(cutter, 1);
    first.release(cutter, ByteRange.ALL, 10);
    refused(ErrorCode.BUSY, () -> third.acquire(writes, beginning));
    assertEquals(ByteRange.ALL, second.acquire(cuts, ByteRange.ALL));
  }

  /** The answer was lost, or the manager with it. */
  @Test
  void aCutThatIsAskedForAgainIsOne() throws WeftException {
    ownsAll(first, one);
    Held cutter = first.cut(one, 10);
    assertEquals(1, first.trimmed(cutter, 1).getTruncationNumber());
    int records = volume.records().size();
    assertEquals(1, first.trimmed(cutter, 1).getTruncationNumber());
    assertEquals(records, volume.records().size());
    refused(ErrorCode.GRANT_REVOKED, () -> first.cut(one, 10));
  }

  @Test
  void writerThatIsAloneAgainGetsANewerGrantForATruncation() throws WeftException {
    second.close(two, 500, 3);
    Held cutter = first.cut(one, 10);
    assertTrue(two.number().compareTo(cutter.number()) < 0);
    assertEquals(ByteRange.ALL, first.acquire(cutter, beginning));
    first.trimmed(cutter, 1);
  }

  /** P 6.5.109: it would go on with the length of before, and publish that. */
  @Test
  void fileSharedByAnOldClientIsNotCut() throws WeftException {
    TestClient earlier = volume.earlierClient(TestVolume.SUPERUSER);
    Held other = Held.of(earlier.share("/f"));
    ownsAll(first, one);
    String refusal = refused(ErrorCode.UNSUPPORTED, () -> first.setLength(one, 10));
    assertTrue(refusal.contains("host/2/" + TestVolume.SUPERUSER), refusal);
    assertEquals(100, third.attributes("/f").getSize());
    assertEquals(1_000, first.setLength(one, 1_000).getSize());
    volume = volume.restarted();
    first = first.with(volume);
    refused(ErrorCode.UNSUPPORTED, () -> first.setLength(one, 10));
    List<Boolean> follows =
        volume.machine().snapshot().stream()
            .filter(LiveEffect.SessionOpened.class::isInstance)
            .map(effect -> ((LiveEffect.SessionOpened) effect).followsCuts())
            .toList();
    assertEquals(List.of(true, true, true, false), follows);
    earlier.with(volume).close(other, 1_000, 0);
    first.trimmed(first.cut(one, 10), 1);
  }

  @Test
  void oldClientCutsAFileItHasAlone() throws WeftException {
    TestClient earlier = volume.earlierClient(TestVolume.SUPERUSER);
    earlier.write("/g", 100);
    Held alone = Held.of(earlier.update("/g"));
    assertEquals(10, earlier.setLength(alone, 10).getSize());
  }

  @Test
  void wordsOfBeforeTheCutChangeNoLength() throws WeftException {
    second.execute(publishing(two, 100, 0));
    ownsAll(first, one);
    Held cutter = first.cut(one, 10);
    OptionalInt before = OptionalInt.of(0);
    assertEquals(10, size(second.execute(publishing(two, 5_000, 0))));
    assertEquals(
        10,
        size(
            second.execute(
                new ReleaseRange(
                    two.object(), two.number(), ByteRange.ALL, 5_000, 1, true, before))));
    first.trimmed(cutter, 1);
    assertEquals(10, size(second.execute(publishing(two, 5_000, 0))));
    assertEquals(20, size(first.execute(publishing(cutter, 20, 1))));
    CloseFile closing =
        new CloseFile(
            two.object(), two.number(), 5_000, 1, false, false, Optional.of(true), before);
    assertEquals(20, size(second.execute(closing)));
    assertEquals(20, third.attributes("/f").getSize());
  }

  /** Each says again what it published; one of them has not heard of the cut. */
  @Test
  void aManagerThatStartsBelievesNoLengthOfBeforeTheCut() throws WeftException {
    second.execute(publishing(two, 5_000, 0));
    ownsAll(first, one);
    Held cutter = first.cut(one, 10);
    first.trimmed(cutter, 1);
    first.execute(publishing(cutter, 20, 1));
    first.execute(publishing(cutter, 30, 1));
    volume = volume.restarted();
    TestClient reader = third.with(volume);
    refused(ErrorCode.UNAVAILABLE, () -> reader.open("/f"));
    reclaim(second.with(volume), 5_000, 0);
    refused(ErrorCode.UNAVAILABLE, () -> reader.open("/f"));
    reclaim(first.with(volume), 30, 1);
    assertEquals(30, reader.open("/f").getAttributes().getSize());
  }

  private void reclaim(TestClient client, long sizeBytes, int cuts) {
    RenewSession.PublishedLength said =
        new RenewSession.PublishedLength(one.object(), sizeBytes, OptionalInt.of(cuts));
    volume.own(client.reclaimingPublished(volume.epochs(), List.of(said)));
  }

  /** The others go on, and whichever is given a range first finishes it. */
  @Test
  void aCutWhoseWriterDiesIsFinishedByTheNextOwner() throws WeftException {
    ownsAll(first, one);
    Held cutter = first.cut(one, 10);
    first.abandon(cutter);
    refused(ErrorCode.UNAVAILABLE, () -> second.regrant(two));
    resolve(5_000);
    assertEquals(0, volume.machine().resolving().size(), "it is no cut of the manager's");
    Held next = Held.of(second.regrant(two));
    refused(ErrorCode.BEING_WRITTEN, () -> third.share("/f"));
    AcquireRangeReply given = second.acquired(next, beginning);
    assertEquals(given, second.acquired(next, beginning), "the answer was lost");
    assertTrue(given.getHasTrim());
    assertEquals(10, given.getSize());
    assertEquals(1, given.getTruncationNumber());
    assertEquals(ByteRange.ALL, ByteRange.fromMessage(given.getFrom(), given.getTo()));
    refused(ErrorCode.INVALID_ARGUMENT, () -> second.publish(next, 5_000));
    second.trimmed(next, 1);
    assertFalse(second.acquired(next, beginning).getHasTrim());
    assertEquals(5_000, second.publish(next, 5_000).getSize());
  }

  @Test
  void oneSurvivorFinishesTheTruncationBeforeTheOtherWrites() throws WeftException {
    Held three = Held.of(third.share("/f"));
    ownsAll(first, one);
    Held cutter = first.cut(one, 10);
    first.abandon(cutter);
    resolve(10);
    Held older = Held.of(third.regrant(three));
    Held finisher = Held.of(second.regrant(two));
    assertTrue(second.acquired(finisher, beginning).getHasTrim());
    refused(ErrorCode.BUSY, () -> third.acquire(older, beginning));
    second.trimmed(finisher, 1);
    second.release(finisher, ByteRange.ALL, 10);
    Held newer = renewed(third, older);
    assertTrue(finisher.number().compareTo(newer.number()) < 0, "than a late word of the cut");
    assertFalse(third.acquired(newer, beginning).getHasTrim());
  }

  @Test
  void aCutIsTheManagersOnceAllItsWritersAreGone() throws WeftException {
    ownsAll(first, one);
    Held cutter = first.cut(one, 10);
    first.abandon(cutter);
    resolve(10);
    Held next = Held.of(second.regrant(two));
    second.acquire(next, beginning);
    second.abandon(next);
    resolve(10);
    WriteGrant own = volume.machine().resolving().get(0);
    assertEquals(WriteGrant.NO_SESSION, own.session());
  }

  /** Another dies, and what it left is put in order: no cut begins or ends meanwhile. */
  @Test
  void noCutBeginsOrEndsWhileTheFileIsPutInOrder() throws WeftException {
    Held three = Held.of(third.share("/f"));
    ownsAll(first, one);
    third.abandon(three);
    refused(ErrorCode.FENCED, () -> first.setLength(one, 10));
    refused(ErrorCode.FENCED, () -> first.setLength(one, 1_000));
    resolve(100);
    refused(ErrorCode.FENCED, () -> first.setLength(one, 10));
    Held again = Held.of(first.regrant(one));
    Held cutter = first.cut(again, 10);
    Held late = renewed(second, two);
    second.abandon(late);
    refused(ErrorCode.FENCED, () -> first.trimmed(cutter, 1));
    resolve(100);
    Held last = Held.of(first.regrant(cutter));
    assertEquals(10, first.trimmed(last, 1).getSize());
  }

  private void resolve(long sizeBytes) throws WeftException {
    List<WriteGrant> dead = volume.machine().resolving();
    assertEquals(1, dead.size());
    volume.own(new FinishResolve(dead.get(0).number(), sizeBytes));
  }

  private static PublishLength publishing(Held held, long sizeBytes, int cuts) {
    return new PublishLength(
        held.object(), held.number(), sizeBytes, 1, false, false, OptionalInt.of(cuts));
  }

  private static AttributesReply setLength(TestClient client, Held held, long sizeBytes)
      throws WeftException {
    return TestClient.parse(
        AttributesReply.parser(),
        client.execute(
            new SetLength(held.object(), held.number(), sizeBytes, 1, OptionalLong.empty())));
  }

  private static long size(Outcome.Done done) {
    return TestClient.attributes(done).getSize();
  }

  private static String refused(ErrorCode expected, Executable attempt) {
    WeftException refusal = assertThrows(WeftException.class, attempt);
    assertEquals(expected, refusal.code(), refusal.getMessage());
    return refusal.getMessage();
  }
}
