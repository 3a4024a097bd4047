package org.weft.metadata.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.repair.RepairedVolume.Page;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** When an OSD counts as heard. */
class LossScanTest {
  private static final OsdId LOST = new OsdId(1);
  private static final OsdId LEFT = new OsdId(2);
  private static final ObjectId NONE = new ObjectId(0);
  private static final ObjectId TENTH = new ObjectId(10);
  private static final ObjectId LAST = new ObjectId(20);
  private static final Attributes FIRST_FILE = file(5);
  private static final Attributes SECOND_FILE = file(15);

  private final ScriptedVolume volume = new ScriptedVolume();
  private final List<Attributes> found = new ArrayList<>();
  private long nowNanos;
  private final LossScan scan =
      new LossScan(
          volume,
          () -> nowNanos,
          Runnable::run,
          OsdsToEmpty.lost(new TreeSet<>(Set.of(LOST))),
          found::add);

  private static Attributes file(long object) {
    StorageMap map = StorageMap.of(Layout.of(1, 1), List.of(LOST, LEFT));
    return Attributes.create(new ObjectId(object), NodeKind.FILE, map).build();
  }

  private void page(List<Attributes> some, ObjectId last, boolean more, String trouble) {
    volume.pages.add(
        Optional.of(
            new Page(some, last, more, Optional.of(trouble).filter(each -> !each.isEmpty()))));
  }

  private void lookAfterSeconds(long seconds) {
    nowNanos += TimeUnit.SECONDS.toNanos(seconds);
    scan.look();
  }

  @Test
  void silentOsdIsAskedAgain() {
    volume.up.put(LEFT, 1L);
    lookAfterSeconds(0);
    volume.pages.add(Optional.empty());
    lookAfterSeconds(0);
    assertEquals(Set.of(LEFT), scan.awaited());
    assertTrue(scan.troubles().get(0).contains("it is silent"), scan.troubles()::toString);
    lookAfterSeconds(1);
    page(List.of(FIRST_FILE), LAST, false, "");
    lookAfterSeconds(1);
    assertTrue(scan.isOver());
    assertEquals(List.of(NONE, NONE), volume.askedBehind);
    assertEquals(List.of(FIRST_FILE), found);
    assertEquals(List.of(), scan.troubles());
  }

  @Test
  void osdWithAnUnreadableObjectIsAskedAgain() {
    volume.up.put(LEFT, 1L);
    lookAfterSeconds(0);
    page(List.of(FIRST_FILE), TENTH, true, "object 7: bad checksum");
    page(List.of(SECOND_FILE), LAST, false, "");
    lookAfterSeconds(0);
    lookAfterSeconds(0);
    assertEquals(List.of(FIRST_FILE, SECOND_FILE), found);
    assertFalse(scan.isOver());
    assertEquals(Set.of(LEFT), scan.awaited());
    assertTrue(scan.troubles().get(0).contains("osd-2"), scan.troubles()::toString);
    assertTrue(scan.troubles().get(0).contains("object 7"), scan.troubles()::toString);
    page(List.of(FIRST_FILE), TENTH, true, "");
    page(List.of(SECOND_FILE), LAST, false, "");
    lookAfterSeconds(30);
    lookAfterSeconds(0);
    assertTrue(scan.isOver());
    assertEquals(List.of(NONE, TENTH, NONE, TENTH), volume.askedBehind);
    assertEquals(List.of(), scan.troubles());
  }

  /** All copies of one directory may be on OSDs that are away: the others do not wait for it. */
  @Test
  void scanGoesOnWithoutABlockedFlushAndRepeatsLater() {
    volume.up.put(LEFT, 1L);
    volume.flushed = new CompletableFuture<>();
    lookAfterSeconds(0);
    lookAfterSeconds(29);
    assertEquals(List.of(), volume.askedBehind);
    page(List.of(FIRST_FILE), LAST, false, "");
    lookAfterSeconds(1);
    assertEquals(List.of(FIRST_FILE), found);
    assertTrue(scan.isOver());
    assertFalse(scan.hasHeardAll(), "it is not noted for good");
    volume.flushed.complete(null);
    assertFalse(scan.isOver());
    page(List.of(FIRST_FILE, SECOND_FILE), LAST, false, "");
    lookAfterSeconds(1);
    assertTrue(scan.isOver());
    assertTrue(scan.hasHeardAll());
    assertEquals(List.of(NONE, NONE), volume.askedBehind);
    assertEquals(List.of(FIRST_FILE, FIRST_FILE, SECOND_FILE), found);
  }

