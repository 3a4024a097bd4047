package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.grant.BeginResolve;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.length.PublishLength;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.wire.OpenReply;

/** Lengths that writers publish again and again, which no record holds (P 4.3, 6.1, 6.4, 6.5). */
class LiveLengthTest {
  private TestVolume volume;
  private TestClient writer;
  private TestClient other;
  private Held held;

  @BeforeEach
  void aWriterThatPublishedTwice() throws WeftException {
    volume = TestVolume.formatted(3);
    writer = volume.superuser();
    other = volume.superuser();
    held = Held.of(writer.create("/f"));
    writer.publish(held, 100);
    writer.publish(held, 200);
  }

  private void restart() {
    volume = volume.restarted();
    writer = writer.with(volume);
    other = other.with(volume);
  }

  private void reclaim(TestClient client, long... published) {
    volume.own(client.reclaimingPublished(volume.epochs(), held.object(), published));
  }

  private int records() {
    return volume.records().size();
  }

  private boolean isLive() {
    return volume.machine().snapshot().contains(new LiveEffect.LengthLive(held.object(), true));
  }

  private void finishResolve(long sizeBytes) {
    WriteGrant resolving = volume.machine().resolving().get(0);
    volume.own(new FinishResolve(resolving.number(), sizeBytes));
  }

  private static void refused(ErrorCode expected, Executable attempt) {
    assertEquals(expected, assertThrows(WeftException.class, attempt).code());
  }

  private void assertTellsNoClient() {
    refused(ErrorCode.UNAVAILABLE, () -> other.attributes("/f"));
    refused(ErrorCode.UNAVAILABLE, () -> other.open("/f"));
    refused(ErrorCode.UNAVAILABLE, () -> other.list("/", 10));
    refused(ErrorCode.UNAVAILABLE, () -> other.chmod("/f", 0600));
    refused(ErrorCode.UNAVAILABLE, () -> other.link("/f", "/g"));
  }

  @Test
  void onlyTheFirstPublishedLengthCostsARecord() throws WeftException {
    int before = records();
    for (long size = 201; size < 300; size++) {
      volume.pass(10);
      assertEquals(size, writer.publish(held, size).getSize());
    }
    assertEquals(before, records());
    OpenReply tail = other.open("/f");
    assertEquals(299, tail.getAttributes().getSize());
    assertEquals(299, other.list("/", 10).get(0).getAttributes().getSize());
    assertEquals(299, writer.publish(held, 250).getSize(), "it only grows");
    assertTrue(
        tail.getAttributes().getMtimeMillis() > other.attributes("/").getMtimeMillis() + 900);
  }

  @Test
  void whateverPutsTheAttributesTakesItIn() throws WeftException {
    assertTrue(isLive());
    assertEquals(200, other.chmod("/f", 0600).getSize());
    assertFalse(isLive());
    restart();
    assertEquals(200, other.attributes("/f").getSize());
    int before = records();
    writer.publish(held, 300);
    assertEquals(before + 1, records(), "the next one is a first one again");
  }

  @Test
  void closeRecordsTheVolatileLength() throws WeftException {
    assertEquals(200, writer.close(held, 0, 0).getSize());
    assertFalse(isLive());
    restart();
    assertEquals(200, other.attributes("/f").getSize());
  }

  @Test
  void aRestartedManagerTellsNoClientBeforeTheWriterHasSpoken() throws WeftException {
    restart();
    assertTellsNoClient();
    refused(ErrorCode.UNAVAILABLE, () -> writer.setLength(held, 150));
    reclaim(other);
    assertTellsNoClient();
    reclaim(writer, 200);
    assertEquals(200, other.attributes("/f").getSize());
    assertEquals(200, other.open("/f").getAttributes().getSize());
    assertTrue(isLive());
    // With the first a record says up to when this manager tells times without one.
    writer.publish(held, 300);
    int before = records();
    writer.publish(held, 310);
    assertEquals(before, records());
  }

  /** A name is no length. */
  @Test
  void namesAreListedWhileLengthsAreUnknown() throws WeftException {
    restart();
    other.execute(new ReadDirectory(TestClient.path("/"), 0, 10, false));
    other.rename("/f", "/g");
    assertTrue(isLive());
    reclaim(writer, 200);
    assertEquals(200, other.attributes("/g").getSize());
  }

  @Test
  void aSnapshotSaysThatLengthsMayHaveBeenTold() throws WeftException {
    List<LiveEffect> live = volume.machine().snapshot();
    volume = TestVolume.recovered(7, live, volume.recordsBehindSnapshot(records()));
    writer = writer.with(volume);
    other = other.with(volume);
    assertTellsNoClient();
    reclaim(writer, 200);
    assertEquals(200, other.attributes("/f").getSize());
  }

