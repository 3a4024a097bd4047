package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.help.NoRoom;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.repair.Rebuild;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.repair.AbandonRebuild;
import org.weft.metadata.volume.operation.repair.BeginRebuild;
import org.weft.metadata.volume.operation.repair.FinishRebuild;
import org.weft.metadata.volume.operation.repair.NoteCleared;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.LayoutMessage;

/** How a component, or a copy of a directory, comes to be on another OSD (P 6.8). */
class MovingComponentTest {
  private static final int OSDS = 7;
  private static final long UNITS = 10L << 20;

  private TestVolume volume;
  private TestClient client;

  @BeforeEach
  void start() throws WeftException {
    volume = TestVolume.formatted(3);
    volume.osds(OSDS);
    client = volume.superuser();
  }

  /** A file that is closed, and durable everywhere. */
  private ObjectId file(String path) throws WeftException {
    CreateReply created = client.create(path);
    client.close(created, UNITS);
    volume.own(new AddLiveEffects(List.of(new LiveEffect.GrantSettled(Held.of(created).number()))));
    return Held.of(created).object();
  }

  private StorageMap map(String path) throws WeftException {
    return AttributesCodec.fromMessage(client.attributes(path)).map();
  }

  private void begin(ObjectId object, OsdId... lost) throws WeftException {
    volume.execute(null, new BeginRebuild(object, Set.of(lost), Set.of()));
  }

  private WeftException refusalOfBegin(ObjectId object, OsdId... lost) {
    return assertThrows(WeftException.class, () -> begin(object, lost));
  }

  private Rebuild begun(ObjectId object) {
    return volume.machine().rebuilds().find(object).orElseThrow();
  }

  private void cleared(OsdId osd, ObjectId object) {
    volume.own(new AddLiveEffects(List.of(new LiveEffect.LaggingCleared(osd, object))));
  }

  @Test
  void fileIsNotWrittenBeforeItsOldComponentIsRemoved() throws WeftException {
    ObjectId object = file("/f");
    OsdId drained = map("/f").osdOf(1);
    volume.draining(OSDS, drained);
    begin(object);
    assertTrue(begun(object).moves());
    volume.own(new FinishRebuild(object, begun(object).number(), 0));
    assertFalse(map("/f").components().contains(drained));
    for (TestVolume each : List.of(volume, volume.restarted())) {
      each.draining(OSDS, drained);
      TestClient writer = each.superuser();
      WeftException refused = assertThrows(WeftException.class, () -> writer.update("/f"));
      assertEquals(ErrorCode.UNAVAILABLE, refused.code());
      assertTrue(refused.getMessage().contains("OSD " + drained), refused.getMessage());
    }
    // Readers are refused there as soon as it is known to be down.
    volume.osds(OSDS, List.of(drained));
    client.abandon(Held.of(client.update("/f")));
    volume.draining(OSDS, drained);
    cleared(drained, object);
    assertFalse(volume.machine().isLagging(drained, object));
  }

  @Test
  void fileIsWritableOnceTheLastMovedComponentIsRemoved() throws WeftException {
    ObjectId object = file("/f");
    OsdId drained = map("/f").osdOf(1);
    volume.draining(OSDS, drained);
    begin(object);
    volume.own(new FinishRebuild(object, begun(object).number(), 0));
    cleared(drained, object);
    assertEquals(object, Held.of(client.update("/f")).object());
  }

  @Test
  void anOsdThatIsNotDrainedAnyMoreKeepsWhatItHas() throws WeftException {
    ObjectId object = file("/f");
    StorageMap before = map("/f");
    volume.draining(OSDS, before.osdOf(1));
    begin(object);
    volume.osds(OSDS);
    WeftException refused =
        assertThrows(
            WeftException.class,
            () -> volume.execute(null, new FinishRebuild(object, begun(object).number(), 0)));
    assertEquals(ErrorCode.UNAVAILABLE, refused.code());
    assertTrue(refused.getMessage().contains("not drained any more"), refused.getMessage());
    assertEquals(before, map("/f"));
  }

