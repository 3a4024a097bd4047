package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.ObjectEffect.RemoveObject;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.grant.CloseFile;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.Nodes;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.LayoutMessage;

/** What is removed where of a file that was never written (P 4.4, 6.6). */
class UnwrittenTest {
  private static final int META_COPIES = 3;
  private static final LayoutMessage WIDE =
      LayoutMessage.newBuilder().setDataUnits(4).setParityUnits(1).build();

  private TestVolume volume;
  private TestClient client;
  private TestClient other;
  private Held held;
  private StorageMap map;

  @BeforeEach
  void aNewFile() throws WeftException {
    volume = TestVolume.formatted(6);
    client = volume.superuser();
    other = volume.superuser();
    CreateFile creation =
        new CreateFile(TestClient.path("/f"), 0644, 0, false, false, Optional.of(WIDE));
    CreateReply created = TestClient.parse(CreateReply.parser(), client.execute(creation));
    held = Held.of(created);
    map = StorageMap.fromMessage(created.getGrant().getMap());
    assertTrue(map.components().size() > META_COPIES, "some components hold no attributes");
  }

  private List<OsdId> attributeOsds() {
    return map.attributeHolders(META_COPIES);
  }

  private void close(long sizeBytes, long completeUpTo, boolean unwritten) throws WeftException {
    client.execute(
        new CloseFile(held.object(), held.number(), sizeBytes, completeUpTo, false, unwritten));
  }

  private boolean isUnwritten() throws WeftException {
    return other.attributes("/f").getUnwritten();
  }

  /** Where the objects of the file that was removed last are removed. */
  private List<OsdId> removedAt() {
    JournalRecord last = volume.records().get(volume.records().size() - 1);
    return last.effects().stream()
        .filter(RemoveObject.class::isInstance)
        .map(effect -> ((RemoveObject) effect).holders())
        .findFirst()
        .orElseThrow();
  }

  private void assertEverywhere() throws WeftException {
    assertFalse(isUnwritten());
    other.unlink("/f");
    assertEquals(Nodes.holders(map), removedAt());
  }

  @Test
  void ofAFileThatWasNeverWrittenOnlyTheAttributesAreRemoved() throws WeftException {
    close(0, 0, true);
    assertTrue(isUnwritten());
    other.rename("/f", "/g");
    other.unlink("/g");
    assertEquals(attributeOsds(), removedAt());
  }

  @Test
  void overAFailoverToo() throws WeftException {
    close(0, 0, true);
    volume = volume.restarted();
    other = other.with(volume);
    assertTrue(isUnwritten());
  }

  @Test
  void writerReportsASentButFailedWrite() throws WeftException {
    close(0, 0, false);
    assertEverywhere();
  }

  @Test
  void fileWithALengthCountsAsWritten() throws WeftException {
    close(0, 0, true);
    held = Held.of(client.update("/f"));
    close(10, 0, true);
    assertEverywhere();
  }

  @Test
  void truncatedFileCountsAsWritten() throws WeftException {
    client.setLength(held, 10);
    client.setLength(held, 0);
    client.trimmed(held, 1);
    close(0, 0, true);
    assertEverywhere();
  }

  @Test
  void goneWriterMayHaveSentAnything() throws WeftException {
    client.abandon(held);
    WriteGrant resolving = volume.machine().resolving().get(0);
    volume.own(new FinishResolve(resolving.number(), 0));
    assertEverywhere();
  }

  @Test
  void openWriterMayStillWrite() throws WeftException {
    close(0, 0, true);
    held = Held.of(client.update("/f"));
    assertTrue(isUnwritten());
    other.unlink("/f");
    close(0, 0, true);
    assertEquals(Nodes.holders(map), removedAt());
  }

  /** Else each opening would add one while an OSD is down, and none of them would ever go. */
  @Test
  void unusedOpeningLeavesNoGrantToSettle() throws WeftException {
    close(10_000, 3, false);
    int before = volume.machine().unsettled().all().size();
    for (int round = 0; round < 20; round++) {
      Held again = Held.of(client.update("/f"));
      client.execute(new CloseFile(again.object(), again.number(), 10_000, 0, false, true));
    }
    assertEquals(before, volume.machine().unsettled().all().size());
  }
}
