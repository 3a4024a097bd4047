package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.PendingRequests.client;
import static org.weft.osd.store.engine.PendingRequests.durable;
import static org.weft.osd.store.engine.PendingRequests.xor;
import static org.weft.osd.store.engine.PendingRequests.xored;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.removal;
import static org.weft.osd.store.engine.Requests.write;

import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.Durability;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.mutation.Mutation;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.testkit.storage.StorageFaults;

/** Small durable writes rest on the tables alone until a checkpoint. */
class BlockCopiesTest {
  private static final int MAX = 8 * BLOCK;
  private static final StoreOptions SMALL = StoreOptions.ofCapacity(16 << 20);

  /** How often a segment file is synced for the mutation. */
  private static int segmentSyncs(Rig rig, Mutation mutation) {
    int[] syncs = {0};
    rig.faults.failWhere(
        next -> {
          boolean counts =
              next.kind() == StorageFaults.Kind.FILE_SYNC && next.target().startsWith("segment-");
          syncs[0] += counts ? 1 : 0;
          return false;
        },
        "");
    rig.apply(mutation);
    rig.faults.failWhere(next -> false, "");
    return syncs[0];
  }

  private static int copies(Rig rig) throws Exception {
    byte[] prefix = StoreKeys.prefix(StoreKeys.BLOCK_COPY);
    int count = 0;
    try (KeyValueStore.Cursor cursor = rig.tables.scan(prefix, StoreKeys.after(prefix))) {
      while (cursor.next()) {
        count++;
      }
    }
    return count;
  }

  @Test
  void aSmallDurableWriteNeedsNoSyncOfItsSegment() throws Exception {
    for (long seed = 0; seed < 50; seed++) {
      Rig rig = new Rig(seed, SMALL);
      byte[] first = random(seed, BLOCK + 100);
      byte[] second = random(seed + 1, 300);
      assertEquals(0, segmentSyncs(rig, write(1, 0, first).durable().build()));
      // Beside the old bytes of its block, which were not synced.
      assertEquals(
          0,
          segmentSyncs(
              rig, write(1, BLOCK + 100, second).by(100, 2).complete(1).durable().build()));
      rig.losePower();
      rig.open();
      assertArrayEquals(first, read(rig.store, 1, 0, first.length));
      assertArrayEquals(second, read(rig.store, 1, first.length, second.length));
      assertEquals(0, copies(rig), "the start has made the blocks durable");
      rig.losePower();
      rig.open();
      assertArrayEquals(first, read(rig.store, 1, 0, first.length));
      rig.stop();
      rig.assertSound();
    }
  }

  @Test
  void aLargerOneSyncsItsSegment() throws Exception {
    for (long seed = 0; seed < 20; seed++) {
      Rig rig = new Rig(seed, SMALL);
      byte[] data = random(seed, MAX + 1);
      assertTrue(segmentSyncs(rig, write(1, 0, data).durable().build()) > 0);
      assertEquals(0, copies(rig));
      rig.losePower();
      rig.open();
      assertArrayEquals(data, read(rig.store, 1, 0, data.length));
    }
  }

  @Test
  void aSmallWriteOfAStoreThatWritesThroughNeedsNone() throws Exception {
    Rig rig = new Rig(1, SMALL.withDurability(Durability.WRITE_THROUGH));
    byte[] data = random(1, MAX);
    assertEquals(0, segmentSyncs(rig, write(1, 0, data).build()));
    rig.losePower();
    rig.open();
    assertArrayEquals(data, read(rig.store, 1, 0, data.length));
  }

