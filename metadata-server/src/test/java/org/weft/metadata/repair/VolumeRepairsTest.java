package org.weft.metadata.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.help.NoRoom;
import org.weft.metadata.help.WorkerLost;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.recovery.rebuild.RebuildOutcome;

/** When files that cannot be rebuilt have their turn again. */
class VolumeRepairsTest {
  private static final ObjectId FILE = new ObjectId(70_000);

  private final ScriptedVolume volume = new ScriptedVolume();
  private long nowNanos;
  private final VolumeRepairs repairs =
      new VolumeRepairs(
          volume, new RepairOptions(0, 4).withBounds(2, 1), () -> nowNanos, Runnable::run);

  private void lookAfterMillis(long millis) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
    repairs.look();
  }

  @Test
  void onlyATableWithOtherOsdsIsAReasonToTryAtOnce() {
    volume.missing.add(FILE);
    volume.up.put(new OsdId(1), 7L);
    repairs.clusterChanged();
    lookAfterMillis(0);
    lookAfterMillis(1_000);
    assertEquals(2, volume.tried.size());
    repairs.clusterChanged();
    lookAfterMillis(500);
    assertEquals(2, volume.tried.size(), "the table says the same as before");
    volume.up.put(new OsdId(2), 7L);
    repairs.clusterChanged();
    lookAfterMillis(500);
    assertEquals(3, volume.tried.size(), "another OSD may take it");
    volume.up.put(new OsdId(2), 8L);
    repairs.clusterChanged();
    lookAfterMillis(500);
    assertEquals(4, volume.tried.size(), "that OSD has started again");
    assertEquals(1, repairs.progress().failed());
    assertEquals(List.of("no OSD takes it"), repairs.progress().words());
  }

  @Test
  void otherwiseItHasItsTurnAfterAPause() {
    volume.missing.add(FILE);
    repairs.clusterChanged();
    lookAfterMillis(0);
    repairs.clusterChanged();
    lookAfterMillis(999);
    assertEquals(1, volume.tried.size());
    lookAfterMillis(500);
    assertEquals(2, volume.tried.size());
  }

  private static Attributes file(long object) {
    return file(object, 1, 1);
  }

  private static Attributes file(long object, int dataUnits, int parityUnits) {
    List<OsdId> osds = new ArrayList<>();
    for (int osd = 1; osd <= dataUnits + parityUnits; osd++) {
      osds.add(new OsdId(osd));
    }
    StorageMap map = StorageMap.of(Layout.of(dataUnits, parityUnits), osds);
    return Attributes.create(new ObjectId(object), NodeKind.FILE, map).sizeBytes(1).build();
  }

  private void page(List<Attributes> found, boolean more) {
    ObjectId last = found.isEmpty() ? FILE : found.get(found.size() - 1).object();
    volume.pages.add(Optional.of(new RepairedVolume.Page(found, last, more, Optional.empty())));
  }

  @Test
  void anOsdIsNotLookedForAgainOnceNothingNamesIt() {
    volume.up.put(new OsdId(2), 7L);
    volume.lost.add(new OsdId(1));
    lookAfterMillis(0);
    page(List.of(file(5)), false);
    lookAfterMillis(500);
    lookAfterMillis(500);
    assertEquals(Set.of(), volume.noted, "a file cannot be rebuilt yet");
    volume.whole.add(new ObjectId(5));
    lookAfterMillis(60_000);
    assertEquals(Set.of(new OsdId(1)), volume.noted);
  }

  @Test
  void anOsdThatIsDrainedAgainIsLookedForAgainAlsoIfItWasNotSeenUndrained() {
    OsdId drained = new OsdId(1);
    volume.up.put(new OsdId(2), 7L);
    volume.leaving.add(drained);
    volume.drains.put(drained, 5L);
    lookAfterMillis(0);
    page(List.of(file(5)), false);
    lookAfterMillis(500);
    lookAfterMillis(500);
    assertEquals(Map.of(), volume.notedDrains, "a file has not moved yet");
    // That one moves, and others were placed there before it is drained again.
    volume.whole.add(new ObjectId(5));
    volume.drains.put(drained, 6L);
    lookAfterMillis(60_000);
    assertEquals(Map.of(), volume.notedDrains, "no OSD was asked of the later drain");
    page(List.of(), false);
    lookAfterMillis(500);
    lookAfterMillis(500);
    assertEquals(Map.of(drained, 6L), volume.notedDrains);
  }

  @Test
  void anOsdIsLookedForUntilThoseThatAreDownForLongHaveTold() {
    OsdId removed = new OsdId(1);
    volume.up.put(new OsdId(2), 7L);
    volume.awayForLong.add(new OsdId(3));
    volume.lost.add(removed);
    lookAfterMillis(0);
    page(List.of(), false);
    lookAfterMillis(500);
    lookAfterMillis(500);
    lookAfterMillis(500);
    assertEquals(Set.of(), volume.noted, "it may have the only copy of attributes");
    assertEquals(RepairProgress.NONE, repairs.progress(), "nothing is to be done now");
    volume.up.put(new OsdId(3), 8L);
    page(List.of(file(5)), false);
    lookAfterMillis(500);
    lookAfterMillis(500);
    assertEquals(List.of(new ObjectId(5)), volume.tried);
    assertEquals(Set.of(), volume.noted, "it knew of a file");
    volume.whole.add(new ObjectId(5));
    lookAfterMillis(60_000);
    assertEquals(Set.of(removed), volume.noted);
  }

  @Test
  void aPauseLetsWhatIsBeingWrittenEndAndBeginsNothingUntilItIsOver() {
    volume.filesAtOnce = 1;
    volume.up.put(new OsdId(1), 7L);
    ObjectId other = new ObjectId(FILE.value() + 1);
    volume.missing.addAll(List.of(FILE, other));
    for (ObjectId each : volume.missing) {
      volume.begins.put(each, file(each.value(), 1, 1));
    }
    lookAfterMillis(0);
    assertEquals(List.of(FILE), volume.tried);
    volume.paused = true;
    lookAfterMillis(500);
    volume.copying.get(FILE).complete(new RebuildOutcome(0, List.of()));
    assertTrue(volume.whole.contains(FILE), "what was being written was not put into the map");
    lookAfterMillis(60_000);
    assertEquals(List.of(FILE), volume.tried, "another one was begun");
    assertEquals(2, repairs.progress().filesToDo());
    volume.lost.add(new OsdId(2));
    lookAfterMillis(60_000);
    assertEquals(List.of(), volume.askedBehind, "an OSD was asked for what was lost");
    volume.paused = false;
    volume.pages.add(
        Optional.of(new RepairedVolume.Page(List.of(), FILE, false, Optional.empty())));
    lookAfterMillis(500);
    assertTrue(volume.tried.contains(other), volume.tried::toString);
  }

  @Test
  void whatAManagerOfBeforeHadBegunIsEndedDuringAPauseToo() {
    volume.paused = true;
    volume.begun.put(
        FILE, new Rebuild(FILE, 0, new OsdId(9), new Lsn(100), 1, false, 1, false, false));
    lookAfterMillis(0);
    assertEquals(Map.of(), volume.begun, "clients that write it would wait");
    assertEquals(List.of(), volume.tried);
  }

  @Test
  void whatIsKnownOfOsdsIsForgottenAlsoWhereNothingIsRebuilt() {
    VolumeRepairs off = new VolumeRepairs(volume, RepairOptions.OFF, () -> nowNanos, Runnable::run);
    volume.lost.add(new OsdId(1));
    off.look();
    assertEquals(1, volume.notes);
    assertEquals(Set.of(), volume.noted);
    assertEquals(List.of(), volume.askedBehind);
  }

  @Test
  void whatAManagerOfBeforeHadBegunIsEndedAlsoWhereNothingIsRebuilt() {
    VolumeRepairs off = new VolumeRepairs(volume, RepairOptions.OFF, () -> nowNanos, Runnable::run);
    volume.begun.put(
        FILE, new Rebuild(FILE, 0, new OsdId(9), new Lsn(100), 1, false, 1, false, false));
    off.look();
    assertEquals(Map.of(), volume.begun, "it would hold the create floor, and clients would wait");
    nowNanos += TimeUnit.MINUTES.toNanos(1);
    off.look();
    assertEquals(List.of(), volume.tried);
    assertEquals(RepairProgress.NONE, off.progress());
  }

  @Test
  void aFileThatHasLostTooMuchIsTriedAgainOnlyWhenOsdsChange() {
    volume.missing.add(FILE);
    volume.hopeless.add(FILE);
    repairs.clusterChanged();
    lookAfterMillis(0);
    lookAfterMillis(600_000);
    assertEquals(1, volume.tried.size());
    assertEquals(1, repairs.progress().beyond());
    volume.up.put(new OsdId(2), 7L);
    repairs.clusterChanged();
    lookAfterMillis(500);
    assertEquals(2, volume.tried.size());
  }

  /** FILE may lose one component more, the one behind it none. */
  private void giveBackWhatHasOneLeft(WeftException why) {
    volume.filesAtOnce = 1;
    volume.up.put(new OsdId(1), 7L);
    volume.lost.add(new OsdId(2));
    Attributes safe = file(FILE.value(), 1, 2);
    Attributes endangered = file(FILE.value() + 1, 1, 1);
    volume.begins.put(safe.object(), safe);
    volume.begins.put(endangered.object(), endangered);
    CompletableFuture<RepairedVolume.Page> first = new CompletableFuture<>();
    CompletableFuture<RepairedVolume.Page> second = new CompletableFuture<>();
    volume.gates.addAll(List.of(first, second));
    lookAfterMillis(0);
    lookAfterMillis(500);
    first.complete(new RepairedVolume.Page(List.of(safe), safe.object(), true, Optional.empty()));
    lookAfterMillis(500);
    assertEquals(List.of(safe.object()), volume.tried);
    second.complete(
        new RepairedVolume.Page(List.of(endangered), endangered.object(), false, Optional.empty()));
    lookAfterMillis(500);
    volume.copying.get(safe.object()).completeExceptionally(why);
    lookAfterMillis(500);
    assertEquals(List.of(safe.object(), endangered.object()), volume.tried);
    assertEquals(Set.of(endangered.object()), volume.begun.keySet());
  }

  @Test
  void whatNoManagerHasRoomForComesAfterWhatIsMoreEndangered() {
    giveBackWhatHasOneLeft(NoRoom.failure());
  }

  @Test
  void whatThePrimaryAloneMayCopyHasItsNextTurnAndKeepsNothingElseFromWorkers() {
    VolumeRepairs roomy =
        new VolumeRepairs(volume, new RepairOptions(0, 4), () -> nowNanos, Runnable::run);
    volume.filesAtOnce = 2;
    ObjectId other = new ObjectId(FILE.value() + 1);
    ObjectId last = new ObjectId(FILE.value() + 2);
    volume.missing.addAll(List.of(FILE, other));
    volume.unroomed.add(FILE);
    volume.up.put(new OsdId(1), 7L);
    for (ObjectId each : List.of(FILE, other, last)) {
      volume.begins.put(each, file(each.value(), 1, 1));
    }
    roomy.look();
    assertEquals(List.of(FILE, other), volume.tried);
    assertEquals(Set.of(other), volume.begun.keySet());
    nowNanos += TimeUnit.SECONDS.toNanos(5);
    roomy.look();
    assertEquals(2, volume.tried.size(), "it waits until the primary has a turn");
    volume.missing.add(0, last);
    volume.hasTurn = true;
    nowNanos += TimeUnit.SECONDS.toNanos(1);
    roomy.look();
    assertEquals(List.of(FILE, other, FILE), volume.tried, "before any other");
    assertEquals(0, roomy.progress().waiting() + roomy.progress().failed());
  }

  @Test
  void whereEveryFileWaitsForATurnTheListIsNotRunThroughAtOnce() {
    VolumeRepairs roomy =
        new VolumeRepairs(volume, new RepairOptions(0, 4), () -> nowNanos, Runnable::run);
    for (int each = 0; each < 1_000; each++) {
      ObjectId object = new ObjectId(FILE.value() + each);
      volume.missing.add(object);
      for (int time = 0; time < 100; time++) {
        volume.unroomed.add(object);
      }
    }
    volume.up.put(new OsdId(1), 7L);
    for (int second = 0; second < 10; second++) {
      roomy.look();
      nowNanos += TimeUnit.SECONDS.toNanos(1);
    }
    assertTrue(volume.tried.size() <= 16 + 10 * volume.filesAtOnce, volume.tried.size() + " tries");
  }

  @Test
  void whatWaitsForATurnIsTriedOtherwiseNowAndThen() {
    volume.missing.add(FILE);
    volume.unroomed.add(FILE);
    volume.up.put(new OsdId(1), 7L);
    volume.begins.put(FILE, file(FILE.value(), 1, 1));
    lookAfterMillis(0);
    lookAfterMillis(59_000);
    assertEquals(List.of(FILE), volume.tried);
    lookAfterMillis(1_000);
    assertEquals(List.of(FILE, FILE), volume.tried);
    volume.hasTurn = true;
    lookAfterMillis(500);
    assertEquals(2, volume.tried.size(), "it is under way");
  }

  @Test
  void whatALostWorkerHadComesAfterWhatIsMoreEndangered() {
    giveBackWhatHasOneLeft(
        WorkerLost.failure(2, new WeftException(ErrorCode.UNAVAILABLE, "it is silent")));
  }

  private void missMoreThanThereIsRoomFor() {
    for (int each = 0; each < 5; each++) {
      ObjectId object = new ObjectId(70_000 + each);
      volume.missing.add(object);
      volume.hopeless.add(object);
    }
  }

  @Test
  void moreMissingFilesThanThereIsRoomForAreNotTriedWithoutAPause() {
    missMoreThanThereIsRoomFor();
    repairs.clusterChanged();
    lookAfterMillis(0);
    for (int look = 0; look < 50; look++) {
      lookAfterMillis(500);
    }
    assertTrue(volume.tried.size() <= 10, volume.tried::toString);
    assertEquals(Set.copyOf(volume.missing), Set.copyOf(volume.tried));
  }

  @Test
  void whereNothingCouldBeRepairedTheNextLookComesLaterEachTime() {
    volume.up.put(new OsdId(2), 7L);
    volume.lost.add(new OsdId(1));
    lookAfterMillis(0);
    int scans = 0;
    long untilMillis = 600_000;
    for (long at = 0; at < untilMillis; at += 500) {
      if (volume.pages.isEmpty()) {
        scans++;
        page(List.of(file(5), file(6), file(7)), false);
      }
      lookAfterMillis(500);
    }
    // After 30, 60, 120 and 240 seconds, and one page that waits.
    assertEquals(6, scans);
  }

  @Test
  void whatHadNoRoomIsLookedForAgain() {
    volume.up.put(new OsdId(2), 7L);
    volume.lost.add(new OsdId(1));
    List<Attributes> files = List.of(file(5), file(6), file(7));
    files.forEach(each -> volume.whole.add(each.object()));
    lookAfterMillis(0);
    page(files, false);
    lookAfterMillis(500);
    lookAfterMillis(500);
    assertEquals(List.of(new ObjectId(5), new ObjectId(6)), volume.tried);
    assertEquals(Set.of(), volume.noted, "one file had no room");
    assertFalse(repairs.progress().isOver(), "it is looked for again");
    lookAfterMillis(30_000);
    page(files.subList(2, 3), false);
    lookAfterMillis(500);
    lookAfterMillis(500);
    assertTrue(volume.tried.contains(new ObjectId(7)), volume.tried::toString);
    assertEquals(Set.of(new OsdId(1)), volume.noted);
  }

  /** OSD 1 is there and OSD 2 is lost; a search finds these files. */
  private void find(ObjectId... objects) {
    volume.up.put(new OsdId(1), 7L);
    volume.lost.add(new OsdId(2));
    List<Attributes> found = new ArrayList<>();
    for (ObjectId each : objects) {
      found.add(file(each.value(), 1, 1));
    }
    lookAfterMillis(0);
    lookAfterMillis(500);
    page(found, false);
    lookAfterMillis(500);
  }

  @Test
  void aSearchStandsStillDuringAPauseAndGoesOnWhereItWas() {
    volume.up.put(new OsdId(1), 7L);
    volume.lost.add(new OsdId(2));
    lookAfterMillis(0);
    lookAfterMillis(500);
    page(List.of(), true);
    lookAfterMillis(500);
    assertEquals(1, volume.askedBehind.size());
    volume.paused = true;
    page(List.of(), false);
    lookAfterMillis(500);
    lookAfterMillis(60_000);
    assertEquals(1, volume.askedBehind.size(), "an OSD was asked during the pause");
    volume.paused = false;
    lookAfterMillis(500);
    assertEquals(List.of(new ObjectId(0), FILE), volume.askedBehind);
  }

  @Test
  void whatGoesMissingLaterIsFoundThoughWhatIsBehindItWasLookedAt() {
    volume.missing.add(FILE);
    volume.whole.add(FILE);
    lookAfterMillis(0);
    assertEquals(List.of(FILE), volume.tried);
    ObjectId before = new ObjectId(FILE.value() - 1);
    volume.missing.clear();
    volume.missing.add(before);
    lookAfterMillis(500);
    lookAfterMillis(500);
    assertTrue(volume.tried.contains(before), volume.tried::toString);
  }

  @Test
  void whatCouldNotBeNotedIsNotedLater() {
    volume.failingNotes = 1;
    volume.up.put(new OsdId(2), 7L);
    volume.lost.add(new OsdId(1));
    lookAfterMillis(0);
    page(List.of(), false);
    lookAfterMillis(500);
    lookAfterMillis(500);
    lookAfterMillis(500);
    assertEquals(0, volume.failingNotes);
    assertEquals(Set.of(new OsdId(1)), volume.noted, "it is looked for until the manager ends");
  }

  @Test
  void whatAManagerOfBeforeHadBegunIsEndedThoughThatFailsOnceAndBegunAnew() {
    volume.failingAbandons = 1;
    volume.begun.put(
        FILE, new Rebuild(FILE, 0, new OsdId(9), new Lsn(100), 1, false, 1, false, false));
    lookAfterMillis(0);
    assertEquals(Set.of(FILE), volume.begun.keySet());
    lookAfterMillis(500);
    assertEquals(Set.of(), volume.begun.keySet(), "clients that write it wait for ever");
    lookAfterMillis(500);
    assertEquals(List.of(FILE), volume.tried);
  }

  @Test
  void aTargetThatTookNothingIsAvoidedForAMinuteAndNoLonger() {
    volume.begins.put(FILE, file(FILE.value()));
    find(FILE);
    assertEquals(Set.of(), volume.avoided);
    volume
        .copying
        .get(FILE)
        .completeExceptionally(new WeftException(ErrorCode.NO_SPACE, "it is full"));
    assertEquals(List.of(FILE, FILE), volume.tried, "another target was not tried at once");
    assertEquals(Set.of(new OsdId(9)), volume.avoided);
    lookAfterMillis(60_000);
    volume
        .copying
        .get(FILE)
        .completeExceptionally(new WeftException(ErrorCode.UNAVAILABLE, "a source is silent"));
    lookAfterMillis(30_000);
    assertEquals(3, volume.tried.size());
    assertEquals(Set.of(), volume.avoided, "an OSD is never a target again");
  }

  @Test
  void whatCouldNotBeRemovedWhereItWasWrittenIsNotBegunAgainAtOnce() {
    volume.begins.put(FILE, file(FILE.value()));
    find(FILE);
    volume.failingAbandons = 1;
    volume
        .copying
        .get(FILE)
        .completeExceptionally(new WeftException(ErrorCode.NO_SPACE, "it is full"));
    assertEquals(List.of(FILE), volume.tried);
    lookAfterMillis(500);
    assertEquals(Set.of(), volume.begun.keySet(), "it is removed with the next look");
    lookAfterMillis(30_000);
    assertEquals(List.of(FILE, FILE), volume.tried);
  }

  @Test
  void afterManyThatThePrimaryAloneMayCopyOthersAreTriedASecondLater() {
    VolumeRepairs roomy =
        new VolumeRepairs(volume, new RepairOptions(0, 4), () -> nowNanos, Runnable::run);
    volume.up.put(new OsdId(1), 7L);
    for (int each = 0; each < 17; each++) {
      ObjectId object = new ObjectId(FILE.value() + each);
      volume.missing.add(object);
      if (each < 16) {
        volume.unroomed.add(object);
      }
    }
    ObjectId last = new ObjectId(FILE.value() + 16);
    volume.begins.put(last, file(last.value()));
    roomy.look();
    assertFalse(volume.tried.contains(last));
    nowNanos += TimeUnit.SECONDS.toNanos(1);
    roomy.look();
    assertEquals(Set.of(last), volume.begun.keySet(), "a worker may copy it");
  }

  @Test
  void anOsdThatIsBackWhenAComponentIsBegunIsRead() {
    volume.begins.put(FILE, file(FILE.value()));
    volume.beginning = new CompletableFuture<>();
    find(FILE);
    assertEquals(List.of(FILE), volume.tried);
    volume.lost.clear();
    lookAfterMillis(500);
    volume.beginning.complete(null);
    assertEquals(Set.of(), volume.writtenWithout.get(FILE), "what it holds counts as lost");
  }

  @Test
  void aFileThatIsBeingWrittenHasItsTurnAgainSoon() {
    volume.busy.add(FILE);
    find(FILE);
    assertEquals(List.of(FILE), volume.tried);
    assertEquals(1, repairs.progress().waiting());
    lookAfterMillis(1_500);
    assertEquals(List.of(FILE), volume.tried);
    lookAfterMillis(500);
    assertEquals(List.of(FILE, FILE), volume.tried);
  }

  @Test
  void howeverOftenAFileHasFailedItIsTriedAgainEachHalfMinute() {
    volume.silent.add(FILE);
    find(FILE);
    for (int failures = 1; failures < 80; failures++) {
      assertEquals(failures, volume.tried.size());
      lookAfterMillis(30_000);
    }
  }

  @Test
  void theNextFileIsBegunAsSoonAsOneIsWhole() {
    volume.filesAtOnce = 1;
    ObjectId other = new ObjectId(FILE.value() + 1);
    volume.begins.put(FILE, file(FILE.value()));
    volume.begins.put(other, file(other.value()));
    find(FILE, other);
    assertEquals(List.of(FILE), volume.tried);
    volume.copying.get(FILE).complete(new RebuildOutcome(0, List.of()));
    assertEquals(Set.of(other), volume.begun.keySet(), "OSDs are idle until the next look");
  }

  @Test
  void aFileThatHadLostTooMuchIsTriedAgainWhenAnOsdDoesNotCountAsLostAnyMore() {
    volume.lost.add(new OsdId(3));
    volume.hopeless.add(FILE);
    find(FILE);
    assertEquals(1, repairs.progress().beyond());
    volume.lost.remove(new OsdId(3));
    lookAfterMillis(500);
    assertEquals(List.of(FILE, FILE), volume.tried);
  }

  /** On OSDs that are slow or full of files it would never come to its end. */
  @Test
  void aSearchThatIsUnderWayIsNotBegunAnewForWhatHadNoRoom() {
    volume.up.put(new OsdId(1), 7L);
    volume.lost.add(new OsdId(2));
    List<Attributes> files = List.of(file(5), file(6), file(7));
    files.forEach(each -> volume.whole.add(each.object()));
    lookAfterMillis(0);
    lookAfterMillis(500);
    page(files, true);
    lookAfterMillis(500);
    volume.gates.add(new CompletableFuture<>());
    lookAfterMillis(500);
    lookAfterMillis(31_000);
    lookAfterMillis(500);
    lookAfterMillis(500);
    assertEquals(List.of(new ObjectId(0), new ObjectId(7)), volume.askedBehind);
  }

  @Test
  void anOsdThatComesEndsALongPauseBeforeTheNextSearch() {
    volume.up.put(new OsdId(2), 7L);
    volume.lost.add(new OsdId(1));
    repairs.clusterChanged();
    List<Attributes> found = List.of(file(5), file(6), file(7));
    for (int look = 0; look < 1_200; look++) {
      if (volume.pages.isEmpty()) {
        page(found, false);
      }
      lookAfterMillis(500);
    }
    volume.up.put(new OsdId(3), 7L);
    repairs.clusterChanged();
    int before = volume.askedBehind.size();
    for (int look = 0; look < 64; look++) {
      while (volume.pages.size() < 2) {
        page(found, false);
      }
      lookAfterMillis(500);
    }
    // The search that is over asks it alone, and the next one both.
    assertEquals(before + 3, volume.askedBehind.size());
  }

  /** Space may come without any OSD coming: the table says the same. */
  @Test
  void aFileThatIsDoneEndsALongPauseBeforeTheNextSearch() {
    volume.up.put(new OsdId(2), 7L);
    volume.lost.add(new OsdId(1));
    List<Attributes> found = List.of(file(5), file(6), file(7));
    for (int look = 0; look < 1_000; look++) {
      if (volume.pages.isEmpty()) {
        page(found, false);
      }
      lookAfterMillis(500);
    }
    found.forEach(each -> volume.whole.add(each.object()));
    volume.tried.clear();
    for (int look = 0; look < 130; look++) {
      if (volume.pages.isEmpty()) {
        page(found.subList(2, 3), false);
      }
      lookAfterMillis(500);
    }
    // Two have their turns again within 30 s, and the search for the third follows.
    assertTrue(volume.tried.contains(new ObjectId(7)), volume.tried::toString);
    assertEquals(Set.of(new OsdId(1)), volume.noted);
  }

  @Test
  void aFileThatIsDoneEndsALongPauseBeforeWhatIsMissingIsLookedAtAgain() {
    volume.up.put(new OsdId(2), 7L);
    volume.lost.add(new OsdId(1));
    for (int look = 0; look < 1_000; look++) {
      if (volume.pages.isEmpty()) {
        page(List.of(file(5), file(6), file(7)), false);
      }
      if (look == 800) {
        for (int each = 0; each < 5; each++) {
          volume.missing.add(new ObjectId(70_000 + each));
        }
      }
      lookAfterMillis(500);
    }
    volume.whole.addAll(volume.missing);
    volume.whole.addAll(List.of(new ObjectId(5), new ObjectId(6), new ObjectId(7)));
    volume.tried.clear();
    for (int look = 0; look < 200; look++) {
      if (volume.pages.isEmpty()) {
        page(List.of(), false);
      }
      lookAfterMillis(500);
    }
    assertTrue(volume.tried.containsAll(volume.missing), volume.tried::toString);
  }

  @Test
  void anOsdThatComesEndsThePauseBeforeWhatIsMissingIsLookedAtAgain() {
    missMoreThanThereIsRoomFor();
    repairs.clusterChanged();
    for (int look = 0; look < 50; look++) {
      lookAfterMillis(500);
    }
    volume.tried.clear();
    volume.up.put(new OsdId(1), 7L);
    repairs.clusterChanged();
    for (int look = 0; look < 6; look++) {
      lookAfterMillis(500);
    }
    assertEquals(Set.copyOf(volume.missing), Set.copyOf(volume.tried));
  }
}
