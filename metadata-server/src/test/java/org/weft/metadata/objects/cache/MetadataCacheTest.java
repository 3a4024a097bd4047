package org.weft.metadata.objects.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.HashKey;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.LaggingAdded;
import org.weft.metadata.journal.LiveEffect.LaggingCleared;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.journal.ObjectEffect.CreateDirectory;
import org.weft.metadata.journal.ObjectEffect.PutAttributes;
import org.weft.metadata.journal.ObjectEffect.PutEntry;
import org.weft.metadata.journal.ObjectEffect.RemoveEntry;
import org.weft.metadata.journal.ObjectEffect.RemoveObject;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.Loadable;
import org.weft.metadata.objects.Loaded.LoadedAttributes;
import org.weft.metadata.objects.Loaded.LoadedBlocks;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.objects.Missing.MissingAttributes;
import org.weft.metadata.objects.Missing.MissingBlocks;
import org.weft.metadata.objects.Missing.Source;
import org.weft.metadata.objects.cache.FlushItem.Phase;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** What the cache answers, keeps and plans, without any OSD. */
class MetadataCacheTest {
  private static final StorageMap MAP =
      StorageMap.of(Layout.of(1, 2), List.of(new OsdId(1), new OsdId(2), new OsdId(3)));
  private static final CacheLimits SMALL = new CacheLimits(4, 0, 2, 400, 20, 1_000, 1 << 20);

  private final MetadataCache cache = new MetadataCache(3, SMALL);
  private long index;

  private static Attributes attributes(long object, NodeKind kind, long size) {
    return Attributes.create(new ObjectId(object), kind, MAP).sizeBytes(size).build();
  }

  private Lsn apply(Effect... effects) {
    Lsn lsn = Lsn.of(1, ++index);
    assertEquals(Loadable.ready(lsn), cache.apply(new JournalRecord(lsn, List.of(effects))));
    return lsn;
  }

  private void makeRoot() {
    apply(
        new CreateDirectory(ObjectId.ROOT, new HashKey(1, 2)),
        new PutAttributes(attributes(1, NodeKind.DIRECTORY, 0)));
  }

  private PutEntry entry(String name, long object) {
    Lsn lsn = Lsn.of(1, index + 1);
    return new PutEntry(
        ObjectId.ROOT,
        name,
        new DirectoryEntry(new ObjectId(object), NodeKind.FILE, lsn, List.of()));
  }

  private Optional<Attributes> known(long object) {
    return cache.attributes(new ObjectId(object), List.of()).value();
  }

  private boolean isKnown(long object) {
    return cache.attributes(new ObjectId(object), List.of()).isReady();
  }

  private void settle(FlushRound round) {
    for (FlushItem item : round.items()) {
      item.targets().forEach(osd -> item.taken(osd, 1));
    }
    cache.settled(round);
  }

  private static List<ObjectId> objects(FlushRound round, Phase phase) {
    return round.itemsOf(phase).stream().map(FlushItem::object).toList();
  }

  @Test
  void blocksThatWaitGoWhereTheDirectoryIsByThen() {
    makeRoot();
    apply(entry("a", 100));
    StorageMap moved =
        new StorageMap(
            MAP.layout(),
            List.of(new OsdId(1), new OsdId(4), new OsdId(3)),
            2,
            new TreeSet<>(),
            List.of());
    apply(new PutAttributes(attributes(1, NodeKind.DIRECTORY, 0).edit().map(moved).build()));
    FlushItem blocks = cache.plan().itemsOf(Phase.DIRECTORIES).get(0);
    assertEquals(Set.copyOf(moved.components()), Set.copyOf(blocks.targets()));
  }