  /** It was made before the OSD had all that it was to tell of. */
  @Test
  void pageAskedForBeforeTheFlushIsNotCounted() {
    volume.up.put(LEFT, 1L);
    volume.flushed = new CompletableFuture<>();
    CompletableFuture<Page> underWay = new CompletableFuture<>();
    volume.gates.add(underWay);
    lookAfterSeconds(0);
    lookAfterSeconds(30);
    assertEquals(List.of(NONE), volume.askedBehind);
    volume.flushed.complete(null);
    underWay.complete(new Page(List.of(FIRST_FILE), LAST, false, Optional.of("object 7")));
    assertEquals(List.of(FIRST_FILE), found, "what it has found is repaired");
    assertFalse(scan.isOver());
    assertEquals(List.of(), scan.troubles());
    page(List.of(FIRST_FILE, SECOND_FILE), LAST, false, "");
    lookAfterSeconds(1);
    assertEquals(List.of(NONE, NONE), volume.askedBehind);
    assertTrue(scan.hasHeardAll());
  }

  @Test
  void failedFlushIsRepeatedWithTheNextScan() {
    volume.up.put(LEFT, 1L);
    volume.flushed = CompletableFuture.failedFuture(new IllegalStateException("an OSD is silent"));
    lookAfterSeconds(0);
    volume.flushed = CompletableFuture.completedFuture(null);
    page(List.of(), LAST, false, "");
    lookAfterSeconds(1);
    lookAfterSeconds(1);
    assertTrue(scan.hasHeardAll(), "it is never noted that the OSD holds nothing");
  }

  /** What could not be told of first is behind the object that was looked at before it. */
  @Test
  void osdWithTwoGapsIsAskedAgainFromTheFirst() {
    volume.up.put(LEFT, 1L);
    lookAfterSeconds(0);
    page(List.of(), TENTH, true, "object 7: bad checksum");
    page(List.of(), LAST, false, "object 15: bad checksum");
    lookAfterSeconds(0);
    lookAfterSeconds(0);
    page(List.of(FIRST_FILE), TENTH, true, "");
    lookAfterSeconds(30);
    assertEquals(List.of(NONE, TENTH, NONE), volume.askedBehind);
    assertEquals(List.of(FIRST_FILE), found);
  }

  @Test
  void anOsdIsLeftAloneForAsLongAsAPartTook() {
    volume.up.put(LEFT, 1L);
    lookAfterSeconds(0);
    CompletableFuture<Page> slow = new CompletableFuture<>();
    volume.gates.add(slow);
    lookAfterSeconds(0);
    nowNanos += TimeUnit.SECONDS.toNanos(3);
    slow.complete(new Page(List.of(), TENTH, true, Optional.empty()));
    page(List.of(), LAST, false, "");
    lookAfterSeconds(2);
    assertEquals(List.of(NONE), volume.askedBehind, "clients have less than half of its time");
    lookAfterSeconds(1);
    assertEquals(List.of(NONE, TENTH), volume.askedBehind);
    assertTrue(scan.isOver());
  }

  @Test
  void objectsBehindTheEndOfAScanAreNotFound() {
    volume.up.put(LEFT, 1L);
    lookAfterSeconds(0);
    CompletableFuture<Page> late = new CompletableFuture<>();
    volume.gates.add(late);
    lookAfterSeconds(0);
    scan.end();
    late.complete(new Page(List.of(FIRST_FILE), LAST, false, Optional.empty()));
    assertEquals(List.of(), found);
    assertFalse(scan.isOver());
  }
}
