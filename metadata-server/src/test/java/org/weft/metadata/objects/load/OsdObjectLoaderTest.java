package org.weft.metadata.objects.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.Directory;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.HashKey;
import org.weft.metadata.directory.MemoryBlocks;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.FlushStamp;
import org.weft.metadata.objects.Loaded;
import org.weft.metadata.objects.Loaded.LoadedAttributes;
import org.weft.metadata.objects.Loaded.LoadedBlocks;
import org.weft.metadata.objects.Loaded.LostAttributes;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.objects.Missing.MissingAttributes;
import org.weft.metadata.objects.Missing.MissingBlocks;
import org.weft.metadata.objects.Missing.Source;
import org.weft.metadata.objects.OsdPort.StoredAttributes;
import org.weft.metadata.objects.PortOsd;
import org.weft.metadata.objects.PortOsds;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.testkit.sim.VirtualTime;

/** P 6.7: hints, then all OSDs; P 6.3: replicas that lag or are broken are not believed. */
class OsdObjectLoaderTest {
  private static final ObjectId FILE = new ObjectId(70_000);
  private static final ObjectId DIRECTORY = new ObjectId(70_001);

  private final VirtualTime time = new VirtualTime(1);
  private final PortOsds osds = new PortOsds(time, new Random(1), 5);
  private final OsdObjectLoader loader =
      new OsdObjectLoader(osds.port(new boolean[] {true}), osds, time);

  private static List<OsdId> ids(int... numbers) {
    List<OsdId> ids = new ArrayList<>();
    for (int number : numbers) {
      ids.add(new OsdId(number));
    }
    return ids;
  }

