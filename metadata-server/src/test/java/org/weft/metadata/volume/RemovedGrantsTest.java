package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.readmission.UnsettledGrant;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CreateReply;

/** Grants of a file that is gone are settled, whatever may be lost of it (P 5.9). */
class RemovedGrantsTest {
  private TestVolume volume;
  private TestClient client;

  @BeforeEach
  void format() throws WeftException {
    volume = TestVolume.formatted(7);
    client = volume.superuser();
  }

  /** As a journal gives records back whose effects on OSDs are under a checkpoint (P 6.3). */
  private List<UnsettledGrant> unsettledAfterAllIsFlushed() {
    List<JournalRecord> flushed =
        volume.records().stream()
            .map(
                record ->
                    new JournalRecord(
                        record.lsn(),
                        record.effects().stream()
                            .filter(LiveEffect.class::isInstance)
                            .map(Effect.class::cast)
                            .toList()))
            .toList();
    TestVolume next = TestVolume.recovered(2, List.of(), flushed);
    return List.copyOf(next.machine().unsettled().all());
  }

  @Test
  void removalSettlesAnEarlierEndedGrantAlsoAfterAFailover() throws WeftException {
    client.close(client.create("/f"), 5);
    assertEquals(1, unsettledAfterAllIsFlushed().size());
    client.unlink("/f");
    assertEquals(List.of(), List.copyOf(volume.machine().unsettled().all()));
    assertEquals(List.of(), unsettledAfterAllIsFlushed());
  }

  @Test
  void removalSettlesTheGrantItEndsAlsoAfterAFailover() throws WeftException {
    CreateReply orphan = client.create("/f");
    client.unlink("/f");
    client.close(orphan, 5);
    assertEquals(List.of(), List.copyOf(volume.machine().unsettled().all()));
    assertEquals(List.of(), unsettledAfterAllIsFlushed());
  }
}