  @Test
  void entriesWithoutACheckpointAreNeverEvicted() {
    makeRoot();
    for (int object = 100; object < 140; object++) {
      apply(new PutAttributes(attributes(object, NodeKind.FILE, object)));
    }
    FlushRound round = cache.plan();
    for (int object = 100; object < 140; object++) {
      assertEquals(object, known(object).orElseThrow().sizeBytes());
    }
    settle(round);
    long kept = 0;
    for (int object = 100; object < 140; object++) {
      kept += isKnown(object) ? 1 : 0;
    }
    assertEquals(SMALL.cleanAttributes(), kept);
  }

  /** Room for twenty packed pages or so beside four that are ready. */
  private void keepPacked() {
    cache.limits(new CacheLimits(4, 20 * 250, 2, 400, 20, 1_000, 1 << 20));
  }

  private void makeFiles(int first, int count, long size) {
    for (int object = first; object < first + count; object++) {
      apply(new PutAttributes(attributes(object, NodeKind.FILE, size)));
    }
    settle(cache.plan());
  }

  @Test
  void leastRecentlyUsedAttributesArePackedAndKept() {
    keepPacked();
    makeFiles(100, 12, 7);
    for (int round = 0; round < 2; round++) {
      for (int object = 100; object < 112; object++) {
        assertEquals(attributes(object, NodeKind.FILE, 7), known(object).orElseThrow());
      }
    }
  }

  @Test
  void packedPagesAreBounded() {
    keepPacked();
    makeFiles(100, 200, 7);
    long kept = IntStream.range(100, 300).filter(this::isKnown).count();
    assertTrue(kept > 10 && kept < 40, kept + " are known");
    assertTrue(isKnown(299) && !isKnown(100), "what was used last stays");
    cache.limits(SMALL);
    assertEquals(4, IntStream.range(100, 300).filter(this::isKnown).count());
  }

  @Test
  void aChangeAndARemovalAreSeenThoughTheOldIsPacked() {
    keepPacked();
    makeFiles(100, 12, 7);
    apply(new PutAttributes(attributes(100, NodeKind.FILE, 8)));
    apply(new RemoveObject(new ObjectId(101), MAP.components()));
    assertEquals(8, known(100).orElseThrow().sizeBytes());
    assertTrue(known(101).isEmpty());
    settle(cache.plan());
    makeFiles(200, 8, 7);
    assertEquals(8, known(100).orElseThrow().sizeBytes());
    assertFalse(isKnown(101), "a removed one is not known from before");
  }

  @Test
  void staleLoadIsRefusedAfterTheChangeLeftThePackedPages() {
    keepPacked();
    Missing asked = cache.attributes(new ObjectId(100), List.of()).missing().get(0);
    makeFiles(100, 1, 2);
    makeFiles(200, 100, 0);
    assertFalse(isKnown(100), "evicted");
    int generation = ((MissingAttributes) asked).generation();
    Attributes old = attributes(100, NodeKind.FILE, 1);
    cache.loaded(List.of(new LoadedAttributes(old, Lsn.ZERO, generation)));
    assertFalse(isKnown(100));
  }

  @Test
  void aChangeDuringARoundIsForTheNextOne() {
    apply(new PutAttributes(attributes(100, NodeKind.FILE, 1)));
    FlushRound first = cache.plan();
    apply(new PutAttributes(attributes(100, NodeKind.FILE, 2)));
    FlushRound second = cache.plan();
    assertEquals(Lsn.of(1, 1), first.upTo());
    assertEquals(Lsn.of(1, 2), second.upTo());
    assertEquals(List.of(new ObjectId(100)), objects(second, Phase.ATTRIBUTES));
    settle(first);
    assertEquals(2, known(100).orElseThrow().sizeBytes());
    assertFalse(cache.hasUnplanned());
  }