  @Test
  void rebuildEndsBesideAnUpOsdOnlyInADrain() throws WeftException {
    ObjectId object = file("/f");
    OsdId lost = map("/f").osdOf(1);
    volume.osds(OSDS, List.of(lost));
    begin(object, lost);
    assertFalse(begun(object).moves());
    volume.draining(OSDS, lost);
    WeftException refused =
        assertThrows(
            WeftException.class,
            () -> volume.execute(null, new FinishRebuild(object, begun(object).number(), 0)));
    assertTrue(refused.getMessage().contains("is back"), refused.getMessage());
  }

  @Test
  void blocksAreKeptWhileTheirOsdIsMerelyDown() throws WeftException {
    ObjectId object = file("/f");
    OsdId lost = map("/f").osdOf(1);
    OsdId away = map("/f").osdOf(2);
    volume.osds(OSDS, List.of(lost));
    begin(object, lost);
    volume.osds(OSDS, List.of(lost, away));
    FinishRebuild withLoss = new FinishRebuild(object, begun(object).number(), 3);
    WeftException refused = assertThrows(WeftException.class, () -> volume.execute(null, withLoss));
    assertEquals(ErrorCode.TOO_MANY_LOST, refused.code());
    assertTrue(map("/f").components().contains(lost), "nothing has changed");
    assertEquals(List.of(), volume.machine().damage(5));
    volume.osds(OSDS, List.of(lost));
    assertThrows(WeftException.class, () -> volume.execute(null, withLoss), "it may have them");
    // The one is damaged, too, and the other does not come back: no OSD has these blocks.
    volume.osdsWithout(OSDS, lost.value());
    volume.own(withLoss);
    assertFalse(map("/f").components().contains(lost));
    assertEquals(1, volume.machine().damage(5).size());
  }

  @Test
  void fullyComputedComponentWaitsForNoOsd() throws WeftException {
    ObjectId object = file("/f");
    OsdId lost = map("/f").osdOf(1);
    OsdId away = map("/f").osdOf(2);
    volume.osds(OSDS, List.of(lost, away));
    begin(object, lost);
    volume.own(new FinishRebuild(object, begun(object).number(), 0));
    assertFalse(map("/f").components().contains(lost));
  }

  @Test
  void rebuildOnlyForAShunnedOsdIsNotBegun() throws WeftException {
    client.layout("/", LayoutMessage.newBuilder().setDataUnits(2).setParityUnits(1).setGroups(1));
    for (int each = 0; each < 20; each++) {
      ObjectId object = file("/f" + each);
      StorageMap map = map("/f" + each);
      OsdId lost = map.osdOf(1);
      OsdId shunned = spares(map).get(0);
      volume.osds(OSDS, List.of(lost));
      volume.execute(
          null, new BeginRebuild(object, Set.of(lost), Set.of(), Set.of(shunned), Set.of()));
      assertNotEquals(shunned, begun(object).target());
      volume.own(new AbandonRebuild(object, begun(object).number()));
      volume.osds(OSDS);
    }
    ObjectId object = file("/last");
    StorageMap map = map("/last");
    OsdId lost = map.osdOf(1);
    volume.osds(OSDS, List.of(lost));
    Set<OsdId> all = Set.copyOf(spares(map));
    BeginRebuild begin = new BeginRebuild(object, Set.of(lost), Set.of(), all, Set.of());
    assertTrue(NoRoom.isIn(assertThrows(WeftException.class, () -> volume.execute(null, begin))));
    assertTrue(volume.machine().rebuilds().find(object).isEmpty());
    assertEquals(map, map("/last"), "attributes do not make room for it");
  }

  private static List<OsdId> spares(StorageMap map) {
    return IntStream.rangeClosed(1, OSDS)
        .mapToObj(OsdId::new)
        .filter(osd -> !map.components().contains(osd) && !map.attributeOsds().contains(osd))
        .toList();
  }

