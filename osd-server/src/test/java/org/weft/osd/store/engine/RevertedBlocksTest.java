package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.PendingRequests.abort;
import static org.weft.osd.store.engine.PendingRequests.client;
import static org.weft.osd.store.engine.PendingRequests.complete;
import static org.weft.osd.store.engine.PendingRequests.xor;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.MANAGER;
import static org.weft.osd.store.engine.Requests.lsn;
import static org.weft.osd.store.engine.Requests.object;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.write;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.mutation.WriteCompletion;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.BlockRun;
import org.weft.osd.store.value.ByteSpan;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** What a power loss gave back is named, and what is not known any more is not read (P 5.9). */
class RevertedBlocksTest {
  private static final int BLOCKS = 8;

  private final byte[] older = random(1, BLOCKS * BLOCK);
  private final byte[] newer = random(2, BLOCKS * BLOCK);
  private Rig rig;

  /** Everything is complete by the tables, which are on the disk; of the newer bytes some are. */
  private void writeTwice(long seed) throws Exception {
    rig = new Rig(seed, StoreOptions.ofCapacity(16 << 20));
    rig.apply(write(1, 0, older).durable().build());
    rig.apply(write(1, 0, newer).by(100, 2).complete(1).build());
    rig.apply(complete(1, client(100), 2));
    rig.tables.sync();
  }

  private SortedSet<Long> named() throws WeftException {
    SortedSet<Long> named = new TreeSet<>();
    for (BlockRun run : rig.store.listPending(object(1), MANAGER).givenBack()) {
      for (int i = 0; i < run.blockCount(); i++) {
        named.add(run.firstBlock() + i);
      }
    }
    return named;
  }

  private SortedSet<Long> blocksThatAreOlder() throws WeftException {
    SortedSet<Long> back = new TreeSet<>();
    for (int at = 0; at < older.length; at += BLOCK) {
      byte[] now = Requests.read(rig.store, 1, at, BLOCK);
      if (!Arrays.equals(now, 0, BLOCK, newer, at, at + BLOCK)) {
        assertTrue(Arrays.equals(now, 0, BLOCK, older, at, at + BLOCK));
        back.add((long) at / BLOCK);
      }
    }
    return back;
  }

  @Test
  void whatFellBackIsNamedUntilItIsDealtWith() throws Exception {
    int blocks = 0;
    for (long seed = 0; seed < 30; seed++) {
      writeTwice(seed);
      rig.losePower();
      rig.open();
      assertEquals(blocksThatAreOlder(), named());
      blocks += named().size();
      rig.losePower();
      rig.open();
      assertEquals(blocksThatAreOlder(), named(), "after another one");
      rig.apply(new WriteCompletion(object(1), MANAGER, 0, 0, 0, false, true));
      assertEquals(new TreeSet<Long>(), named());
      rig.restart();
      assertEquals(new TreeSet<Long>(), named());
      rig.stop();
      rig.assertSound();
    }
    assertTrue(blocks > 0);
  }

  @Test
  void whatFellBackBeforeIsNamedStillWhenMoreDoes() throws Exception {
    int more = 0;
    for (long seed = 0; seed < 30; seed++) {
      writeTwice(seed);
      rig.losePower();
      rig.open();
      SortedSet<Long> before = named();
      rig.apply(write(1, 0, random(3, BLOCK)).by(100, 3).complete(3).build());
      rig.tables.sync();
      rig.losePower();
      rig.open();
      assertTrue(named().containsAll(before), "seed " + seed);
      more += named().size() - before.size();
    }
    assertTrue(more > 0);
  }

