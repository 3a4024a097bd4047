package org.weft.metadata.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.SegmentFile;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

class FileJournalTest {
  private static final JournalOptions SMALL =
      new JournalOptions(16 << 10, 8 << 10, 2 * JournalLog.MAX_RECORD_BYTES, 64);

  private final StepScheduler scheduler = new StepScheduler();
  private final Random random = new Random(11);
  private PowerLossDirectory directory = new PowerLossDirectory();

  private FileJournal open() throws IOException {
    return FileJournal.open(directory, Samples.IDENTITY, scheduler, random, SMALL);
  }

  private CompletableFuture<Void> append(JournalLog log, Lsn lsn) {
    return log.append(Samples.record(lsn, random)).toCompletableFuture();
  }

  private List<JournalRecord> appendMany(JournalLog log, long epoch, int from, int to) {
    List<JournalRecord> records = new ArrayList<>();
    for (int index = from; index < to; index++) {
      JournalRecord record = Samples.record(Lsn.of(epoch, index), random);
      records.add(record);
      var unused = log.append(record);
      scheduler.runAll();
    }
    return records;
  }

  private static WeftException refusal(CompletableFuture<Void> failed) {
    assertTrue(failed.isCompletedExceptionally());
    return WeftException.of(assertThrows(Exception.class, failed::join));
  }

  @Test
  void aNewJournalIsEmpty() throws IOException {
    assertTrue(open().contents().isEmpty());
    assertEquals(List.of(), directory.list(), "nothing is made before the first record");
  }

  @Test
  void recordsComeBackAsTheyWere() throws IOException {
    FileJournal log = open();
    List<JournalRecord> records = appendMany(log, 1, 0, 100);
    log.close();
    JournalContents contents = open().contents();
    assertEquals(records, contents.records());
    assertEquals(Lsn.of(1, 99), contents.lastLsn());
    assertTrue(directory.list().size() > 1, "the journal went over several files");
  }

  private String newest() throws IOException {
    return directory.list().stream().sorted().reduce((one, other) -> other).orElseThrow();
  }

  /** A crash before the first record of a new file is durable leaves such a file. */
  private void emptyNewestFile(boolean withHeader) throws IOException {
    FileJournal log = open();
    var unused = appendMany(log, 1, 0, 100);
    log.close();
    long keep = withHeader ? SegmentHeader.BYTES : 0;
    try (SegmentFile file = directory.open(newest())) {
      file.resize(keep);
    }
  }