  @Test
  void aLoadThatBeganBeforeAChangeCannotBringTheOldBack() {
    Missing asked = cache.attributes(new ObjectId(100), List.of()).missing().get(0);
    apply(new PutAttributes(attributes(100, NodeKind.FILE, 2)));
    settle(cache.plan());
    for (int object = 200; object < 210; object++) {
      apply(new PutAttributes(attributes(object, NodeKind.FILE, 0)));
    }
    settle(cache.plan());
    assertFalse(isKnown(100), "evicted");
    int generation = ((MissingAttributes) asked).generation();
    Attributes old = attributes(100, NodeKind.FILE, 1);
    cache.loaded(List.of(new LoadedAttributes(old, Lsn.ZERO, generation)));
    assertFalse(isKnown(100));
    Attributes current = attributes(100, NodeKind.FILE, 2);
    cache.loaded(List.of(new LoadedAttributes(current, Lsn.of(1, 1), generation)));
    assertEquals(Optional.of(current), known(100));
  }

  @Test
  void aRemovedObjectStaysRemovedWhateverOsdsStillHave() {
    apply(new PutAttributes(attributes(100, NodeKind.FILE, 1)));
    settle(cache.plan());
    Lsn removal = apply(new RemoveObject(new ObjectId(100), MAP.components()));
    assertEquals(Optional.empty(), known(100));
    assertEquals("it was removed", cache.lostReason(new ObjectId(100)));
    FlushRound round = cache.plan();
    assertEquals(List.of(), objects(round, Phase.ATTRIBUTES));
    FlushItem item = round.itemsOf(Phase.REMOVALS).get(0);
    assertEquals(new CopyWrite.RemoveCopy(new ObjectId(100), removal), item.writeFor(new OsdId(2)));
    settle(round);
    Attributes old = attributes(100, NodeKind.FILE, 1);
    cache.loaded(List.of(new LoadedAttributes(old, Lsn.of(1, 1), 0)));
    assertFalse(isKnown(100));
  }

  @Test
  void allDirtyBlocksOfADirectoryLeaveTogetherForEveryReplica() {
    makeRoot();
    for (int number = 0; number < 40; number++) {
      apply(entry("n" + number + "x".repeat(200), 500 + number));
    }
    FlushItem item = cache.plan().itemsOf(Phase.DIRECTORIES).get(0);
    assertEquals(3, item.targets().size());
    var blocks = ((CopyWrite.WriteBlocks) item.writeFor(new OsdId(1))).blocks();
    assertTrue(blocks.size() > 3, "a header and several buckets: " + blocks.keySet());
    for (OsdId osd : item.targets()) {
      assertEquals(blocks, ((CopyWrite.WriteBlocks) item.writeFor(osd)).blocks());
    }
  }

  @Test
  void roomEndsWithTooManyBlocksOfAllDirectoriesTogether() {
    cache.limits(new CacheLimits(4, 0, 2, 400, 20, 30, 1 << 20));
    makeRoot();
    int directories = 0;
    while (cache.hasRoom()) {
      ObjectId directory = new ObjectId(1_000 + directories++);
      apply(
          new CreateDirectory(directory, new HashKey(1, directories)),
          new PutAttributes(attributes(directory.value(), NodeKind.DIRECTORY, 0)));
      assertTrue(directories < 100);
    }
    assertTrue(cache.isPressed() && cache.isRoundFull());
    assertFalse(cache.directoriesHaveRoom());
    FlushRound round = cache.plan();
    assertFalse(cache.hasRoom(), "what is on its way takes memory, too");
    settle(round);
    assertTrue(cache.hasRoom());
    assertFalse(cache.isPressed());
    // Twice the same round: what an OSD has forgotten is planned again, and counted once.
    apply(
        new CreateDirectory(new ObjectId(5_000), new HashKey(1, 5)),
        new PutAttributes(attributes(5_000, NodeKind.DIRECTORY, 0)));
    FlushRound lost = cache.plan();
    cache.planAgain(lost);
    settle(cache.plan());
    apply(new RemoveObject(new ObjectId(1_000), MAP.components()));
    settle(cache.plan());
    assertFalse(cache.isPressed());
  }