  @Test
  void soleWriterTellsItsLengthByItsNextRequest() throws WeftException {
    restart();
    assertEquals(210, writer.publish(held, 210).getSize());
    assertEquals(210, other.attributes("/f").getSize());
    restart();
    assertEquals(220, writer.close(held, 220, 5).getSize());
    assertEquals(220, other.attributes("/f").getSize());
  }

  @Test
  void aWriterThatIsGoneIsResolvedBeforeAClientIsTold() throws WeftException {
    restart();
    volume.pass(SessionTable.LEASE_MILLIS - 1);
    reclaim(other);
    volume.pass(1);
    volume.tick();
    assertTellsNoClient();
    assertFalse(other.recoverLease("/f").getClosed());
    WriteGrant resolving = volume.machine().resolving().get(0);
    volume.own(new BeginResolve(resolving.number(), Set.of()));
    assertTellsNoClient();
    finishResolve(200);
    assertEquals(200, other.attributes("/f").getSize());
    assertFalse(isLive());
  }

  @Test
  void abandonedFilesLengthIsNotTold() throws WeftException {
    restart();
    writer.abandon(held);
    reclaim(writer, 200);
    assertTellsNoClient();
    finishResolve(200);
    assertEquals(200, other.attributes("/f").getSize());
  }

  /** The resolve says what components know; what was told is journalled before that. */
  @Test
  void publishedLengthIsJournalledWhenItsWriterIsGone() throws WeftException {
    writer.abandon(held);
    WriteGrant resolving = volume.machine().resolving().get(0);
    assertEquals(200, other.attributes("/f").getSize());
    volume.own(new BeginResolve(resolving.number(), Set.of()));
    assertFalse(isLive());
    restart();
    assertEquals(200, other.attributes("/f").getSize());
    finishResolve(150);
    assertEquals(200, other.attributes("/f").getSize());
  }

  @Test
  void aLateRepeatDoesNotUndoACut() throws WeftException {
    volume.execute(new Caller(writer.session(), 1, 1), publishing(210));
    assertEquals(150, writer.setLength(held, 150).getSize());
    assertFalse(isLive());
    writer.trimmed(held, 1);
    volume.execute(new Caller(writer.session(), 1, 1), publishing(210));
    assertEquals(150, other.attributes("/f").getSize());
  }

  private PublishLength publishing(long sizeBytes) {
    return new PublishLength(held.object(), held.number(), sizeBytes, 1, false);
  }

  /** The writer may not have heard of its cut. */
  @Test
  void truncationVoidsEarlierPublishedLengths() throws WeftException {
    writer.setLength(held, 150);
    restart();
    assertEquals(150, other.attributes("/f").getSize());
    reclaim(writer, 200);
    assertEquals(150, other.attributes("/f").getSize());
  }

  @Test
  void setLengthToTheSameValueIsJournalled() throws WeftException {
    writer.setLength(held, 200);
    restart();
    assertEquals(200, other.attributes("/f").getSize());
  }

  @Test
  void onlyItsWriterTellsAFilesLength() throws WeftException {
    restart();
    reclaim(other, 1_000);
    reclaim(writer, 200);
    assertEquals(200, other.attributes("/f").getSize());
    reclaim(writer, 1_000);
    assertEquals(200, other.attributes("/f").getSize(), "once");
  }

  @Test
  void allWritersThatShareAFileAreWaitedFor() throws WeftException {
    writer.close(held, 200, 3);
    Held one = Held.of(writer.share("/f"));
    Held two = Held.of(other.share("/f"));
    writer.publish(one, 300);
    other.publish(two, 400);
    restart();
    reclaim(writer, 300);
    refused(ErrorCode.UNAVAILABLE, () -> writer.publish(one, 310));
    refused(ErrorCode.UNAVAILABLE, () -> writer.acquire(one, ByteRange.ALL));
    reclaim(other, 400);
    assertEquals(400, writer.publish(one, 310).getSize());
    restart();
    reclaim(writer, 310);
    volume.pass(SessionTable.LEASE_MILLIS);
    reclaim(writer);
    volume.tick();
    refused(ErrorCode.UNAVAILABLE, () -> writer.attributes("/f"));
    finishResolve(400);
    assertEquals(400, writer.attributes("/f").getSize());
  }

  @Test
  void removedFileLeavesNoLength() throws WeftException {
    other.unlink("/f");
    writer.close(held, 300, 3);
    assertFalse(isLive());
    restart();
    assertEquals(List.of(), other.names("/"));
    assertEquals(new ObjectId(1).value(), other.attributes("/").getObjectId());
  }
}