  private WeftException refusedOpening() {
    return assertThrows(WeftException.class, this::open);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEmptyNewestFileBehindAWholeOneIsDeleted(boolean withHeader) throws IOException {
    emptyNewestFile(withHeader);
    String empty = newest();
    Lsn last = open().contents().lastLsn();
    assertEquals(JournalOpening.nameOf(last.next()), empty);
    assertFalse(directory.list().contains(empty));
  }

  /** It is the only one that tells that records are gone. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEmptyNewestFileBehindAGapIsKeptAndNamed(boolean withHeader) throws IOException {
    emptyNewestFile(withHeader);
    String empty = newest();
    List<String> names = directory.list().stream().sorted().toList();
    directory.delete(names.get(names.size() - 2));
    WeftException refused = refusedOpening();
    assertEquals(ErrorCode.BAD_CHECKSUM, refused.code());
    assertTrue(refused.getMessage().contains("is missing"), refused.getMessage());
    assertTrue(directory.list().contains(empty));
  }

  /** Else the cut would be taken for the torn tail of the newest file. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void emptyNewestFileBehindATruncatedFileIsReportedAsDamage(boolean withHeader)
      throws IOException {
    emptyNewestFile(withHeader);
    String empty = newest();
    List<String> names = directory.list().stream().sorted().toList();
    try (SegmentFile file = directory.open(names.get(names.size() - 2))) {
      file.resize(file.sizeBytes() - 64);
    }
    assertEquals(ErrorCode.BAD_CHECKSUM, refusedOpening().code());
    assertTrue(directory.list().contains(empty));
  }

  @Test
  void anEmptyNewestFileOfAnotherNameIsKeptAndNamed() throws IOException {
    emptyNewestFile(true);
    String empty = newest();
    String other = JournalOpening.nameOf(Lsn.of(2, 5));
    directory.rename(empty, other);
    WeftException refused = refusedOpening();
    assertTrue(refused.getMessage().contains("its header is that of " + empty));
    assertTrue(directory.list().contains(other));
  }

  /** Nothing else would bring to the disk what the kernel still shows. */
  @Test
  void recordsFoundAfterAFailedSyncSurviveAPowerLoss() throws IOException {
    StorageFaults faults = new StorageFaults();
    MemorySegmentDirectory disk = new MemorySegmentDirectory(faults);
    FileJournal log = FileJournal.open(disk, Samples.IDENTITY, scheduler, random, SMALL);
    appendMany(log, 1, 0, 3);
    faults.failWhere(next -> next.kind() == StorageFaults.Kind.FILE_SYNC, "input/output error");
    List<CompletableFuture<Void>> refused = new ArrayList<>();
    for (int index = 3; index < 33; index++) {
      refused.add(append(log, Lsn.of(1, index)));
    }
    scheduler.runAll();
    refused.forEach(each -> assertEquals(ErrorCode.INTERNAL, refusal(each).code()));

    disk = disk.afterProcessDeath(new StorageFaults());
    log = FileJournal.open(disk, Samples.IDENTITY, scheduler, random, SMALL);
    List<JournalRecord> records = new ArrayList<>(log.contents().records());
    assertTrue(records.size() > 10, "much of what was refused is there by chance");
    records.addAll(appendMany(log, 2, 0, 3));

    for (int boot = 0; boot < 20; boot++) {
      MemorySegmentDirectory booted = disk.afterPowerLoss(new StorageFaults(), new Random(boot));
      assertEquals(
          records,
          FileJournal.open(booted, Samples.IDENTITY, scheduler, random, SMALL)
              .contents()
              .records());
    }
  }

  @Test
  void queuedEntriesShareOneSync() throws IOException {
    FileJournal log = open();
    var first = append(log, Lsn.of(1, 1));
    scheduler.runAll();
    int before = directory.syncs();
    List<CompletableFuture<Void>> appended = new ArrayList<>();
    for (int index = 2; index < 12; index++) {
      appended.add(append(log, Lsn.of(1, index)));
    }
    assertFalse(appended.get(0).isDone());
    scheduler.runAll();
    appended.forEach(CompletableFuture::join);
    assertTrue(first.isDone());
    assertEquals(1, directory.syncs() - before);
  }

  @Test
  void entriesThatComeTogetherAreSyncedOnceThoughTheWriterIsIdle() throws IOException {
    FileJournal log = open();
    append(log, Lsn.of(1, 1));
    scheduler.runAtOnce();
    int before = directory.syncs();
    List<JournalRecord> records = new ArrayList<>();
    for (int index = 2; index < 12; index++) {
      records.add(Samples.record(Lsn.of(1, index), random));
    }
    var appended = log.append(records.stream().map(JournalEntry::of).toList());
    assertTrue(appended.toCompletableFuture().isDone());
    assertEquals(1, directory.syncs() - before);
    log.close();
    assertEquals(11, open().contents().records().size());
  }

  @Test
  void entriesBeforeARefusedOneAreAppended() throws IOException {
    FileJournal log = open();
    while (log.hasRoom()) {
      append(log, log.lastAppended().next());
    }
    List<JournalEntry> many = new ArrayList<>();
    Lsn next = log.lastAppended();
    for (int entry = 0; entry < SMALL.queueRecords(); entry++) {
      next = next.next();
      many.add(JournalEntry.of(Samples.record(next, random)));
    }
    assertEquals(ErrorCode.OVERLOADED, refusal(log.append(many).toCompletableFuture()).code());
    log.close();
    assertEquals(SMALL.queueRecords(), open().contents().records().size());
  }

  @Test
  void lsnsMustAscend() throws IOException {
    FileJournal log = open();
    append(log, Lsn.of(1, 5));
    assertThrows(IllegalArgumentException.class, () -> append(log, Lsn.of(1, 5)));
    assertThrows(IllegalArgumentException.class, () -> append(log, Lsn.of(1, 4)));
    append(log, Lsn.of(2, 0));
    log.close();
    FileJournal again = open();
    assertThrows(IllegalArgumentException.class, () -> append(again, Lsn.of(1, 9)));
  }

  @Test
  void fullQueueRefusesAndCompletesAcceptedAppends() throws IOException {
    FileJournal log = open();
    List<CompletableFuture<Void>> appended = new ArrayList<>();
    int index = 0;
    while (log.hasRoom()) {
      appended.add(append(log, Lsn.of(1, ++index)));
    }
    assertTrue(index > SMALL.queueRecords() / 2);
    while (index < SMALL.queueRecords()) {
      appended.add(append(log, Lsn.of(1, ++index)));
    }
    assertEquals(ErrorCode.OVERLOADED, refusal(append(log, Lsn.of(1, index + 1))).code());
    scheduler.runAll();
    appended.forEach(CompletableFuture::join);
    assertTrue(log.hasRoom());
    append(log, Lsn.of(1, index + 1));
    log.close();
    assertEquals(index + 1, open().contents().records().size());
  }

  @Test
  void theFirstFailureIsFinal() throws IOException {
    FileJournal log = open();
    append(log, Lsn.of(1, 1));
    scheduler.runAll();
    directory.diskFull(true);
    var failed = append(log, Lsn.of(1, 2));
    scheduler.runAll();
    assertTrue(refusal(failed).getMessage().contains("No space left"), refusal(failed).toString());
    directory.diskFull(false);
    assertEquals(ErrorCode.INTERNAL, refusal(append(log, Lsn.of(1, 3))).code());
    assertEquals(1, open().contents().records().size());
  }

  @Test
  void errorInTheWriterTaskFailsAllAppends() throws IOException {
    FileJournal log = open();
    append(log, Lsn.of(1, 1));
    scheduler.runAll();
    directory.throwAtTheNextWrite(new StackOverflowError());
    var failed = append(log, Lsn.of(1, 2));
    scheduler.runAll();
    String why = refusal(failed).getMessage();
    assertTrue(why.contains("StackOverflowError"), why);
    assertEquals(ErrorCode.INTERNAL, refusal(append(log, Lsn.of(1, 3))).code());
    assertTrue(log.hasRoom());
    log.close();
    assertEquals(1, open().contents().records().size());
  }

  /** Effects of such a journal had ranges in two arrays, which this release does not read. */
  @Test
  void aJournalOfTheFormatBeforeIsRefusedWithWhatToDo() throws IOException {
    FileJournal log = open();
    append(log, Lsn.of(1, 1));
    log.close();
    ByteBuffer header = ByteBuffer.allocate(76);
    try (SegmentFile file = directory.open(newest())) {
      file.read(header, 0);
      header.putInt(8, 1);
      CRC32C crc = new CRC32C();
      crc.update(header.slice(0, 72));
      header.putInt(72, (int) crc.getValue());
      file.write(new ByteBuffer[] {header.clear()}, 0);
      file.sync();
    }
    List<String> files = directory.list();
    WeftException refused = refusedOpening();
    assertEquals(ErrorCode.VERSION_MISMATCH, refused.code());
    assertTrue(
        refused
            .getMessage()
            .contains(
                "it has format version 1, this release reads 2; start the release that wrote it"),
        refused.getMessage());
    assertEquals(files, directory.list(), "nothing is touched");
  }

  @Test
  void filesOfAnotherVolumeOrClusterAreRefusedWithBothNames() throws IOException {
    FileJournal log = open();
    append(log, Lsn.of(1, 1));
    log.close();
    JournalIdentity other =
        new JournalIdentity(new PartitionId(8), new ClusterId("ffffffffffffffffffffffffffffffff"));
    WeftException refused =
        assertThrows(
            WeftException.class,
            () -> FileJournal.open(directory, other, scheduler, random, SMALL));
    assertEquals(ErrorCode.WRONG_CLUSTER, refused.code());
    assertTrue(refused.getMessage().contains("volume 7 of cluster 0011"), refused.getMessage());
    assertTrue(refused.getMessage().contains("volume 8 of cluster ffff"), refused.getMessage());
  }

  @Test
  void droppedFilesGoOnceASnapshotHoldsTheLiveState() throws IOException {
    FileJournal log = open();
    appendMany(log, 1, 0, 100);
    int files = directory.list().size();
    assertTrue(files > 2);
    log.dropBelow(Lsn.of(1, 100));
    scheduler.runAll();
    assertEquals(files, directory.list().size(), "live state is in these files alone");
    assertTrue(log.snapshotWanted());

    List<LiveEffect> state = List.of(new LiveEffect.Counter(LiveEffect.CounterKind.OBJECT, 4711));
    var written = log.writeSnapshot(state).toCompletableFuture();
    assertFalse(log.snapshotWanted(), "one is under way");
    scheduler.runAll();
    written.join();
    assertFalse(log.snapshotWanted());
    assertEquals(1, directory.list().size(), directory.list().toString());

    List<JournalRecord> later = appendMany(log, 1, 100, 103);
    log.close();
    JournalContents contents = open().contents();
    assertEquals(state, contents.liveState());
    List<JournalRecord> read = contents.records();
    assertEquals(later, read.subList(read.size() - 3, read.size()));
    for (JournalRecord covered : read.subList(0, read.size() - 3)) {
      assertTrue(
          covered.effects().stream().allMatch(effect -> effect instanceof ObjectEffect),
          "live effects that a snapshot covers are not replayed");
    }
  }

  @Test
  void checkpointedRecordsAreNotRedoneThoughTheirFileRemains() throws IOException {
    FileJournal log = open();
    List<JournalRecord> records = appendMany(log, 1, 0, 12);
    log.dropBelow(Lsn.of(1, 5));
    log.dropBelow(Lsn.of(1, 7));
    scheduler.runAll();
    log.close();
    List<JournalRecord> read = open().contents().records();
    assertEquals(records.subList(7, 12), read.subList(read.size() - 5, read.size()));
    for (JournalRecord record : read.subList(0, read.size() - 5)) {
      assertTrue(
          record.effects().stream().allMatch(effect -> effect instanceof LiveEffect),
          "live effects are in no snapshot yet");
    }
  }

  @Test
  void filesWithRecordsThatAreNotDroppedStay() throws IOException {
    FileJournal log = open();
    List<JournalRecord> records = appendMany(log, 1, 0, 100);
    var written = log.writeSnapshot(List.of());
    log.dropBelow(Lsn.of(1, 50));
    scheduler.runAll();
    written.toCompletableFuture().join();
    log.close();
    List<Lsn> kept = open().contents().records().stream().map(JournalRecord::lsn).toList();
    List<Lsn> needed =
        records.subList(50, 100).stream()
            .filter(r -> r.effects().stream().anyMatch(e -> e instanceof ObjectEffect))
            .map(JournalRecord::lsn)
            .toList();
    assertTrue(kept.containsAll(needed));
    assertTrue(kept.size() < needed.size() + 50, "some files went");
  }

  @Test
  void aSnapshotLargerThanAFileIsWhole() throws IOException {
    FileJournal log = open();
    appendMany(log, 1, 0, 10);
    List<LiveEffect> state = new ArrayList<>();
    for (int index = 0; index < 30_000; index++) {
      state.add(new LiveEffect.Counter(LiveEffect.CounterKind.SESSION, 1L << 40 | index));
    }
    log.writeSnapshot(state);
    scheduler.runAll();
    appendMany(log, 1, 10, 20);
    log.close();
    JournalContents contents = open().contents();
    assertEquals(state, contents.liveState());
    assertEquals(Lsn.of(1, 19), contents.lastLsn());
  }

  @Test
  void snapshotRightAfterEachStartKeepsFileNamesUnique() throws IOException {
    FileJournal log = open();
    appendMany(log, 1, 0, 3);
    log.close();
    for (int start = 0; start < 4; start++) {
      FileJournal again = open();
      List<LiveEffect> state =
          List.of(new LiveEffect.Counter(LiveEffect.CounterKind.SESSION, start));
      again.writeSnapshot(state);
      again.close();
      assertEquals(state, open().contents().liveState());
      assertEquals(Lsn.of(1, 2), open().contents().lastLsn());
    }
  }

  @Test
  void sizeCountsFilesAndRecords() throws IOException {
    FileJournal log = open();
    assertEquals(new JournalSize(0, 0), log.size());
    appendMany(log, 1, 0, 10);
    assertEquals(10, log.size().records());
    log.close();
    FileJournal again = open();
    assertEquals(10, again.size().records());
    long bytes = 0;
    for (String name : directory.list()) {
      bytes += directory.bytesOf(name).length;
    }
    assertEquals(bytes, again.size().bytes());
  }
}