  @Test
  void roundIsFullAtHalfTheRecordsOrAQuarterInObjects() {
    while (!cache.isRoundFull()) {
      apply(new PutAttributes(attributes(100, NodeKind.FILE, index)));
    }
    assertEquals(SMALL.unflushedRecords() / 2 + 1, index, "of one object");
    cache.plan();
    int objects = 0;
    while (!cache.isRoundFull()) {
      apply(new PutAttributes(attributes(1_000 + objects++, NodeKind.FILE, 0)));
    }
    assertEquals(SMALL.unflushedRecords() / 4 + 1, objects);
    cache.plan();
    for (int removed = 0; removed < objects; removed++) {
      assertFalse(cache.isRoundFull());
      apply(new RemoveObject(new ObjectId(1_000 + removed), MAP.components()));
    }
    assertTrue(cache.isRoundFull());
    assertTrue(cache.isPressed(), "more than three quarters of the records wait");
  }

  @Test
  void aLongJournalHurriesAndThenHoldsChangesBack() {
    cache.journalHolds(1 << 19);
    assertFalse(cache.isPressed());
    cache.journalHolds((1 << 19) + 1);
    assertTrue(cache.isPressed() && cache.isRoundFull() && !cache.isTailFull());
    cache.journalHolds((1 << 20) + 1);
    assertTrue(cache.isTailFull());
    cache.journalHolds(0);
    assertFalse(cache.isPressed() || cache.isTailFull());
  }

  @Test
  void checkpointFreesRoomTakenByRecordsAndBlocks() {
    makeRoot();
    while (cache.hasRoom()) {
      apply(new PutAttributes(attributes(100, NodeKind.FILE, index)));
    }
    assertEquals(SMALL.unflushedRecords(), index);
    settle(cache.plan());
    assertTrue(cache.hasRoom());
    // Sent, but not under a checkpoint: the blocks may have to leave in one frame once more.
    List<FlushRound> sent = new ArrayList<>();
    int names = 0;
    while (cache.hasRoom()) {
      for (int more = 0; more < 10; more++) {
        apply(entry(names++ + "x".repeat(250), 500));
      }
      FlushRound round = cache.plan();
      sent.add(round);
      assertTrue(names < 1_000);
    }
    assertTrue(names > SMALL.directoryChangedBlocks(), "names " + names);
    sent.forEach(this::settle);
    assertTrue(cache.hasRoom());
  }

  @Test
  void aRecordIsAppliedWholeOrNotAtAll() {
    makeRoot();
    apply(entry("a", 500), new PutAttributes(attributes(1, NodeKind.DIRECTORY, 0)));
    settle(cache.plan());
    for (int object = 200; object < 210; object++) {
      apply(new PutAttributes(attributes(object, NodeKind.FILE, 0)));
    }
    settle(cache.plan());
    assertFalse(isKnown(1));
    Lsn lsn = Lsn.of(1, ++index);
    JournalRecord record =
        new JournalRecord(
            lsn,
            List.of(
                new PutAttributes(attributes(300, NodeKind.FILE, 7)),
                new RemoveEntry(ObjectId.ROOT, "nowhere")));
    Loadable<Lsn> answer = cache.apply(record);
    assertFalse(answer.isReady());
    assertFalse(isKnown(300));
  }

  @Test
  void laggingCopiesAreNeitherReadNorFlushed() {
    apply(new LaggingAdded(new OsdId(2), ObjectId.ROOT, LaggingKind.REFRESH, Lsn.ZERO));
    makeRoot();
    for (FlushItem item : cache.plan().items()) {
      assertFalse(item.targets().contains(new OsdId(2)), item.phase().toString());
    }
    assertEquals(1, cache.laggingCopies());
    MetadataCache other = new MetadataCache(3, SMALL);
    other.restore(cache.laggingState());
    other.loaded(
        List.of(new LoadedAttributes(attributes(1, NodeKind.DIRECTORY, 0), Lsn.of(1, 1), 0)));
    MissingBlocks missing = (MissingBlocks) other.lookup(ObjectId.ROOT, "a").missing().get(0);
    assertEquals(List.of(new OsdId(1), new OsdId(3)), missing.replicas());
    apply(new LaggingCleared(new OsdId(2), ObjectId.ROOT));
    assertEquals(0, cache.laggingCopies());
  }