  @Test
  void aDirectoryHasAllItsCopiesWhileOneMovesAway() throws WeftException {
    ObjectId directory = new ObjectId(client.mkdir("/d").getObjectId());
    StorageMap before = map("/d");
    OsdId drained = before.osdOf(0);
    volume.draining(OSDS, drained);
    begin(directory);
    StorageMap beside = map("/d");
    assertEquals(before.components(), beside.components());
    OsdId heir = beside.attributeOsds().get(0);
    assertTrue(volume.machine().isLagging(heir, directory));
    assertEquals(ErrorCode.BUSY, refusalOfBegin(directory).code(), "it is not caught up");
    cleared(heir, directory);
    begin(directory);
    StorageMap after = map("/d");
    List<OsdId> expected = new ArrayList<>(before.components());
    expected.set(0, heir);
    assertEquals(expected, after.components());
    assertEquals(List.of(), after.attributeOsds());
    assertTrue(volume.machine().isLagging(drained, directory), "it is removed there");
  }

  @Test
  void anHeirThatIsNotWantedAnyMoreIsDropped() throws WeftException {
    ObjectId directory = new ObjectId(client.mkdir("/d").getObjectId());
    List<OsdId> before = map("/d").components();
    volume.draining(OSDS, before.get(0));
    begin(directory);
    OsdId heir = map("/d").attributeOsds().get(0);
    volume.osds(OSDS);
    begin(directory);
    assertEquals(before, map("/d").components());
    assertEquals(List.of(), map("/d").attributeOsds());
    assertTrue(volume.machine().isLagging(heir, directory));
  }

  @Test
  void aComponentDoesNotMoveToAnOsdThatIsDrainedMeanwhile() throws WeftException {
    client.layout("/", LayoutMessage.newBuilder().setDataUnits(2).setParityUnits(1).setGroups(1));
    ObjectId object = file("/f");
    StorageMap before = map("/f");
    OsdId drained = before.osdOf(1);
    volume.draining(OSDS, drained);
    begin(object);
    OsdId target = begun(object).target();
    volume.draining(OSDS, drained, target);
    FinishRebuild finish = new FinishRebuild(object, begun(object).number(), 0);
    WeftException refused = assertThrows(WeftException.class, () -> volume.execute(null, finish));
    assertEquals(ErrorCode.UNAVAILABLE, refused.code());
    assertTrue(refused.getMessage().contains("is drained itself"), refused.getMessage());
    assertEquals(before, map("/f"), "it is where it was, and good");
    volume.own(new AbandonRebuild(object, begun(object).number()));
    cleared(target, object);
    begin(object);
    assertNotEquals(target, begun(object).target());
    volume.own(new FinishRebuild(object, begun(object).number(), 0));
    assertFalse(map("/f").components().contains(drained));
    assertFalse(map("/f").components().contains(target));
  }

  @Test
  void drainDropsASurplusAttributeCopyWithoutAPlace() throws WeftException {
    client.layout("/", LayoutMessage.newBuilder().setDataUnits(1).setParityUnits(1).setGroups(3));
    ObjectId object = file("/f");
    StorageMap before = map("/f");
    assertEquals(1, before.attributeOsds().size(), before::toString);
    OsdId drained = before.attributeOsds().get(0);
    assertEquals(List.of(), spares(before));
    volume.draining(OSDS, drained, 1, List.of(before.osdOf(1)));
    assertEquals(ErrorCode.NO_SPACE, refusalOfBegin(object).code(), "one other has them");
    volume.draining(OSDS, drained);
    begin(object);
    assertEquals(List.of(), map("/f").attributeOsds());
    assertEquals(before.components(), map("/f").components());
    assertTrue(volume.machine().isLagging(drained, object), "they are removed there");
  }

