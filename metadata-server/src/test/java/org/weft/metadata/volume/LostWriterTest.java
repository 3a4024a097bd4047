package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.length.PublishLength;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.StorageMap;

/** Writers whose clients seem to be dead lose only files that others wait for (P 6.5). */
class LostWriterTest {
  private TestVolume volume;
  private TestClient writer;
  private TestClient other;
  private Held held;
  private int asked;

  @BeforeEach
  void aWriterThatKeepsALength() throws WeftException {
    volume = TestVolume.formatted(8);
    writer = volume.superuser();
    other = volume.superuser();
    held = Held.of(writer.create("/f"));
    writer.execute(publish(100));
    writer.execute(publish(200));
    assertTrue(volume.machine().isLengthKept(held.object()));
  }

  private PublishLength publish(long sizeBytes) {
    return new PublishLength(held.object(), held.number(), sizeBytes, sizeBytes, true);
  }

  private void writerSeemsDead() {
    volume.machine().clientsGone(Set.of(writer.session()));
  }

  private void aClientAsksForTheLength() {
    asked++;
    GetAttributes stat = new GetAttributes(TestClient.path("/f"));
    Outcome outcome =
        volume.machine().execute(new Caller(other.session(), 1, asked), stat, volume.now());
    assertEquals(new Outcome.Ask(held.object()), outcome);
  }

  private static String refused(ErrorCode expected, Executable attempt) {
    WeftException refusal = assertThrows(WeftException.class, attempt);
    assertEquals(expected, refusal.code(), refusal.getMessage());
    return refusal.getMessage();
  }

  private void assertTaken(Supplier<Integer> resolving) {
    assertEquals(0, resolving.get());
    volume.tick();
    assertEquals(1, resolving.get());
  }

  private int resolving() {
    return volume.machine().resolving().size();
  }

  @Test
  void fileIsNotTakenWithoutAWaitingClient() throws WeftException {
    writerSeemsDead();
    volume.pass(5_000);
    volume.tick();
    assertEquals(0, resolving());
    writer.close(held, 300, 3);
    assertEquals(300, other.attributes("/f").getSize());
  }

  @Test
  void aClientThatAsksForTheLengthHasTheFileResolved() throws WeftException {
    writerSeemsDead();
    aClientAsksForTheLength();
    assertTaken(this::resolving);
    assertTrue(volume.machine().isLengthKept(held.object()), "no client is shown it before");
    refused(ErrorCode.UNAVAILABLE, () -> other.attributes("/f"));
    volume.own(new FinishResolve(held.number(), 250));
    assertEquals(250, other.attributes("/f").getSize());
    String why = refused(ErrorCode.GRANT_REVOKED, () -> writer.close(held, 300, 3));
    assertTrue(why.contains("connections"), why);
  }

  @Test
  void aClientThatWantsToWriteHasTheFileResolved() throws WeftException {
    writerSeemsDead();
    refused(ErrorCode.BEING_WRITTEN, () -> other.update("/f"));
    assertTaken(this::resolving);
    volume.own(new FinishResolve(held.number(), 250));
    other.update("/f");
  }

  @Test
  void aClientThatWaitedBeforeTheWriterDiedNeedNotAskAgain() {
    aClientAsksForTheLength();
    volume.tick();
    assertEquals(0, resolving());
    writerSeemsDead();
    assertTaken(this::resolving);
  }

  @Test
  void aClientThatWaitedLongAgoDoesNotCount() throws WeftException {
    refused(ErrorCode.BEING_WRITTEN, () -> other.update("/f"));
    volume.pass(3_000);
    writerSeemsDead();
    volume.tick();
    assertEquals(0, resolving());
  }

  @Test
  void writerThatCallsAgainKeepsItsFile() throws WeftException {
    writerSeemsDead();
    volume.own(new RenewSession(writer.session()));
    refused(ErrorCode.BEING_WRITTEN, () -> other.update("/f"));
    volume.tick();
    assertEquals(0, resolving());
  }

  @Test
  void itsOtherFilesStayItsOwn() throws WeftException {
    Held second = Held.of(writer.create("/g"));
    writerSeemsDead();
    refused(ErrorCode.BEING_WRITTEN, () -> other.update("/f"));
    volume.tick();
    writer.close(second, 7, 1);
    assertEquals(7, other.attributes("/g").getSize());
  }

  @Test
  void rangesOfADeadSharerAreFreeSoon() throws WeftException {
    writer.close(held, 200, 2);
    Held one = Held.of(writer.share("/f"));
    Held two = Held.of(other.share("/f"));
    StorageMap map = StorageMap.fromMessage(other.list("/", 10).get(0).getAttributes().getMap());
    ByteRange stripe = new ByteRange(0, map.layout().stripeBytes());
    writer.acquire(one, stripe);
    refused(ErrorCode.BUSY, () -> other.acquire(two, stripe));
    writerSeemsDead();
    assertTaken(this::resolving);
    volume.own(new FinishResolve(one.number(), 200));
    assertEquals(List.of(), volume.machine().resolving());
    refused(ErrorCode.FENCED, () -> other.acquire(two, stripe));
  }
}