  private void runFor(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private PortOsd osd(int number) {
    return osds.byId.get(new OsdId(number));
  }

  private void store(int number, long size, Lsn lsn) {
    Attributes attributes =
        Attributes.create(FILE, NodeKind.FILE, StorageMap.of(Layout.of(1, 1), ids(1, 2)))
            .sizeBytes(size)
            .build();
    PortOsd.Stored stored = new PortOsd.Stored();
    stored.attributes = new StoredAttributes(attributes, lsn);
    osd(number).objects.put(FILE, stored);
  }

  private Loaded load(Missing missing) {
    var loading = loader.load(List.of(missing)).toCompletableFuture();
    runFor(20_000);
    return loading.join().get(0);
  }

  private WeftException failure(Missing missing) {
    var loading = loader.load(List.of(missing)).toCompletableFuture();
    runFor(20_000);
    return WeftException.of(assertThrows(Exception.class, loading::join));
  }

  private static MissingAttributes attributes(List<OsdId> hints, List<OsdId> lagging) {
    return new MissingAttributes(FILE, hints, new TreeSet<>(lagging), 0);
  }

  @Test
  void attributesComeFromAHint() {
    store(2, 42, Lsn.of(1, 5));
    LoadedAttributes loaded = (LoadedAttributes) load(attributes(ids(1, 2), List.of()));
    assertEquals(42, loaded.attributes().sizeBytes());
    assertEquals(Lsn.of(1, 5), loaded.lsn());
  }

  @Test
  void staleHintsAreMendedByAskingEveryOsdForTheNewest() {
    store(4, 1, Lsn.of(1, 5));
    store(5, 2, Lsn.of(1, 6));
    LoadedAttributes loaded = (LoadedAttributes) load(attributes(ids(1, 2), List.of()));
    assertEquals(2, loaded.attributes().sizeBytes());
  }

  @Test
  void aLaggingCopyIsNotBelieved() {
    store(1, 1, Lsn.of(1, 5));
    store(3, 2, Lsn.of(1, 6));
    LoadedAttributes loaded = (LoadedAttributes) load(attributes(ids(1), ids(1)));
    assertEquals(2, loaded.attributes().sizeBytes());
  }

  @Test
  void attributesNoOsdHasAreLostAndSilentOsdsNamed() {
    osd(3).down = true;
    osd(4).running = false;
    LostAttributes lost = (LostAttributes) load(attributes(ids(1), List.of()));
    assertTrue(lost.reason().contains("OSDs [3, 4] did not reply"), lost.reason());
    assertEquals(new TreeSet<>(ids(3, 4)), lost.silent());
    lost = (LostAttributes) load(attributes(ids(1), ids(3)));
    assertEquals(new TreeSet<>(ids(4)), lost.silent(), "a copy that lags is not waited for");
    osd(3).down = false;
    osd(4).running = true;
    lost = (LostAttributes) load(attributes(ids(1), List.of()));
    assertTrue(lost.reason().endsWith("has attributes of object 70000"), lost.reason());
    assertEquals(new TreeSet<>(), lost.silent());
  }

  private void storeFile(int number, long object, long size) {
    PortOsd.Stored stored = new PortOsd.Stored();
    stored.attributes =
        new StoredAttributes(
            Attributes.create(
                    new ObjectId(object), NodeKind.FILE, StorageMap.of(Layout.of(1, 1), ids(1, 2)))
                .sizeBytes(size)
                .build(),
            Lsn.of(1, 5));
    osd(number).objects.put(new ObjectId(object), stored);
  }

  /** Those of as many files as wanted, from the first on, which OSDs 1 and 2 should have. */
  private List<Loaded> loadFiles(int count) {
    List<Missing> missing = new ArrayList<>();
    for (long object = 100; object < 100 + count; object++) {
      missing.add(new MissingAttributes(new ObjectId(object), ids(1, 2), new TreeSet<>(), 0));
    }
    var loading = loader.load(missing).toCompletableFuture();
    runFor(20_000);
    assertTrue(loading.isDone());
    return loading.join();
  }

  private static void assertLoaded(List<Loaded> loads) {
    for (int index = 0; index < loads.size(); index++) {
      LoadedAttributes loaded = (LoadedAttributes) loads.get(index);
      assertEquals(new ObjectId(100 + index), loaded.attributes().object());
      assertEquals(100 + index, loaded.attributes().sizeBytes());
    }
  }

  @Test
  void theAttributesOfManyFilesAreAskedForTogether() {
    for (int object = 100; object < 250; object++) {
      storeFile(1, object, object);
      storeFile(2, object, object);
    }
    assertLoaded(loadFiles(150));
    assertEquals(List.of(32, 32, 11, 32, 32, 11), osds.askedTogether, "of two OSDs");
    assertEquals(Map.of(), osds.askedAlone);
  }

  @Test
  void loadsAreBoundedTogetherAndAlone() {
    for (int object = 100; object < 1_100; object++) {
      storeFile(1, object, object);
      storeFile(2, object, object);
    }
    List<Missing> missing = new ArrayList<>();
    for (long object = 100; object < 1_100; object++) {
      missing.add(new MissingAttributes(new ObjectId(object), ids(1, 2), new TreeSet<>(), 0));
    }
    var loading = loader.load(missing).toCompletableFuture();
    assertEquals(Collections.nCopies(8, 32), osds.askedTogether, "256 objects");
    runFor(20_000);
    assertLoaded(loading.join());
    assertEquals(1_000, osds.askedTogether.stream().mapToInt(Integer::intValue).sum());
  }

  @Test
  void attributesAreLookedForOnOtherOsds() {
    for (int object = 100; object < 120; object++) {
      storeFile(object < 105 ? 4 : object < 110 ? 1 : 2, object, object);
    }
    assertLoaded(loadFiles(20));
    assertEquals(List.of(10, 10), osds.askedTogether);
    int afterHints = 5;
    assertEquals(afterHints, osds.askedAlone.get(new OsdId(4)));
    assertEquals(5 + afterHints, osds.askedAlone.get(new OsdId(1)));
    assertEquals(5 + 3 + afterHints, osds.askedAlone.get(new OsdId(2)));
  }

  @Test
  void objectMissingInAReplyIsAskedForAlone() {
    for (int object = 100; object < 120; object++) {
      storeFile(object % 2 + 1, object, object);
    }
    osds.mostTold = 4;
    assertLoaded(loadFiles(20));
    assertEquals(Map.of(new OsdId(1), 6, new OsdId(2), 6), osds.askedAlone);
  }

  @Test
  void osdThatGoesDownDuringALoadIsNotAskedAgain() {
    for (int object = 100; object < 120; object++) {
      storeFile(2, object, object);
    }
    osds.whenAskedTogether = () -> osd(1).down = true;
    assertLoaded(loadFiles(20));
    assertEquals(Map.of(new OsdId(2), 10), osds.askedAlone);
  }

  @Test
  void silentOsdDoesNotBlockAttributesOfManyObjects() {
    for (int object = 100; object < 120; object++) {
      storeFile(2, object, object);
    }
    osd(1).running = false;
    assertLoaded(loadFiles(20));
    assertTrue(osds.askedTogether.contains(10), "OSD 1 was asked for half of them");
  }

  /** A directory after so many records on an OSD. */
  private void storeDirectory(int number, int records) {
    PortOsd.Stored stored = new PortOsd.Stored();
    Directory directory = new Directory(new MemoryBlocks(DIRECTORY, stored.blocks));
    directory.create(new HashKey(1, 2), Lsn.of(1, 1));
    for (int index = 0; index < records; index++) {
      DirectoryEntry entry =
          new DirectoryEntry(FILE, NodeKind.FILE, Lsn.of(1, 2 + index), List.of());
      assertTrue(directory.put("n" + index, entry, Lsn.of(1, 2 + index)).value());
    }
    osd(number).objects.put(DIRECTORY, stored);
  }

  private static MissingBlocks blocks(Source source, List<OsdId> replicas, Integer... numbers) {
    return new MissingBlocks(DIRECTORY, replicas, List.of(numbers), source, 0);
  }

  @Test
  void aBrokenBlockIsReadFromTheNextReplica() {
    for (int number = 1; number <= 3; number++) {
      storeDirectory(number, 10);
    }
    byte[] good = osd(1).objects.get(DIRECTORY).blocks.get(1);
    for (int broken = 1; broken <= 2; broken++) {
      byte[] copy = good.clone();
      copy[100] ^= 1;
      osd(broken).objects.get(DIRECTORY).blocks.put(1, copy);
    }
    LoadedBlocks loaded = (LoadedBlocks) load(blocks(Source.ANY, ids(1, 2, 3), 0, 1));
    assertArrayEquals(good, loaded.blocks().get(1));
    assertEquals(ids(3), loaded.replicas());
  }

  @Test
  void blocksOfWhichEachReplicaHasLostOneComeFromBoth() {
    for (int number = 1; number <= 2; number++) {
      storeDirectory(number, 10);
    }
    byte[] header = osd(2).objects.get(DIRECTORY).blocks.get(0);
    byte[] block = osd(1).objects.get(DIRECTORY).blocks.get(1);
    for (int number = 1; number <= 2; number++) {
      byte[] broken = osd(number).objects.get(DIRECTORY).blocks.get(number - 1).clone();
      broken[100] ^= 1;
      osd(number).objects.get(DIRECTORY).blocks.put(number - 1, broken);
    }
    LoadedBlocks loaded = (LoadedBlocks) load(blocks(Source.ANY, ids(1, 2), 0, 1));
    assertArrayEquals(header, loaded.blocks().get(0));
    assertArrayEquals(block, loaded.blocks().get(1));
    assertEquals(new TreeSet<>(ids(1, 2)), new TreeSet<>(loaded.replicas()));
  }

  @Test
  void whenNoReplicaGivesTheBlocksTheFailureNamesEachOfThem() {
    storeDirectory(1, 10);
    osd(1).objects.get(DIRECTORY).blocks.put(1, new byte[DirectoryBlock.BYTES]);
    WeftException failure = failure(blocks(Source.ANY, ids(1, 2), 1));
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    assertTrue(failure.getMessage().contains("OSD 1, block 1"), failure.getMessage());
    assertTrue(failure.getMessage().contains("OSD 2 has no 70001"), failure.getMessage());
    osd(2).down = true;
    failure = failure(blocks(Source.ANY, ids(1, 2), 1));
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("OSDs [2] are down"), failure.getMessage());
  }

