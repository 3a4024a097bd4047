package org.weft.metadata.objects.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryBlock;
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
import org.weft.metadata.objects.Loadable;
import org.weft.metadata.objects.Loaded;
import org.weft.metadata.objects.Loaded.LoadedBlocks;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.objects.Missing.MissingAttributes;
import org.weft.metadata.objects.Missing.MissingBlocks;
import org.weft.metadata.objects.Missing.Source;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** What redo asks for, of directories that are on the OSDs already. */
class TailReplayTest {
  private static final int DIRECTORIES = 40;
  private static final int FIRST = 100;
  private static final StorageMap MAP =
      StorageMap.of(Layout.of(1, 2), List.of(new OsdId(1), new OsdId(2), new OsdId(3)));

  private final SortedMap<ObjectId, SortedMap<Integer, byte[]>> stored = stored();
  private int loads;

  private static ObjectId directory(int number) {
    return new ObjectId(FIRST + number);
  }

  private static PutAttributes attributes(ObjectId directory) {
    return new PutAttributes(Attributes.create(directory, NodeKind.DIRECTORY, MAP).build());
  }

  private static PutEntry entry(ObjectId directory, String name, Lsn lsn) {
    return new PutEntry(
        directory, name, new DirectoryEntry(new ObjectId(70_000), NodeKind.FILE, lsn, List.of()));
  }

  /** As an earlier manager has flushed them. */
  private static SortedMap<ObjectId, SortedMap<Integer, byte[]>> stored() {
    MetadataCache made = new MetadataCache(3, CacheLimits.DEFAULT);
    for (int number = 0; number < DIRECTORIES; number++) {
      ObjectId directory = directory(number);
      Lsn lsn = Lsn.of(1, number + 1);
      JournalRecord record =
          new JournalRecord(
              lsn,
              List.of(
                  new CreateDirectory(directory, new HashKey(1, number)),
                  attributes(directory),
                  entry(directory, "before", lsn)));
      assertTrue(made.apply(record).isReady());
    }
    return made.plan().directoryBlocks();
  }

  /** A new name in each directory. */
  private static JournalContents tail(boolean withAttributes) {
    List<JournalRecord> records = new ArrayList<>();
    for (int number = 0; number < DIRECTORIES; number++) {
      ObjectId directory = directory(number);
      Lsn lsn = Lsn.of(2, number + 1);
      PutEntry name = entry(directory, "new", lsn);
      records.add(
          new JournalRecord(
              lsn, withAttributes ? List.of(name, attributes(directory)) : List.of(name)));
    }
    return new JournalContents(List.of(), records, Lsn.of(2, DIRECTORIES));
  }

  private Loaded loaded(Missing missing) {
    MissingBlocks wanted = (MissingBlocks) missing;
    SortedMap<Integer, byte[]> blocks = new TreeMap<>();
    if (wanted.source() == Source.LOWEST) {
      blocks.put(DirectoryBlock.HEADER, stored.get(wanted.object()).get(DirectoryBlock.HEADER));
    } else {
      wanted
          .blocks()
          .forEach(number -> blocks.put(number, stored.get(wanted.object()).get(number)));
    }
    return new LoadedBlocks(
        wanted.object(),
        wanted.source(),
        wanted.replicas(),
        List.of(),
        blocks,
        wanted.generation());
  }

  private void redo(MetadataCache cache, TailReplay replay) {
    Loadable<Boolean> answer = replay.run();
    while (!answer.isReady()) {
      loads++;
      cache.loaded(answer.missing().stream().map(this::loaded).toList());
      answer = replay.run();
    }
    assertTrue(answer.value());
  }

  private static void assertWhole(MetadataCache cache) {
    for (int number = 0; number < DIRECTORIES; number++) {
      for (String name : List.of("before", "new")) {
        Loadable<?> found = cache.lookup(directory(number), name);
        assertTrue(found.isReady() && found.toString().contains("70000"), found.toString());
      }
    }
  }

  @Test
  void manyDirectoriesAreAskedForTogether() {
    MetadataCache cache = new MetadataCache(3, CacheLimits.DEFAULT);
    TailReplay replay = new TailReplay(cache, tail(true));
    assertEquals(DIRECTORIES, replay.run().missing().size());
    redo(cache, replay);
    assertWhole(cache);
  }

  @Test
  void aTailOfManyDirectoriesTakesFewLoads() {
    MetadataCache cache = new MetadataCache(3, CacheLimits.DEFAULT);
    redo(cache, new TailReplay(cache, tail(true)));
    assertWhole(cache);
    assertEquals(2, loads, "their headers, and then their names");
  }

