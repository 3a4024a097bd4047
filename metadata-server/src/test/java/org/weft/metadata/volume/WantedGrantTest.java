package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.grant.GrantWishes.Word;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.grant.OpenForWriting;
import org.weft.metadata.volume.operation.repair.BeginRebuild;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/** Which holders are asked to give a write grant back, and when (P 6.5, 6.8). */
class WantedGrantTest {
  private static final int OSDS = 8;

  private TestVolume volume;
  private TestClient holder;
  private TestClient other;

  @BeforeEach
  void twoClientsAndAFile() throws WeftException {
    volume = TestVolume.formatted(3);
    volume.osds(OSDS);
    holder = volume.superuser();
    other = volume.superuser();
    Held written = Held.of(holder.create("/f"));
    holder.close(written, 10L << 20, 0);
    settle(written.number());
  }

  /** Everything that was written under it is durable. */
  private void settle(Lsn number) {
    volume.own(new AddLiveEffects(List.of(new LiveEffect.GrantSettled(number))));
  }

  private List<Word> asked() {
    return volume.machine().wantedGrants(volume.now());
  }

  private List<Lsn> numbers() {
    return asked().stream().map(Word::holder).map(WriteGrant::number).toList();
  }

  private static ErrorCode refusal(Executable call) {
    return assertThrows(WeftException.class, call).code();
  }

  @Test
  void theHolderIsAskedAsLongAsAClientWaits() throws WeftException {
    Held held = Held.of(holder.update("/f"));
    assertEquals(List.of(), numbers());
    assertEquals(ErrorCode.BEING_WRITTEN, refusal(() -> other.update("/f")));
    assertEquals(List.of(held.number()), numbers());
    assertEquals(List.of(), numbers(), "not at once again");
    volume.pass(500);
    assertEquals(List.of(held.number()), numbers());
    volume.pass(2_400);
    assertEquals(List.of(held.number()), numbers());
    volume.pass(200);
    assertEquals(List.of(), numbers(), "no client has asked for three seconds");
  }

  @Test
  void aHolderThatGaveItBackIsNotAsked() throws WeftException {
    Held held = Held.of(holder.update("/f"));
    assertEquals(ErrorCode.BEING_WRITTEN, refusal(() -> other.update("/f")));
    holder.close(held, 0, 0);
    assertEquals(List.of(), numbers());
    Held second = Held.of(other.update("/f"));
    assertEquals(ErrorCode.BEING_WRITTEN, refusal(() -> holder.update("/f")));
    assertEquals(List.of(second.number()), numbers());
  }

  @Test
  void sameSessionIsAskedOnlyForIncompatibleOpenings() throws WeftException {
    Held held = Held.of(holder.update("/f"));
    assertEquals(ErrorCode.BEING_WRITTEN, refusal(() -> holder.update("/f")));
    assertEquals(List.of(), numbers());
    assertEquals(ErrorCode.BEING_WRITTEN, refusal(() -> holder.share("/f")));
    assertEquals(List.of(held.number()), numbers());
  }

  @Test
  void exclusiveOpeningAsksAllSharingWriters() throws WeftException {
    Held one = Held.of(holder.share("/f"));
    Held two = Held.of(other.share("/f"));
    assertEquals(List.of(), numbers());
    TestClient third = volume.superuser();
    assertEquals(ErrorCode.BEING_WRITTEN, refusal(() -> third.update("/f")));
    assertEquals(List.of(one.number(), two.number()), numbers());
  }

  @Test
  void aWriterThatIsGoneIsNotAsked() throws WeftException {
    holder.abandon(Held.of(holder.update("/f")));
    assertEquals(ErrorCode.BEING_WRITTEN, refusal(() -> other.update("/f")));
    assertEquals(List.of(), numbers());
  }

  private ObjectId object() throws WeftException {
    return new ObjectId(other.attributes("/f").getObjectId());
  }