  @Test
  void lostComponentIsFinishedOnATargetDrainedMeanwhile() throws WeftException {
    ObjectId object = file("/f");
    OsdId lost = map("/f").osdOf(1);
    volume.osds(OSDS, List.of(lost));
    begin(object, lost);
    OsdId target = begun(object).target();
    volume.draining(OSDS, target, 1, List.of(lost));
    volume.own(new FinishRebuild(object, begun(object).number(), 0));
    assertEquals(target, map("/f").osdOf(1), "it moves from there later");
  }

  @Test
  void heirOnADrainedOsdIsDroppedWithoutAReplacement() throws WeftException {
    client.mkdir("/d");
    int count = map("/d").components().size() + 2;
    volume.osds(count);
    ObjectId directory = new ObjectId(client.mkdir("/e").getObjectId());
    OsdId drained = map("/e").osdOf(0);
    volume.draining(count, drained);
    begin(directory);
    OsdId heir = map("/e").attributeOsds().get(0);
    volume.draining(count, drained, heir);
    begin(directory);
    OsdId other = map("/e").attributeOsds().get(1);
    assertNotEquals(heir, other);
    cleared(other, directory);
    begin(directory);
    assertEquals(List.of(heir), map("/e").attributeOsds());
    assertEquals(other, map("/e").osdOf(0));
    begin(directory);
    assertEquals(List.of(), map("/e").attributeOsds());
    assertTrue(volume.machine().isLagging(heir, directory), "it is removed there");
  }

  @Test
  void heirOnAFullOsdIsReplacedByOneWithRoom() throws WeftException {
    ObjectId directory = new ObjectId(client.mkdir("/d").getObjectId());
    StorageMap before = map("/d");
    OsdId drained = before.osdOf(0);
    volume.draining(OSDS, drained);
    begin(directory);
    OsdId heir = map("/d").attributeOsds().get(0);
    volume.drainingBesideFull(OSDS, drained, spares(before));
    assertEquals(ErrorCode.BUSY, refusalOfBegin(directory).code(), "no other has room either");
    volume.drainingBesideFull(OSDS, drained, List.of(heir));
    begin(directory);
    assertEquals(List.of(), map("/d").attributeOsds());
    assertTrue(volume.machine().isLagging(heir, directory), "it is removed there");
    begin(directory);
    OsdId other = map("/d").attributeOsds().get(0);
    assertNotEquals(heir, other);
    cleared(other, directory);
    // What has caught up takes the place, full or not.
    volume.drainingBesideFull(OSDS, drained, List.of(other));
    begin(directory);
    assertEquals(other, map("/d").osdOf(0));
    assertEquals(List.of(), map("/d").attributeOsds());
  }

  @Test
  void nothingNewIsPutOnADrainedOsd() throws WeftException {
    for (int osd = 1; osd <= OSDS; osd++) {
      OsdId drained = new OsdId(osd);
      volume.draining(OSDS, drained);
      assertFalse(map(file("/f" + osd)).contains(drained));
      assertFalse(map("/f" + osd).attributeOsds().contains(drained));
      client.mkdir("/d" + osd);
      assertFalse(map("/d" + osd).components().contains(drained));
    }
  }

  private List<OsdId> map(ObjectId object) throws WeftException {
    return AttributesCodec.fromMessage(client.openAgain(object.value()).getAttributes())
        .map()
        .components();
  }

  @Test
  void attributeOnlyOsdTakesTheComponentIfNoOtherIsLeft() throws WeftException {
    volume.osds(4);
    client.layout("/", LayoutMessage.newBuilder().setDataUnits(1).setParityUnits(1));
    ObjectId object = file("/f");
    StorageMap before = map("/f");
    assertEquals(1, before.attributeOsds().size());
    OsdId holder = before.attributeOsds().get(0);
    OsdId lost = before.osdOf(1);
    OsdId spare =
        List.of(1, 2, 3, 4).stream()
            .map(OsdId::new)
            .filter(osd -> !before.components().contains(osd) && !osd.equals(holder))
            .findFirst()
            .orElseThrow();
    volume.osds(4, List.of(lost, spare));
    begin(object, lost, spare);
    assertEquals(List.of(), map("/f").attributeOsds());
    assertTrue(volume.machine().isLagging(holder, object), "what it has goes first");
    assertEquals(ErrorCode.BUSY, refusalOfBegin(object, lost, spare).code());
    cleared(holder, object);
    begin(object, lost, spare);
    assertEquals(holder, begun(object).target());
    volume.own(new FinishRebuild(object, begun(object).number(), 0));
    assertEquals(Set.of(before.osdOf(0), holder), new TreeSet<>(map("/f").components()));
  }