  @Test
  void redoSkipsObjectsRemovedLaterAndKnowsTheLaggingCopies() {
    List<JournalRecord> records = new ArrayList<>();
    ObjectId gone = new ObjectId(600);
    records.add(
        new JournalRecord(
            Lsn.of(1, 10), List.of(new PutAttributes(attributes(600, NodeKind.FILE, 1)))));
    records.add(
        new JournalRecord(Lsn.of(1, 11), List.of(new RemoveObject(gone, MAP.components()))));
    records.add(
        new JournalRecord(
            Lsn.of(1, 12),
            List.of(new LaggingAdded(new OsdId(3), gone, LaggingKind.REMOVE, Lsn.of(1, 11)))));
    List<LiveEffect> live =
        List.of(new LaggingAdded(new OsdId(1), ObjectId.ROOT, LaggingKind.REFRESH, Lsn.ZERO));
    TailReplay replay = new TailReplay(cache, new JournalContents(live, records, Lsn.of(1, 12)));
    assertEquals(2, cache.laggingCopies(), "from the beginning");
    assertEquals(Loadable.ready(true), replay.run());
    FlushRound round = cache.plan();
    assertEquals(Lsn.of(1, 12), round.upTo());
    assertEquals(List.of(), objects(round, Phase.ATTRIBUTES));
    FlushItem item = round.itemsOf(Phase.REMOVALS).get(0);
    assertEquals(2, item.targets().size(), "the third is lagging and will be removed there");
  }

  @Test
  void redoLoadsNoBlocksOfALaterRemovedDirectory() {
    ObjectId gone = new ObjectId(600);
    PutEntry entry =
        new PutEntry(
            gone,
            "a",
            new DirectoryEntry(new ObjectId(700), NodeKind.FILE, Lsn.of(1, 10), List.of()));
    List<JournalRecord> records =
        List.of(
            new JournalRecord(
                Lsn.of(1, 10),
                List.of(entry, new PutAttributes(attributes(600, NodeKind.DIRECTORY, 1)))),
            new JournalRecord(Lsn.of(1, 11), List.of(new RemoveEntry(gone, "a"))),
            new JournalRecord(Lsn.of(1, 12), List.of(new RemoveObject(gone, MAP.components()))));
    TailReplay replay =
        new TailReplay(cache, new JournalContents(List.of(), records, Lsn.of(1, 12)));
    assertEquals(Loadable.ready(true), replay.run());
    assertEquals(List.of(gone), objects(cache.plan(), Phase.REMOVALS));
  }

  private static List<OsdId> ids(int... osds) {
    return Arrays.stream(osds).mapToObj(OsdId::new).toList();
  }

  /** Redo of a tail that changes the root, which is there already. */
  private TailReplay replay() {
    List<JournalRecord> records =
        List.of(
            new JournalRecord(
                Lsn.of(1, 10), List.of(new PutAttributes(attributes(1, NodeKind.DIRECTORY, 0)))),
            new JournalRecord(Lsn.of(1, 11), List.of(entry("a", 500))));
    return new TailReplay(cache, new JournalContents(List.of(), records, Lsn.of(1, 11)));
  }

  /** The one thing that redo waits for. */
  private static MissingBlocks missing(TailReplay replay) {
    return (MissingBlocks) replay.run().missing().get(0);
  }

  /** What the comparison of copies of a root with another entry says. */
  private static LoadedBlocks compared(MissingBlocks missing, List<OsdId> heard) {
    List<OsdId> unheard = missing.replicas().stream().filter(osd -> !heard.contains(osd)).toList();
    return new LoadedBlocks(
        ObjectId.ROOT, Source.LOWEST, heard, unheard, header(), missing.generation());
  }