  /** The power goes again at any step of the recovery. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8, 13, 20, 30})
  void aRecoveryThatIsCutOffForgetsNothing(int fatal) throws Exception {
    for (long seed = 0; seed < 20; seed++) {
      writeTwice(seed);
      rig.losePower();
      rig.faults.losePowerAt(fatal);
      try {
        rig.open();
      } catch (WeftException e) {
        assertEquals(ErrorCode.BAD_MEDIA, e.code(), e.getMessage());
      }
      rig.losePower();
      rig.open();
      assertEquals(blocksThatAreOlder(), named(), "seed " + seed);
    }
  }

  @Test
  void whatPendingWritesKeepIsNamedTooIfItFellBack() throws Exception {
    int blocks = 0;
    for (long seed = 0; seed < 40; seed++) {
      writeTwice(seed);
      // Of one block: it is there still, or as if it had not come.
      rig.apply(write(1, 0, random(3, BLOCK)).by(100, 3).complete(2).build());
      rig.tables.sync();
      rig.losePower();
      rig.open();
      rig.apply(abort(1, client(100), 3, 1));
      assertEquals(blocksThatAreOlder(), named(), "seed " + seed);
      blocks += named().size();
    }
    assertTrue(blocks > 0);
  }

  @Test
  void anObjectThatIsRemovedTakesItAlong() throws Exception {
    for (long seed = 0; seed < 5; seed++) {
      writeTwice(seed);
      rig.losePower();
      rig.open();
      rig.apply(Requests.removal(1, 500));
      rig.stop();
      rig.assertSound();
    }
  }

  private static ObjectWrite lost(int block, int count, Authority by) {
    ObjectWrite zeros =
        write(1, (long) block * BLOCK, new byte[count * BLOCK]).by(200, 1 + block).build();
    return asLost(zeros, by);
  }

  private static ObjectWrite asLost(ObjectWrite write, Authority by) {
    ByteSpan bytes = write.bytes();
    return new ObjectWrite(
        write.name(),
        by,
        new ByteSpan(bytes.offsetBytes(), bytes.data(), bytes.blockCrcs(), true),
        write.numbers(),
        write.length(),
        write.creation(),
        false);
  }

  private static Authority resolver() {
    return Authority.ofManager(1, lsn(200));
  }

  private boolean isLost(long block) throws WeftException {
    StoredRange result = rig.store.read(Requests.readOf(1, block * BLOCK, BLOCK));
    try {
      byte[] bytes = new byte[BLOCK];
      int done = 0;
      for (ByteBuffer part : result.payload().buffers()) {
        int count = part.remaining();
        part.duplicate().get(bytes, done, count);
        done += count;
      }
      return result.blockCrcs()[0] != Requests.crcs(0, bytes)[0];
    } finally {
      result.payload().release();
    }
  }

  @Test
  void whatIsLostIsNotReadUntilItIsWrittenAnew() throws Exception {
    rig = Rig.small();
    rig.apply(write(1, 0, older).build());
    rig.apply(complete(1, client(100), 1));
    rig.refuse(ErrorCode.INVALID_ARGUMENT, lost(2, 2, client(200)));
    rig.apply(lost(2, 2, resolver()));
    assertFalse(isLost(1));
    assertTrue(isLost(2));
    assertTrue(isLost(3));
    assertFalse(isLost(4));
    byte[] few = random(5, 10);
    rig.refuse(ErrorCode.BAD_MEDIA, write(1, 2 * BLOCK + 7, few).by(100, 5).build());
    rig.refuse(ErrorCode.BAD_MEDIA, xor(1, 2 * BLOCK, random(6, BLOCK), client(100), 6, 0));
    // A write over it may be undone by the next opening of the store.
    byte[] whole = random(7, BLOCK);
    rig.apply(write(1, 2 * BLOCK, whole).by(100, 7).build());
    assertArrayEquals(whole, Requests.read(rig.store, 1, 2 * BLOCK, BLOCK));
    rig.restart();
    rig.apply(abort(1, client(100), 7, 1));
    assertTrue(isLost(2));
    rig.apply(write(1, 2 * BLOCK, whole).by(100, 8).complete(7).build());
    rig.restart();
    assertArrayEquals(whole, Requests.read(rig.store, 1, 2 * BLOCK, BLOCK));
    assertTrue(isLost(3));
    rig.stop();
    rig.assertSound();
  }

  /** Its older bytes are right by their checksum, and belong to nothing that is left. */
  @Test
  void noPowerLossBringsBackWhatIsLost() throws Exception {
    for (long seed = 0; seed < 20; seed++) {
      rig = new Rig(seed, StoreOptions.ofCapacity(16 << 20));
      rig.apply(write(1, 0, older).durable().build());
      rig.apply(complete(1, client(100), 1));
      rig.apply(lost(0, BLOCKS, resolver()));
      rig.tables.sync();
      rig.losePower();
      rig.open();
      for (long block = 0; block < BLOCKS; block++) {
        assertTrue(isLost(block), "seed " + seed);
      }
      assertEquals(new TreeSet<Long>(), named());
    }
  }

  @Test
  void onlyWholeBlocksAreLost() throws Exception {
    rig = Rig.small();
    rig.apply(write(1, 0, older).build());
    ObjectWrite part = write(1, 5, random(8, 30)).by(200, 1).build();
    ObjectWrite lost = asLost(part, resolver());
    assertThrows(RuntimeException.class, () -> rig.apply(lost));
  }
}