  /** Of four OSDs one is drained, and the one that the map leaves out is down. */
  private OsdId drainedWithoutSpare(StorageMap map) {
    OsdId drained = map.osdOf(1);
    OsdId spare =
        List.of(1, 2, 3, 4).stream()
            .map(OsdId::new)
            .filter(osd -> !map.components().contains(osd) && !map.attributeOsds().contains(osd))
            .findFirst()
            .orElseThrow();
    volume.draining(4, drained, 1, List.of(spare));
    return drained;
  }

  @Test
  void drainUsesTheAttributeOnlyOsdIfNoOtherIsLeft() throws WeftException {
    volume.osds(4);
    client.layout("/", LayoutMessage.newBuilder().setDataUnits(1).setParityUnits(1));
    ObjectId object = file("/f");
    StorageMap before = map("/f");
    OsdId holder = before.attributeOsds().get(0);
    OsdId drained = drainedWithoutSpare(before);
    begin(object);
    assertEquals(List.of(), map("/f").attributeOsds());
    assertTrue(volume.machine().isLagging(holder, object), "what it has goes first");
    cleared(holder, object);
    begin(object);
    assertEquals(holder, begun(object).target());
    assertTrue(begun(object).moves());
    volume.own(new FinishRebuild(object, begun(object).number(), 0));
    assertEquals(Set.of(before.osdOf(0), holder), new TreeSet<>(map("/f").components()));
    assertFalse(map("/f").components().contains(drained));
  }

  @Test
  void aDrainLeavesAsManyCopiesOfAttributesAsTheCodeBears() throws WeftException {
    volume.osds(4);
    client.layout("/", LayoutMessage.newBuilder().setDataUnits(1).setParityUnits(1));
    ObjectId object = file("/f");
    StorageMap before = map("/f");
    volume.own(
        new AddLiveEffects(
            List.of(
                new LiveEffect.LaggingAdded(
                    before.osdOf(0), object, LiveEffect.LaggingKind.REFRESH, Lsn.ZERO))));
    OsdId unused = drainedWithoutSpare(before);
    assertEquals(ErrorCode.NO_SPACE, refusalOfBegin(object).code());
    assertEquals(before, map("/f"));
  }

  @Test
  void theLastAttributesThatAreUpToDateStay() throws WeftException {
    volume.osds(4);
    client.layout("/", LayoutMessage.newBuilder().setDataUnits(1).setParityUnits(1));
    ObjectId object = file("/f");
    StorageMap before = map("/f");
    OsdId lost = before.osdOf(1);
    OsdId other = before.osdOf(0);
    volume.own(
        new AddLiveEffects(
            List.of(
                new LiveEffect.LaggingAdded(
                    other, object, LiveEffect.LaggingKind.REFRESH, Lsn.ZERO))));
    List<OsdId> away = new ArrayList<>(List.of(lost));
    for (int osd = 1; osd <= 4; osd++) {
      OsdId id = new OsdId(osd);
      if (!before.components().contains(id) && !before.attributeOsds().contains(id)) {
        away.add(id);
      }
    }
    volume.osds(4, away);
    assertEquals(ErrorCode.NO_SPACE, refusalOfBegin(object, lost).code());
    assertEquals(before, map("/f"));
  }

