package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.write;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.seam.KeyValueStore;

/** A store that an older release has left. */
class OlderStoreTest {
  private static final int FIXED_EXTENTS = 3;

  /** As stores of format version 3 and less have a page. */
  private static byte[] fixed(ExtentPage page) {
    ByteBuffer out =
        ByteBuffer.allocate(2 + 36 * page.extents().size() + 4 * page.storedBlocks())
            .put((byte) 1)
            .put((byte) page.extents().size());
    for (Extent extent : page.extents()) {
      out.put((byte) (extent.firstBlock() - page.firstBlock())).put((byte) extent.blockCount());
      out.putShort((short) extent.flags()).putShort((short) extent.strideBlocks());
      out.putShort((short) 0).putInt(extent.snapshot());
      out.putInt(extent.segment()).putInt(extent.segmentBlock());
      out.putLong(extent.grant()).putLong(extent.sequence());
    }
    page.extents()
        .forEach(
            extent -> {
              for (int crc : extent.crcs()) {
                out.putInt(crc);
              }
            });
    return out.array();
  }

  private static int makeOlder(KeyValueStore tables) throws Exception {
    KeyValueStore.Batch batch = new KeyValueStore.Batch();
    int pages =
        makeOlder(tables, StoreKeys.EXTENTS, 1, batch)
            + makeOlder(tables, StoreKeys.REPLACED, 2, batch);
    byte[] header = tables.get(StoreKeys.header());
    header[11] = FIXED_EXTENTS;
    tables.write(batch.put(StoreKeys.header(), header), true);
    return pages;
  }

  /** Pages under keys of one kind, whose numbers stand at that place. */
  private static int makeOlder(
      KeyValueStore tables, byte kind, int place, KeyValueStore.Batch batch) throws Exception {
    byte[] from = StoreKeys.prefix(kind);
    int pages = 0;
    try (KeyValueStore.Cursor cursor = tables.scan(from, StoreKeys.after(from))) {
      while (cursor.next()) {
        long number = StoreKeys.numberAt(cursor.key(), place);
        batch.put(cursor.key(), fixed(ExtentPageCodec.decode(number, cursor.value())));
        pages++;
      }
    }
    return pages;
  }

  @Test
  void anOlderStoreRecoversFromAPowerLoss() throws Exception {
    for (int seed = 1; seed <= 20; seed++) {
      Rig rig = new Rig(seed, StoreOptions.ofCapacity(Rig.CAPACITY_BYTES));
      byte[] kept = random(seed, 3 * BLOCK);
      rig.apply(write(1, 0, kept).durable().build());
      rig.apply(write(2, 0, random(seed, 2 * BLOCK)).build());
      rig.apply(write(1, BLOCK, random(-seed, BLOCK)).by(100, 2).complete(1).build());
      rig.losePower();
      makeOlder(rig.tables);
      rig.open();
      byte[] found = read(rig.store, 1, 0, kept.length);
      assertArrayEquals(Arrays.copyOf(kept, BLOCK), Arrays.copyOf(found, BLOCK));
      assertEquals(
          HeaderCodec.FORMAT_VERSION,
          HeaderCodec.formatVersion(rig.tables.get(StoreKeys.header())));
      rig.assertSound();
    }
  }

  @Test
  void anOlderStoreIsReadAndConverted() throws Exception {
    Rig rig = Rig.small();
    byte[] first = random(1, 3 * BLOCK);
    byte[] second = random(2, 2 * BLOCK);
    rig.apply(write(1, 0, first).build());
    rig.apply(write(2, 130L * BLOCK, second).build());
    rig.stop();
    assertEquals(2, makeOlder(rig.tables));
    rig.open();
    assertArrayEquals(first, read(rig.store, 1, 0, first.length));
    assertArrayEquals(second, read(rig.store, 2, 130L * BLOCK, second.length));
    byte[] changed = random(3, BLOCK);
    rig.apply(write(1, BLOCK, changed).by(100, 2).complete(1).build());
    System.arraycopy(changed, 0, first, BLOCK, BLOCK);
    rig.kill();
    rig.open();
    assertArrayEquals(first, read(rig.store, 1, 0, first.length));
    assertArrayEquals(second, read(rig.store, 2, 130L * BLOCK, second.length));
    assertEquals(
        HeaderCodec.FORMAT_VERSION, HeaderCodec.formatVersion(rig.tables.get(StoreKeys.header())));
    rig.assertSound();
  }
}
