package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.LiveEffect.FileDamaged;
import org.weft.metadata.journal.ScrubEffect.Contradicted;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.repair.ListDamage;
import org.weft.metadata.volume.operation.repair.RecordScrub;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.DamagedFile;
import org.weft.protocol.wire.ListDamageReply;

/** What is told of files that have lost bytes. */
class ListDamageTest {
  private final TestVolume volume = TestVolume.formatted(5);

  private void damage(ObjectId object) {
    ByteRanges gone = new ByteRanges(List.of(new ByteRange(0, 4096)));
    volume.own(new AddLiveEffects(List.of(new FileDamaged(object, "it is damaged", gone))));
  }

  private ListDamageReply list(TestClient client, ObjectId after, int max) throws WeftException {
    return ListDamageReply.class.cast(client.execute(new ListDamage(after, max)).reply());
  }

  @Test
  void filesThatAreNotCachedAreAllAskedForAtOnce() throws WeftException {
    TestClient client = volume.superuser();
    List<ObjectId> objects = new ArrayList<>();
    for (int each = 0; each < 20; each++) {
      objects.add(new ObjectId((1L << 40) + each));
      damage(objects.get(each));
    }
    int before = volume.loads();
    ListDamageReply first = list(client, new ObjectId(0), 15);
    assertEquals(1, volume.loads() - before);
    assertEquals(15, first.getFilesCount());
    assertTrue(first.getMore());
    ListDamageReply rest = list(client, objects.get(14), 15);
    assertEquals(5, rest.getFilesCount());
    assertFalse(rest.getMore());
  }

  private Contradicted contradicted(ObjectId object) {
    ByteRanges inDoubt = new ByteRanges(List.of(new ByteRange(0, 8192)));
    return new Contradicted(object, 5, 1, inDoubt, "it contradicts itself");
  }

  @Test
  void aFileThatContradictsItselfIsNamedWithTheBytesInDoubt() throws WeftException {
    TestClient client = volume.superuser();
    CreateReply created = client.create("/odd");
    client.close(created, 10_000);
    ObjectId object = Held.of(created).object();
    volume.own(new RecordScrub(List.of(contradicted(object))));
    DamagedFile told = list(client, new ObjectId(0), 10).getFiles(0);
    assertEquals("/odd", told.getPath());
    assertEquals("it contradicts itself", told.getWhat());
    assertEquals(List.of(), told.getGoneList(), "nothing of it is gone");
    assertEquals(List.of(new ByteRange(0, 8192).toMessage()), told.getInDoubtList());
    damage(object);
    told = list(client, new ObjectId(0), 10).getFiles(0);
    assertEquals("it is damaged; it contradicts itself", told.getWhat());
    assertEquals(List.of(new ByteRange(0, 4096).toMessage()), told.getGoneList());
    assertEquals(List.of(new ByteRange(0, 8192).toMessage()), told.getInDoubtList());
  }

  @Test
  void damageReportGoesWithItsFile() throws WeftException {
    TestClient client = volume.superuser();
    CreateReply created = client.create("/odd");
    client.close(created, 10_000);
    ObjectId object = Held.of(created).object();
    volume.own(new RecordScrub(List.of(contradicted(object))));
    client.unlink("/odd");
    assertEquals(0, list(client, new ObjectId(0), 10).getFilesCount());
    volume.own(new RecordScrub(List.of(contradicted(object))));
    assertEquals(
        0, list(client, new ObjectId(0), 10).getFilesCount(), "found before, told too late");
  }

  @Test
  void longDamagedFileReportsOnlyTheKnownBytes() throws WeftException {
    TestClient client = volume.superuser();
    CreateReply created = client.create("/long");
    client.close(created, 1L << 60);
    damage(Held.of(created).object());
    DamagedFile told = list(client, new ObjectId(0), 10).getFiles(0);
    assertEquals("/long", told.getPath());
    assertEquals(List.of(new ByteRange(0, 4096).toMessage()), told.getGoneList());
    assertFalse(told.getMoreRanges());
  }
}