  @Test
  void goodDirectoryCopyIsKeptWhileItsHeirIsDown() throws WeftException {
    ObjectId directory = new ObjectId(client.mkdir("/d").getObjectId());
    OsdId drained = map("/d").osdOf(0);
    volume.draining(OSDS, drained);
    begin(directory);
    OsdId heir = map("/d").attributeOsds().get(0);
    cleared(heir, directory);
    volume.draining(OSDS, drained, 1, List.of(heir));
    begin(directory);
    assertTrue(map("/d").components().contains(drained), "the copy that answers");
    assertFalse(map("/d").attributeOsds().contains(heir));
    assertTrue(volume.machine().isLagging(heir, directory), "it is removed there");
    begin(directory);
    OsdId other = map("/d").attributeOsds().get(0);
    assertFalse(other.equals(heir), "another one is drawn");
    cleared(other, directory);
    begin(directory);
    assertTrue(map("/d").components().contains(other));
    assertFalse(map("/d").components().contains(drained));
  }

  @Test
  void aComponentDoesNotMoveToAnOsdThatWentDownMeanwhile() throws WeftException {
    ObjectId object = file("/f");
    OsdId drained = map("/f").osdOf(1);
    volume.draining(OSDS, drained);
    begin(object);
    Rebuild rebuild = begun(object);
    volume.draining(OSDS, drained, 1, List.of(rebuild.target()));
    WeftException refused =
        assertThrows(
            WeftException.class,
            () -> volume.execute(null, new FinishRebuild(object, rebuild.number(), 0)));
    assertEquals(ErrorCode.UNAVAILABLE, refused.code());
    assertTrue(map("/f").components().contains(drained));
    volume.draining(OSDS, drained);
    volume.own(new FinishRebuild(object, rebuild.number(), 0));
    assertTrue(map("/f").components().contains(rebuild.target()));
  }

  @Test
  void clearedOsdIsRememberedUntilItMayBeUsedAgain() {
    OsdId drained = new OsdId(2);
    volume.draining(OSDS, drained);
    volume.own(new NoteCleared(Map.of(drained, 1L, new OsdId(3), 1L)));
    assertEquals(Map.of(drained, 1L), volume.machine().clearedOsds(), "the other one is in use");
    assertEquals(Map.of(drained, 1L), volume.restarted().machine().clearedOsds());
    volume.osds(OSDS);
    volume.own(new NoteCleared(Map.of()));
    assertEquals(Map.of(), volume.machine().clearedOsds());
  }

  @Test
  void clearingNoteDoesNotCountForALaterDrain() {
    OsdId drained = new OsdId(2);
    volume.draining(OSDS, drained, 1);
    volume.own(new NoteCleared(Map.of(drained, 1L)));
    // Undone and drained again, and nothing of the manager has seen it undrained.
    volume.draining(OSDS, drained, 2);
    volume.own(new NoteCleared(Map.of(drained, 1L)));
    assertEquals(Map.of(), volume.machine().clearedOsds());
    volume.own(new NoteCleared(Map.of(drained, 2L)));
    assertEquals(Map.of(drained, 2L), volume.machine().clearedOsds());
    assertEquals(Map.of(drained, 2L), volume.restarted().machine().clearedOsds());
  }

  @Test
  void removedOsdHasNoPendingRemovals() throws WeftException {
    ObjectId object = file("/f");
    OsdId lost = map("/f").osdOf(1);
    volume.osds(OSDS, List.of(lost));
    begin(object, lost);
    volume.own(new FinishRebuild(object, begun(object).number(), 0));
    assertEquals(1, volume.cache().waitingRemovals(lost));
    assertEquals(1, volume.cache().rebuiltFrom(lost));
    assertEquals(1, volume.restarted().cache().rebuiltFrom(lost));
    volume.osdsWithout(OSDS, lost.value());
    volume.own(new NoteCleared(Map.of()));
    assertEquals(0, volume.cache().waitingRemovals(lost));
    assertEquals(0, volume.cache().rebuiltFrom(lost));
    assertEquals(0, volume.restarted().cache().waitingRemovals(lost));
  }
}