  @Test
  void directoriesWithoutEarlierRecordsAreLoadedTogether() {
    MetadataCache cache = new MetadataCache(3, CacheLimits.DEFAULT);
    List<Missing> missing = new TailReplay(cache, tail(false)).run().missing();
    assertEquals(DIRECTORIES, missing.size());
    assertTrue(missing.stream().allMatch(MissingAttributes.class::isInstance), missing.toString());
  }

  @Test
  void directoriesThatTheTailMakesAreNotAskedFor() {
    List<JournalRecord> records = new ArrayList<>();
    long index = 0;
    for (JournalRecord record : tail(true).records()) {
      ObjectId made = new ObjectId(5_000 + index);
      records.add(new JournalRecord(Lsn.of(2, ++index), record.effects()));
      Lsn lsn = Lsn.of(2, ++index);
      records.add(
          new JournalRecord(
              lsn, List.of(new CreateDirectory(made, new HashKey(2, index)), attributes(made))));
      lsn = Lsn.of(2, ++index);
      records.add(new JournalRecord(lsn, List.of(entry(made, "inside", lsn), attributes(made))));
    }
    MetadataCache cache = new MetadataCache(3, CacheLimits.DEFAULT);
    redo(cache, new TailReplay(cache, new JournalContents(List.of(), records, Lsn.of(2, index))));
    assertWhole(cache);
    assertEquals(2, loads);
    assertTrue(cache.lookup(new ObjectId(5_000), "inside").value().isPresent());
  }

  @Test
  void failedLoadDoesNotBlockOthers() {
    MetadataCache cache = new MetadataCache(3, CacheLimits.DEFAULT);
    TailReplay replay = new TailReplay(cache, tail(true));
    assertEquals(DIRECTORIES, replay.run().missing().size());
    // One of them could not be loaded, and with it none was.
    for (int attempt = 0; attempt < 3; attempt++) {
      List<Missing> alone = replay.run().missing();
      assertEquals(List.of(directory(0)), alone.stream().map(Missing::object).toList());
    }
    redo(cache, replay);
    assertWhole(cache);
    assertEquals(2 * DIRECTORIES, loads, "each alone");
  }

  @Test
  void aSmallCacheIsNotAskedToHoldMoreThanItCan() {
    MetadataCache cache =
        new MetadataCache(3, new CacheLimits(100, 0, 20, 400, 400, 1_000, 1 << 20));
    TailReplay replay = new TailReplay(cache, tail(true));
    assertEquals(5, replay.run().missing().size());
    redo(cache, replay);
    assertWhole(cache);
  }

  /**
   * Its names are in no round until redo has caught up with it. A round that is planned meanwhile
   * must not let go of the records that hold them (P 6.3).
   */
  @Test
  void aRoundBesideADirectoryThatStartsOverIsNotWhole() {
    ObjectId big = directory(0);
    MetadataCache made = new MetadataCache(3, CacheLimits.DEFAULT);
    List<Effect> names = new ArrayList<>();
    names.add(new CreateDirectory(big, new HashKey(1, 0)));
    names.add(attributes(big));
    for (int name = 0; name < 400; name++) {
      names.add(entry(big, "before-" + name, Lsn.of(1, 1)));
    }
    assertTrue(made.apply(new JournalRecord(Lsn.of(1, 1), names)).isReady());
    stored.put(big, made.plan().directoryBlocks().get(big));
    List<JournalRecord> records = new ArrayList<>();
    for (int number = 1; number <= 60; number++) {
      Lsn lsn = Lsn.of(2, number);
      records.add(
          new JournalRecord(lsn, List.of(entry(big, "new-" + number, lsn), attributes(big))));
    }
    MetadataCache cache = new MetadataCache(3, CacheLimits.DEFAULT);
    TailReplay replay =
        new TailReplay(cache, new JournalContents(List.of(), records, Lsn.of(2, 60)));

    // Of one block alone its replicas answer: when another is needed it starts over.
    Integer given = null;
    Loadable<Boolean> answer = replay.run();
    boolean redone = false;
    while (!answer.isReady() && !(redone && isForLowestHeader(answer))) {
      for (Missing each : answer.missing()) {
        boolean isHeader = ((MissingBlocks) each).source() == Source.LOWEST;
        SortedSet<Integer> blocks = new TreeSet<>(((MissingBlocks) each).blocks());
        if (!isHeader && given == null && blocks.size() == 1) {
          given = blocks.first();
        }
        boolean isGiven = !isHeader && given != null && blocks.equals(new TreeSet<>(Set.of(given)));
        if (isHeader || isGiven) {
          redone |= isGiven;
          cache.loaded(List.of(loaded(each)));
        }
      }
      answer = replay.run();
    }
    assertTrue(isForLowestHeader(answer), "it has not started over");
    assertFalse(cache.plan().whole());
    redo(cache, replay);
    assertTrue(cache.plan().whole());
  }

