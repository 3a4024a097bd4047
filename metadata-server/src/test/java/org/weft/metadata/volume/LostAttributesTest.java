package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.repair.GiveUpLosses;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.Empty;

/** Files whose attributes went with the OSDs that had them, while others come back (P 5.9). */
class LostAttributesTest {
  private static final int OSDS = 6;

  /** It has no attributes, and lost power. */
  private static final int BACK = 3;

  private TestVolume before;
  private TestClient writer;
  private Held held;
  private StorageMap map;

  @BeforeEach
  void aFileBeingWritten() throws WeftException {
    before = TestVolume.formatted(3);
    writer = before.superuser();
    CreateReply created = writer.create("/f");
    held = Held.of(created);
    map = StorageMap.fromMessage(created.getGrant().getMap());
    assertFalse(map.attributeHolders(3).contains(map.osdOf(BACK)));
  }

  /** The volume's next manager, which finds the attributes of the file nowhere. */
  private TestVolume lost() {
    List<JournalRecord> left = new ArrayList<>();
    for (JournalRecord record : before.records()) {
      List<Effect> effects = new ArrayList<>(record.effects());
      effects.removeIf(
          effect ->
              effect instanceof ObjectEffect.PutAttributes put
                  && put.attributes().object().equals(held.object()));
      left.add(new JournalRecord(record.lsn(), effects));
    }
    TestVolume after = TestVolume.recovered(7, List.of(), left);
    after.lossy(OSDS, 1, List.of(map.osdOf(BACK)));
    return after;
  }

  private GiveUpLosses losses() {
    return new GiveUpLosses(held.object(), map, new TreeSet<>(List.of(map.osdOf(BACK))));
  }

  private boolean isDecided(TestVolume volume) {
    return volume.machine().suspectsOf(held.object()).isDecided(map.osdOf(BACK), 1);
  }

  /** Else it would stay in quarantine for ever, with all other files on it. */
  @Test
  void returningOsdDoesNotWaitForLostAttributes() throws WeftException {
    TestVolume volume = lost();
    assertEquals(Empty.getDefaultInstance(), volume.execute(null, losses()).reply());
    assertTrue(isDecided(volume));
    assertEquals(1, volume.machine().suspectFilesAt(map.osdOf(BACK)), "it was not compared");
    assertTrue(volume.machine().resolving().get(0).resolving(), "its writer is told");
    int records = volume.records().size();
    volume.own(losses());
    assertEquals(records, volume.records().size(), "once is enough");
    for (TestVolume each : List.of(volume, volume.restarted())) {
      assertTrue(isDecided(each));
      String told = each.machine().damage(5).toString();
      assertTrue(told.contains("object " + held.object() + ", written by host/1/weft,"), told);
      assertTrue(told.contains("remove it"), told);
    }
  }

  @Test
  void decisionAboutAClosedFileOutlivesItsGrant() throws WeftException {
    writer.close(held, 100, 3);
    TestVolume volume = lost();
    volume.own(losses());
    assertTrue(isDecided(volume));
    WriteGrant resolving = volume.machine().resolving().get(0);
    assertEquals(held.number(), resolving.first());
    assertEquals(WriteGrant.NO_SESSION, resolving.session());
  }

  /** It may say what the code bears, and then more of the file can be kept. */
  @Test
  void anOsdThatMayHaveTheAttributesIsWaitedFor() throws WeftException {
    TestVolume volume = lost();
    volume.silent(List.of(map.osdOf(1)));
    WeftException refused = assertThrows(WeftException.class, () -> volume.execute(null, losses()));
    assertEquals(ErrorCode.UNAVAILABLE, refused.code());
    assertTrue(refused.getMessage().contains("[" + map.osdOf(1) + "]"), refused.getMessage());
    assertEquals(List.of(), volume.machine().resolving());
    assertEquals(List.of(), volume.machine().damage(5));
  }

  @Test
  void osdThatNeverHadTheAttributesIsNotWaitedFor() throws WeftException {
    TestVolume volume = lost();
    volume.silent(List.of(map.osdOf(4)));
    volume.own(losses());
    assertTrue(isDecided(volume));
  }