  /** P 5.8.97: the next start of its store may have it. */
  @Test
  void aCopyOnAFailedStoreIsWaitedForAndNotLost() {
    storeDirectory(1, 10);
    osd(1).failed = true;
    WeftException failure = failure(blocks(Source.ANY, ids(1, 2), 1));
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    osd(1).failed = false;
    assertEquals(ids(1), ((LoadedBlocks) load(blocks(Source.ANY, ids(1, 2), 1))).replicas());
  }

  /** P 5.8.98. */
  @Test
  void aComparisonDoesNotWaitForAFailedStore() {
    storeDirectory(1, 10);
    storeDirectory(2, 7);
    osd(2).failed = true;
    LoadedBlocks loaded = (LoadedBlocks) load(blocks(Source.LOWEST, ids(1, 2), 0));
    assertEquals(ids(1), loaded.replicas());
    assertEquals(ids(2), loaded.unheard());
  }

  @Test
  void redoBeginsWithTheReplicasThatAreFurthestBehind() {
    storeDirectory(1, 10);
    storeDirectory(2, 7);
    storeDirectory(3, 7);
    LoadedBlocks loaded = (LoadedBlocks) load(blocks(Source.LOWEST, ids(1, 2, 3), 0));
    assertEquals(ids(2, 3), loaded.replicas());
    assertEquals(Lsn.of(1, 8), DirectoryBlock.lsnOf(loaded.blocks().get(0)));
    assertEquals(List.of(), loaded.unheard());
  }