  /**
   * Two of three copies are on lost OSDs, and a drain has moved the third since. So the map of the
   * first record names only copies that are out of date, or gone.
   */
  @Test
  void movedDirectoryIsReadAtItsFinalPlace() {
    MetadataCache cache = new MetadataCache(3, CacheLimits.DEFAULT);
    TailReplay replay = new TailReplay(cache, tailOfAMove(List.of(1, 2)));
    MissingBlocks wanted = (MissingBlocks) replay.run().missing().get(0);
    assertEquals(List.of(new OsdId(4)), wanted.replicas());
    redo(cache, replay);
    assertTrue(cache.lookup(directory(0), "before").value().isPresent());
    assertTrue(cache.lookup(directory(0), "new").value().isPresent());
  }

  /** The copy that moved may lack records that the others have: redo must start with the lowest. */
  @Test
  void theHeirOfADirectorysCopyIsComparedWithTheOthers() {
    MetadataCache cache = new MetadataCache(3, CacheLimits.DEFAULT);
    TailReplay replay = new TailReplay(cache, tailOfAMove(List.of()));
    MissingBlocks wanted = (MissingBlocks) replay.run().missing().get(0);
    assertEquals(Source.LOWEST, wanted.source());
    assertEquals(osds(1, 2, 4), new TreeSet<>(wanted.replicas()));
  }

  /** A round beside redo gives the copy that is gone nothing: it would be there again. */
  @Test
  void redoFlushesADirectoryToWhereItIsInTheEnd() {
    MetadataCache cache =
        new MetadataCache(3, new CacheLimits(100, 0, 100, 400, 1, 1_000, 1 << 20));
    TailReplay replay = new TailReplay(cache, tailOfAMove(List.of()));
    Loadable<Boolean> answer = replay.run();
    while (!answer.isReady()) {
      cache.loaded(answer.missing().stream().map(this::loaded).toList());
      answer = replay.run();
    }
    assertFalse(answer.value(), "the record of the move has been applied already");
    for (FlushItem item : cache.plan().items()) {
      assertEquals(osds(1, 2, 4), new TreeSet<>(item.targets()), item.toString());
    }
  }

  private static SortedSet<OsdId> osds(int... ids) {
    SortedSet<OsdId> osds = new TreeSet<>();
    for (int id : ids) {
      osds.add(new OsdId(id));
    }
    return osds;
  }

  /** A name, and then the move of the copy on OSD 3, which is gone from there, to OSD 4. */
  private static JournalContents tailOfAMove(List<Integer> leftBehind) {
    ObjectId moved = directory(0);
    List<LiveEffect> lags = new ArrayList<>();
    for (int osd : leftBehind) {
      lags.add(new LaggingAdded(new OsdId(osd), moved, LaggingKind.REFRESH, Lsn.ZERO));
    }
    StorageMap after =
        new StorageMap(
            MAP.layout(),
            List.of(new OsdId(1), new OsdId(2), new OsdId(4)),
            MAP.generation() + 2,
            new TreeSet<>(),
            List.of());
    Lsn named = Lsn.of(2, 1);
    Lsn move = Lsn.of(2, 2);
    List<JournalRecord> records =
        List.of(
            new JournalRecord(named, List.of(entry(moved, "new", named), attributes(moved))),
            new JournalRecord(
                move,
                List.of(
                    new LaggingAdded(new OsdId(3), moved, LaggingKind.REMOVE, move),
                    new PutAttributes(
                        Attributes.create(moved, NodeKind.DIRECTORY, after).build()))),
            new JournalRecord(Lsn.of(2, 3), List.of(new LaggingCleared(new OsdId(3), moved))));
    return new JournalContents(lags, records, Lsn.of(2, 3));
  }

  private static boolean isForLowestHeader(Loadable<Boolean> answer) {
    return !answer.isReady()
        && answer.missing().stream()
            .anyMatch(each -> each instanceof MissingBlocks one && one.source() == Source.LOWEST);
  }
}