  private static SortedMap<Integer, byte[]> header() {
    MetadataCacheTest made = new MetadataCacheTest();
    made.makeRoot();
    made.apply(made.entry("b", 400));
    SortedMap<Integer, byte[]> blocks = made.cache.plan().directoryBlocks().get(ObjectId.ROOT);
    return new TreeMap<>(blocks.headMap(1));
  }

  @Test
  void redoSkipsCopiesLeftBehindDuringTheComparison() {
    TailReplay replay = replay();
    MissingBlocks first = missing(replay);
    assertEquals(ids(1, 2, 3), first.replicas());
    apply(new LaggingAdded(new OsdId(1), ObjectId.ROOT, LaggingKind.REFRESH, Lsn.ZERO));
    apply(new LaggingAdded(new OsdId(2), ObjectId.ROOT, LaggingKind.REFRESH, Lsn.ZERO));
    cache.loaded(List.of(compared(first, ids(2))));
    MissingBlocks second = missing(replay);
    assertEquals(ids(3), second.replicas(), "the one that the others were left behind for");
    assertEquals(Source.LOWEST, second.source());
    cache.loaded(List.of(compared(second, ids(3))));
    assertEquals(ids(3), missing(replay).replicas());
  }

  @Test
  void redoThatStartsOverComparesCopiesThatItDidNotHearBefore() {
    TailReplay replay = replay();
    cache.loaded(List.of(compared(missing(replay), ids(2))));
    while (missing(replay).source() == Source.ANY) {
      assertEquals(ids(2), missing(replay).replicas());
    }
    assertEquals(ids(1, 3), missing(replay).replicas());
    assertEquals(1, cache.laggingCopies());
  }

  @Test
  void redoDoesNotReturnToACopyWithoutReadableBlocks() {
    TailReplay replay = replay();
    MissingBlocks first = missing(replay);
    cache.loaded(
        List.of(
            new LoadedBlocks(
                ObjectId.ROOT, Source.LOWEST, ids(2), List.of(), header(), first.generation())));
    while (missing(replay).source() == Source.ANY) {
      assertEquals(ids(2), missing(replay).replicas());
    }
    MissingBlocks second = missing(replay);
    assertEquals(ids(1, 3), second.replicas(), "the second is behind them, and has rotted");
    cache.loaded(List.of(compared(second, ids(1, 3))));
    assertEquals(ids(1, 3), missing(replay).replicas());
    FlushItem flushed = cache.plan().itemsOf(Phase.ATTRIBUTES).get(0);
    assertEquals(ids(2), flushed.mustLag());
  }

  @Test
  void restartedRedoLeavesReportedLaggingCopies() {
    TailReplay replay = replay();
    cache.loaded(List.of(compared(missing(replay), ids(2))));
    FlushItem flushed = cache.plan().itemsOf(Phase.ATTRIBUTES).get(0);
    assertEquals(ids(2), List.copyOf(flushed.targets()));
    assertEquals(ids(1, 3), flushed.mustLag(), "they do not get these attributes");
    while (missing(replay).source() == Source.ANY) {
      assertEquals(ids(2), missing(replay).replicas());
    }
    assertEquals(ids(2), missing(replay).replicas());
    assertEquals(2, cache.laggingCopies());
  }

  @Test
  void sameBlocksAreNotPlannedTwice() {
    makeRoot();
    settle(cache.plan());
    apply(entry("a", 500));
    FlushRound round = cache.plan();
    assertFalse(cache.hasUnplanned());
    cache.planAgain(round);
    assertTrue(cache.hasUnplanned());
    assertEquals(
        new TreeMap<>(round.directoryBlocks()), new TreeMap<>(cache.plan().directoryBlocks()));
    assertFalse(cache.hasUnplanned());
  }
}