  @Test
  void aReplicaThatDoesNotAnswerIsWaitedForThenLeftBehind() {
    storeDirectory(1, 10);
    storeDirectory(2, 7);
    osd(2).running = false;
    MissingBlocks missing = blocks(Source.LOWEST, ids(1, 2), 0);
    assertEquals(ErrorCode.UNAVAILABLE, failure(missing).code());
    LoadedBlocks loaded = (LoadedBlocks) load(missing);
    assertEquals(ids(1), loaded.replicas());
    assertEquals(ids(2), loaded.unheard());
  }

  @Test
  void aReplicaThatWasComparedCannotGoBackBehindWhatItShowed() {
    storeDirectory(1, 10);
    osds.autoCheckpoint = false;
    List<CopyWrite> removal = List.of(new CopyWrite.RemoveCopy(FILE, Lsn.of(1, 1)));
    assertEquals(1, osd(1).apply(removal, 1, new FlushStamp(1, Lsn.ZERO)).size());
    assertEquals(ids(1), ((LoadedBlocks) load(blocks(Source.LOWEST, ids(1), 0))).replicas());
    osd(1).losePower();
    osd(1).running = true;
    assertTrue(osd(1).objects.containsKey(DIRECTORY));
  }

  @Test
  void concurrentLoadsAreBounded() {
    for (int number = 1; number <= 2; number++) {
      store(number, 42, Lsn.of(1, 5));
    }
    List<Missing> missing = new ArrayList<>();
    for (int index = 0; index < 1_000; index++) {
      missing.add(attributes(ids(1, 2), List.of()));
    }
    var loading = loader.load(missing).toCompletableFuture();
    runFor(5);
    assertTrue(!loading.isDone());
    runFor(1_000);
    assertEquals(1_000, loading.join().size());
  }
}
