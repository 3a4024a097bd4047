package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.grant.BeginResolve;
import org.weft.metadata.volume.operation.length.PublishLength;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/** More waits to be flushed than may wait: what then is decided, and what is not (P 6.1). */
class CrowdedVolumeTest {
  private static final int MAX_UNFLUSHED = 8;

  private TestVolume volume;
  private TestClient client;
  private Held written;
  private long sequence;

  @BeforeEach
  void aVolumeOfWhichNothingIsEverFlushed() throws WeftException {
    CacheLimits limits =
        new CacheLimits(
            CacheLimits.DEFAULT.cleanAttributes(),
            CacheLimits.DEFAULT.packedBytes(),
            CacheLimits.DEFAULT.cleanBlocks(),
            MAX_UNFLUSHED,
            CacheLimits.DEFAULT.directoryChangedBlocks(),
            CacheLimits.DEFAULT.unflushedBlocks(),
            CacheLimits.DEFAULT.journalBytes());
    volume = TestVolume.formatted(3, limits);
    client = volume.superuser();
    written = Held.of(client.create("/f"));
    int made = 0;
    while (volume.cache().hasRoom()) {
      client.mkdir("/d" + made++);
    }
    assertTrue(made > 0 && made < MAX_UNFLUSHED);
  }

  private Outcome ask(Operation operation) {
    sequence++;
    return again(operation);
  }

  private Outcome again(Operation operation) {
    return volume
        .machine()
        .execute(new Caller(client.session(), 1, sequence), operation, volume.now());
  }

  @Test
  void aChangeIsNotDecidedAndLeavesNoTrace() throws WeftException {
    Lsn last = volume.machine().lastLsn();
    List<?> live = volume.machine().snapshot();
    Operation operation = new MakeDirectory(TestClient.path("/late"), 0755, 0, false);
    assertInstanceOf(Outcome.NoRoom.class, ask(operation));
    assertInstanceOf(Outcome.NoRoom.class, again(operation), "it is asked again, not answered");
    assertInstanceOf(
        Outcome.NoRoom.class,
        ask(new PublishLength(written.object(), written.number(), 9, 1, false)));
    assertEquals(last, volume.machine().lastLsn());
    assertEquals(live, volume.machine().snapshot());
    assertFalse(client.names("/").contains("late"));
    assertEquals(0, client.attributes("/f").getSize());
  }

  @Test
  void readingAndWhatOnlyTheJournalHoldsGoOn() throws WeftException {
    assertInstanceOf(Outcome.Done.class, ask(new GetAttributes(TestClient.path("/f"))));
    client.abandon(written);
    assertEquals(1, volume.machine().resolving().size());
    volume.own(new BeginResolve(written.number(), Set.of()));
    TestClient newcomer = volume.superuser();
    assertFalse(newcomer.recoverLease("/f").getClosed());
    volume.own(new CloseSession(newcomer.session()));
    assertEquals(1, volume.machine().counts().sessions());
  }
}