  @Test
  void aChangeThatIsXoredInIsKeptWithItsDelta() throws Exception {
    for (long seed = 0; seed < 20; seed++) {
      Rig rig = new Rig(seed, SMALL);
      byte[] old = random(seed, BLOCK);
      byte[] delta = random(seed + 1, BLOCK);
      rig.apply(write(1, 0, old).build());
      rig.await(rig.store.checkpointNow());
      assertEquals(0, segmentSyncs(rig, durable(xor(1, 0, delta, client(100), 2, 1))));
      rig.losePower();
      rig.open();
      assertArrayEquals(xored(old, delta), read(rig.store, 1, 0, BLOCK));
      rig.apply(PendingRequests.abort(1, client(100), 2, 1));
      assertArrayEquals(old, read(rig.store, 1, 0, BLOCK));
    }
  }

  @Test
  void aCheckpointRemovesTheCopies() throws Exception {
    Rig rig = Rig.small();
    rig.apply(write(1, 0, random(1, 5)).durable().build());
    assertEquals(1, copies(rig));
    rig.await(rig.store.checkpointNow());
    assertEquals(0, copies(rig));
    assertArrayEquals(random(1, 5), read(rig.store, 1, 0, 5));
  }

  /** Else a start would write over the object that has the blocks by then. */
  @Test
  void reusedBlocksHaveNoOldCopies() throws Exception {
    StoreOptions tiny =
        new StoreOptions(
            64 * BLOCK, 4 * BLOCK, 64 * BLOCK, 64 * BLOCK, 5_000, Durability.WRITE_BACK);
    for (long seed = 0; seed < 20; seed++) {
      Rig rig = new Rig(seed, tiny);
      rig.apply(write(1, 0, random(seed, MAX)).durable().build());
      rig.apply(removal(1, 200));
      rig.await(rig.store.checkpointNow());
      byte[] later = random(seed + 1, 55 * BLOCK);
      rig.apply(write(2, 0, later).by(300, 1).build());
      rig.restart();
      assertArrayEquals(later, read(rig.store, 2, 0, later.length), "seed " + seed);
    }
  }

  /** The kernel may have dropped the block; the tables still have it. */
  @Test
  void aCopyOutlivesASyncThatFailed() throws Exception {
    Rig rig = Rig.small();
    byte[] data = random(1, BLOCK);
    rig.apply(write(1, 0, data).durable().build());
    rig.faults.failWhere(
        next -> next.kind() == StorageFaults.Kind.FILE_SYNC && next.target().startsWith("segment-"),
        "input/output error");
    assertThrows(CompletionException.class, () -> rig.await(rig.store.checkpointNow()));
    rig.kill();
    rig.segments.rot("segment-00000000", 7);
    rig.open();
    assertArrayEquals(data, read(rig.store, 1, 0, BLOCK));
  }

  @Test
  void aStoreOfTheVersionBeforeBecomesOneOfThis() throws Exception {
    Rig rig = Rig.small();
    rig.apply(write(1, 0, random(1, BLOCK)).build());
    rig.stop();
    byte[] header = rig.tables.get(StoreKeys.header());
    header[11] = 2;
    rig.tables.write(new KeyValueStore.Batch().put(StoreKeys.header(), header), true);
    rig.open();
    assertEquals(
        HeaderCodec.FORMAT_VERSION, HeaderCodec.formatVersion(rig.tables.get(StoreKeys.header())));
    assertArrayEquals(random(1, BLOCK), read(rig.store, 1, 0, BLOCK));
  }

  @Test
  void manyCopiesBringACheckpointOfTheirOwn() throws WeftException {
    Rig rig = new Rig(1, StoreOptions.ofCapacity(64 << 20).withCheckpointMillis(3_600_000));
    long before = rig.store.status().durableCheckpoint();
    for (int i = 0; i < (8 << 20) / MAX; i++) {
      assertEquals(before, rig.store.status().durableCheckpoint(), "write " + i);
      rig.apply(write(1, (long) i * MAX, random(i, MAX)).by(100, 1 + i).durable().build());
    }
    rig.time.runUntil(
        "the checkpoint is there", () -> rig.store.status().durableCheckpoint() > before);
  }
}