  @Test
  void remainsOfTheFileCanBeRemoved() throws WeftException {
    TestVolume volume = lost();
    volume.own(losses());
    TestClient operator = volume.superuser();
    long files = volume.machine().counts().files();
    operator.unlink("/f");
    JournalRecord record = volume.records().get(volume.records().size() - 1);
    List<OsdId> everyOsd = IntStream.rangeClosed(1, OSDS).mapToObj(OsdId::new).toList();
    assertTrue(
        record.effects().contains(new ObjectEffect.RemoveObject(held.object(), everyOsd)),
        record::toString);
    for (TestVolume each : List.of(volume, volume.restarted())) {
      assertEquals(List.of(), each.machine().grants());
      assertEquals(List.of(), each.machine().damage(5));
      assertEquals(0, each.machine().unsettled().size());
      assertEquals(Set.of(), each.machine().suspectsOf(held.object()).suspects());
      assertEquals(files - 1, each.machine().counts().files());
      assertRefused(ErrorCode.NOT_FOUND, () -> operator.with(each).attributes("/f"));
    }
    assertEquals(Empty.getDefaultInstance(), volume.execute(null, losses()).reply());
    assertEquals(List.of(), volume.machine().damage(5));
    volume.superuser().create("/f");
  }

  @Test
  void everyNameOfALostNodeCanBeRemoved() throws WeftException {
    writer.close(held, 100, 3);
    writer.link("/f", "/g");
    TestVolume volume = lost();
    TestClient operator = volume.superuser();
    long files = volume.machine().counts().files();
    operator.unlink("/f");
    operator.unlink("/g");
    assertEquals(files - 1, volume.machine().counts().files(), "it was one file");
    assertRefused(ErrorCode.NOT_FOUND, () -> operator.attributes("/g"));
  }

  /** Wherever they may be: they are looked for on every OSD. */
  @Test
  void aFileWhoseAttributesMayComeBackIsNotRemoved() throws WeftException {
    TestVolume volume = lost();
    volume.silent(List.of(map.osdOf(4)));
    assertRefused(ErrorCode.OSDS_SILENT, () -> volume.superuser().unlink("/f"));
    assertEquals(1, volume.machine().grants().size());
  }

  /** The client asks again: an OSD that starts may have them (P 5.8). */
  @Test
  void silentOsdsFailCallsWhileAttributesMayComeBack() throws WeftException {
    TestVolume volume = lost();
    TestClient client = volume.superuser();
    volume.silent(List.of(map.osdOf(1)));
    assertRefused(ErrorCode.OSDS_SILENT, () -> client.attributes("/f"));
    assertRefused(ErrorCode.OSDS_SILENT, () -> client.list("/", 10));
    assertRefused(ErrorCode.OSDS_SILENT, () -> client.rename("/f", "/g"));
  }

  @Test
  void aNameWhoseAttributesAreLostForGoodIsRefusedAtOnce() throws WeftException {
    TestClient client = lost().superuser();
    assertRefused(ErrorCode.TOO_MANY_LOST, () -> client.attributes("/f"));
    assertFalse(client.list("/", 10).get(0).hasAttributes());
  }

  @Test
  void lostNodeNeedsThePermissionToRemoveFromItsDirectory() throws WeftException {
    TestVolume volume = lost();
    TestClient stranger = volume.client("stranger", "strangers");
    assertRefused(ErrorCode.PERMISSION_DENIED, () -> stranger.unlink("/f"));
    volume.superuser().chmod("/", 01777);
    assertRefused(ErrorCode.PERMISSION_DENIED, () -> stranger.unlink("/f"));
    volume.superuser().unlink("/f");
  }

  private static void assertRefused(ErrorCode expected, Refused attempt) {
    assertEquals(expected, assertThrows(WeftException.class, attempt::run).code());
  }

  /** Something that is refused. */
  private interface Refused {
    void run() throws WeftException;
  }
}
