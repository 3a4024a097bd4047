package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.write;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreIdentity;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.testkit.storage.StorageFaults;

/** The identity of a store, and what it refuses to open (P 5.8, 5.9). */
class OpeningTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");

  private static WeftException refusal(Rig rig) {
    return assertThrows(WeftException.class, rig::open);
  }

  @Test
  void identityIsDrawnOnceAndTheIncarnationGrows() throws Exception {
    Rig rig = Rig.small();
    StoreIdentity first = rig.store.identity();
    assertTrue(first.identity().matches("[0-9a-f]{32}"));
    assertEquals(1, first.incarnation());
    assertEquals(Optional.empty(), first.cluster());
    rig.store.join(CLUSTER, new OsdId(4));
    rig.restart();
    StoreIdentity second = rig.store.identity();
    assertEquals(first.identity(), second.identity());
    assertEquals(2, second.incarnation());
    assertEquals(Optional.of(CLUSTER), second.cluster());
    assertEquals(Optional.of(new OsdId(4)), second.osd());
    assertNotEquals(
        first.identity(),
        new Rig(2, StoreOptions.ofCapacity(Rig.CAPACITY_BYTES)).store.identity().identity());
  }

  @Test
  void anotherClusterIsRefusedWithBothIds() throws Exception {
    Rig rig = Rig.small();
    rig.store.join(CLUSTER, new OsdId(4));
    rig.store.join(CLUSTER, new OsdId(4));
    ClusterId other = new ClusterId("f".repeat(32));
    WeftException refused =
        assertThrows(WeftException.class, () -> rig.store.join(other, new OsdId(4)));
    assertEquals(ErrorCode.WRONG_CLUSTER, refused.code());
    assertTrue(refused.getMessage().contains(CLUSTER.value()), refused.getMessage());
    assertTrue(refused.getMessage().contains(other.value()), refused.getMessage());
    assertThrows(WeftException.class, () -> rig.store.join(CLUSTER, new OsdId(5)));
  }

  @Test
  void anUncleanRebootIsToldUntilTheClusterKnows() throws Exception {
    Rig rig = Rig.small();
    rig.restart();
    assertFalse(rig.store.identity().uncleanReboot(), "the machine did not boot");
    rig.losePower();
    rig.open();
    assertTrue(rig.store.identity().uncleanReboot());
    rig.restart();
    assertTrue(rig.store.identity().uncleanReboot(), "SysMgr was not told");
    rig.store.join(CLUSTER, new OsdId(1));
    assertFalse(rig.store.identity().uncleanReboot());
    rig.stop();
    rig.losePower();
    rig.open();
    assertFalse(rig.store.identity().uncleanReboot(), "it was stopped before");
  }

  private static void fail(Rig rig) {
    rig.faults.failWhere(
        operation -> operation.kind() == StorageFaults.Kind.KEY_WRITE, "input/output error");
    rig.refuse(ErrorCode.STORE_FAILED, write(3, 0, random(3, BLOCK)).build());
  }

  @Test
  void aFailedStoreReportsItsFailureUntilTheClusterKnows() throws Exception {
    Rig rig = Rig.small();
    rig.apply(write(1, 0, random(1, BLOCK)).build());
    fail(rig);
    rig.restart();
    assertTrue(rig.store.identity().uncleanReboot());
    rig.stop();
    rig.open();
    assertTrue(rig.store.identity().uncleanReboot(), "SysMgr was not told");
    rig.store.join(CLUSTER, new OsdId(1));
    rig.restart();
    assertFalse(rig.store.identity().uncleanReboot());
    fail(rig);
    rig.stop();
    rig.open();
    assertTrue(rig.store.identity().uncleanReboot(), "an orderly stop is no excuse");
  }

  /** The start after a failure is cut off at each of its disk operations. */
  @Test
  void aFailureIsKnownAfterAnInterruptedStart() throws Exception {
    for (int fatal = 1; fatal < 60; fatal++) {
      Rig rig = new Rig(fatal, StoreOptions.ofCapacity(Rig.CAPACITY_BYTES));
      rig.apply(write(1, 0, random(1, BLOCK)).durable().build());
      fail(rig);
      rig.kill();
      openAfterACutOffOpening(rig, fatal);
      assertTrue(rig.store.identity().uncleanReboot(), "cut off at " + fatal);
      rig.store.join(CLUSTER, new OsdId(1));
      rig.restart();
      assertFalse(rig.store.identity().uncleanReboot(), "cut off at " + fatal);
    }
  }

  /** RocksDB itself takes the damage for the end of its log. */
  @Test
  void aTruncatedLogIsReportedUntilTheClusterKnows(@TempDir Path folder) throws IOException {
    StoreOptions options = StoreOptions.ofCapacity(Rig.CAPACITY_BYTES);
    Path killed = folder.resolve("killed");
    try (SystemEnvironment system = SystemEnvironment.create();
        ObjectStore store =
            new StoreFolder(folder.resolve("osd")).open(options, system.environment())) {
      var keys = List.of(new WorkingKey(1, new byte[32]));
      store.apply(new PartitionUpdate(Rig.PARTITION, keys, 1)).toCompletableFuture().join();
      store.apply(write(1, 0, random(1, BLOCK)).build()).toCompletableFuture().join();
      copy(folder.resolve("osd"), killed);
    }
    cutLog(killed.resolve("tables"));
    for (boolean told : new boolean[] {false, false, true}) {
      try (SystemEnvironment system = SystemEnvironment.create();
          ObjectStore store = new StoreFolder(killed).open(options, system.environment())) {
        assertTrue(store.identity().uncleanReboot());
        if (told) {
          store.join(CLUSTER, new OsdId(1));
        }
      }
    }
    try (SystemEnvironment system = SystemEnvironment.create();
        ObjectStore store = new StoreFolder(killed).open(options, system.environment())) {
      assertFalse(store.identity().uncleanReboot());
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  private static void cutLog(Path tables) throws IOException {
    try (Stream<Path> files = Files.list(tables)) {
      Path log = files.filter(file -> file.toString().endsWith(".log")).findFirst().orElseThrow();
      try (FileChannel bytes = FileChannel.open(log, StandardOpenOption.WRITE)) {
        bytes.truncate(bytes.size() - 20);
      }
    }
  }

  @Test
  void anotherFormatVersionIsRefused() throws Exception {
    Rig rig = Rig.small();
    rig.stop();
    byte[] header = rig.tables.get(StoreKeys.header());
    header[11] = 9;
    rig.tables.write(new KeyValueStore.Batch().put(StoreKeys.header(), header), true);
    WeftException refused = refusal(rig);
    assertEquals(ErrorCode.VERSION_MISMATCH, refused.code());
    assertTrue(refused.getMessage().contains("format version 9"), refused.getMessage());
  }

  @Test
  void tablesOfSomethingElseAreRefused() throws Exception {
    Rig rig = Rig.small();
    rig.stop();
    rig.tables.write(new KeyValueStore.Batch().remove(StoreKeys.header()), true);
    assertEquals(ErrorCode.BAD_MEDIA, refusal(rig).code());
    Rig other = Rig.small();
    other.stop();
    other.tables.write(new KeyValueStore.Batch().put(StoreKeys.header(), new byte[100]), true);
    assertTrue(refusal(other).getMessage().contains("no object store of Weft"));
  }

  @Test
  void lostTablesBesideSegmentsAreNotFormattedOver() throws Exception {
    Rig rig = Rig.small();
    rig.apply(write(1, 0, random(1, BLOCK)).build());
    rig.stop();
    rig.tables = new org.weft.testkit.storage.MemoryKeyValueStore(rig.faults);
    WeftException refused = refusal(rig);
    assertTrue(refused.getMessage().contains("segment-00000000"), refused.getMessage());
  }

  @Test
  void aMissingSegmentIsNamed() throws Exception {
    Rig rig = Rig.small();
    rig.apply(write(1, 0, random(1, BLOCK)).build());
    rig.stop();
    rig.segments.delete("segment-00000000");
    WeftException refused = refusal(rig);
    assertEquals(ErrorCode.BAD_MEDIA, refused.code());
    assertTrue(refused.getMessage().contains("segment-00000000"), refused.getMessage());
  }

  @Test
  void blocksHeldTwiceAreRefused() throws Exception {
    Rig rig = Rig.small();
    rig.apply(write(1, 0, random(1, BLOCK)).build());
    rig.kill();
    byte[] prefix = StoreKeys.prefix(StoreKeys.EXTENTS);
    try (KeyValueStore.Cursor cursor = rig.tables.scan(prefix, StoreKeys.after(prefix))) {
      assertTrue(cursor.next());
      rig.tables.write(
          new KeyValueStore.Batch().put(StoreKeys.extents(99, 0), cursor.value()), true);
    }
    WeftException refused = refusal(rig);
    assertTrue(refused.getMessage().contains("used twice"), refused.getMessage());
  }

  @Test
  void aClosedStoreSaysSo() throws Exception {
    Rig rig = Rig.small();
    rig.store.close();
    rig.store.close();
    rig.refuse(ErrorCode.UNAVAILABLE, write(1, 0, random(1, 10)).build());
    assertEquals(
        ErrorCode.UNAVAILABLE,
        assertThrows(WeftException.class, () -> read(rig.store, 1, 0, 10)).code());
  }

  /** The start itself is cut off at each of its disk operations, by a kill or a power loss. */
  @Test
  void anOpeningThatIsCutOffIsDoneAgain() throws Exception {
    byte[] durable = random(1, 5 * BLOCK);
    for (int fatal = 1; fatal < 60; fatal++) {
      Rig rig = new Rig(fatal, StoreOptions.ofCapacity(Rig.CAPACITY_BYTES));
      rig.apply(write(1, 0, durable).durable().build());
      byte[] late = random(fatal, 5 * BLOCK);
      rig.apply(write(1, 0, late).by(100, 2).complete(1).build());
      rig.losePower();
      openAfterACutOffOpening(rig, fatal);
      assertTrue(rig.store.identity().uncleanReboot());
      for (int block = 0; block < 5; block++) {
        byte[] now = read(rig.store, 1, block * BLOCK, BLOCK);
        int end = (block + 1) * BLOCK;
        assertTrue(
            Arrays.equals(now, 0, BLOCK, late, block * BLOCK, end)
                || Arrays.equals(now, 0, BLOCK, durable, block * BLOCK, end),
            "block " + block + ", cut off at " + fatal);
      }
      rig.stop();
      rig.assertSound();
    }
  }

  @Test
  void aFolderHoldsOneOpenStore(@TempDir Path folder) throws IOException {
    StoreOptions options = StoreOptions.ofCapacity(Rig.CAPACITY_BYTES);
    try (SystemEnvironment system = SystemEnvironment.create()) {
      String identity;
      try (ObjectStore store = new StoreFolder(folder).open(options, system.environment())) {
        identity = store.identity().identity();
        WeftException refused =
            assertThrows(
                WeftException.class,
                () -> new StoreFolder(folder).open(options, system.environment()));
        assertEquals(ErrorCode.UNAVAILABLE, refused.code());
        assertTrue(refused.getMessage().contains("is in use by another OSD"), refused.getMessage());
      }
      try (ObjectStore store = new StoreFolder(folder).open(options, system.environment())) {
        assertEquals(identity, store.identity().identity());
      }
    }
  }

  /** An opening that loses its power at one of its disk operations, then one that does not. */
  private static void openAfterACutOffOpening(Rig rig, int fatal) throws Exception {
    rig.faults.losePowerAt(fatal);
    try {
      rig.open();
    } catch (WeftException e) {
      assertEquals(ErrorCode.BAD_MEDIA, e.code());
    }
    if (fatal % 2 == 0) {
      rig.kill();
    } else {
      rig.losePower();
    }
    rig.open();
  }
}
