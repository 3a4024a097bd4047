package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.session.SeeAll;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.metadata.volume.operation.volume.RequireEmpty;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/** What the manager tells others of a volume as a whole, and what it journals at all (P 6.1). */
class DurableAnswersTest {
  private final TestVolume volume = TestVolume.formatted(7);

  @Test
  void answersAboutTheWholeVolumeWaitForAllRecords() throws WeftException {
    volume.superuser().mkdir("/d");
    assertEquals(volume.machine().lastLsn(), volume.own(new SeeAll()).seen());
    assertNotEquals(Lsn.ZERO, volume.machine().lastLsn());
  }

  /** The last file may have gone in a record that changed no attribute of the root. */
  @Test
  void volumeIsReportedEmptyOnceAllRecordsAreDurable() throws WeftException {
    Outcome.Done before = volume.own(new RequireEmpty());
    var unused = volume.superuser();
    Outcome.Done empty = volume.own(new RequireEmpty());
    assertNotEquals(before.seen(), volume.machine().lastLsn());
    assertEquals(volume.machine().lastLsn(), empty.seen());
  }

  /** Applied and not journalled, it would end the volume. */
  @Test
  void oversizedRecordIsRefusedBeforeItChangesAnything() throws WeftException {
    TestClient client = volume.superuser();
    Lsn last = volume.machine().lastLsn();
    List<LiveEffect> before = volume.machine().snapshot();
    List<LiveEffect> much = new ArrayList<>();
    for (int slot = 0; slot < 600; slot++) {
      much.add(
          new LiveEffect.Reply(client.session(), 1, slot, ByteString.copyFrom(new byte[4_096])));
    }
    Outcome outcome = volume.machine().execute(new AddLiveEffects(much), volume.now());
    WeftException why = assertInstanceOf(Outcome.Refused.class, outcome).why();
    assertEquals(ErrorCode.OVERLOADED, why.code(), why.getMessage());
    assertEquals(last, volume.machine().lastLsn());
    assertEquals(before, volume.machine().snapshot());
  }
}