  private Set<OsdId> lose() throws WeftException {
    Set<OsdId> lost = Set.of(new OsdId(other.attributes("/f").getMap().getOsd(0)));
    volume.osds(OSDS, List.copyOf(lost));
    return lost;
  }

  private void beginRebuild(Set<OsdId> lost) throws WeftException {
    volume.execute(null, new BeginRebuild(object(), lost, Set.of()));
  }

  @Test
  void rebuildAsksForTheGrantAndDelaysWriters() throws WeftException {
    Held held = Held.of(holder.update("/f"));
    Set<OsdId> lost = lose();
    assertEquals(ErrorCode.BUSY, refusal(() -> beginRebuild(lost)));
    List<Word> words = asked();
    assertEquals(1, words.size());
    assertTrue(words.get(0).forRepair());
    holder.close(held, 0, 0);
    assertEquals(ErrorCode.UNAVAILABLE, refusal(() -> holder.update("/f")), "it is awaited");
    volume.pass(2_000);
    assertEquals(ErrorCode.BUSY, refusal(() -> beginRebuild(lost)), "it is not durable yet");
    settle(held.number());
    volume.pass(2_000);
    assertEquals(ErrorCode.UNAVAILABLE, refusal(() -> holder.update("/f")), "it still is");
    beginRebuild(lost);
    assertTrue(volume.machine().rebuilds().find(object()).isPresent());
    volume.pass(3_900);
    assertEquals(ErrorCode.UNAVAILABLE, refusal(() -> holder.update("/f")), "it is under way");
    volume.pass(200);
    Held again = Held.of(holder.update("/f"));
    assertTrue(volume.machine().rebuilds().find(object()).isEmpty());
    settle(again.number());
    volume.pass(1_000);
    assertEquals(ErrorCode.BUSY, refusal(() -> beginRebuild(lost)));
    assertEquals(List.of(), numbers(), "a client that writes on is left alone for a minute");
    volume.pass(60_000);
    assertEquals(ErrorCode.BUSY, refusal(() -> beginRebuild(lost)));
    assertEquals(List.of(again.number()), numbers());
  }

  /** Its writer is gone, and what it left is decided with components that are lost for good. */
  @Test
  void unresolvableFileIsReportedAsTooManyLost() throws WeftException {
    holder.abandon(Held.of(holder.update("/f")));
    assertEquals(ErrorCode.BUSY, refusal(() -> beginRebuild(lose())), "it is put in order first");
    Set<OsdId> two =
        Set.of(
            new OsdId(other.attributes("/f").getMap().getOsd(0)),
            new OsdId(other.attributes("/f").getMap().getOsd(1)));
    volume.osds(OSDS, List.copyOf(two));
    assertEquals(ErrorCode.TOO_MANY_LOST, refusal(() -> beginRebuild(two)));
  }

  @Test
  void aRebuildThatAskedNoHolderHoldsUpNoWriter() throws WeftException {
    beginRebuild(lose());
    assertTrue(volume.machine().rebuilds().find(object()).isPresent());
    Held.of(holder.update("/f"));
    assertTrue(volume.machine().rebuilds().find(object()).isEmpty());
  }

  @Test
  void aClientThatComesBackToItsOwnFileNeedsNoPermission() throws WeftException {
    holder.chmod("/", 0777);
    TestClient owner = volume.client("alice", "team");
    Held made = Held.of(owner.create("/own"));
    owner.close(made, 0, 0);
    owner.chmod("/own", 0444);
    assertEquals(ErrorCode.PERMISSION_DENIED, refusal(() -> owner.update("/own")));
    owner.execute(new OpenForWriting(TestClient.path("/own"), false, true));
    TestClient stranger = volume.client("bob", "team");
    holder.chmod("/f", 0444);
    assertEquals(
        ErrorCode.PERMISSION_DENIED,
        refusal(() -> stranger.execute(new OpenForWriting(TestClient.path("/f"), false, true))));
  }
}
