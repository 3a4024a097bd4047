package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.write;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.KeyValueStore;

/**
 * A command that was begun before the store was closed, and hangs somewhere until its close is
 * nearly through: what it commits then must not be missing in the free map of a clean stop.
 */
class LateCommitTest {
  /** Where the late command hangs, and when it goes on. */
  private enum Moment {
    READING,
    WRITING,
    CLEAN_MARK,
    END
  }

  private final CountDownLatch hangs = new CountDownLatch(1);
  private final CountDownLatch goesOn = new CountDownLatch(1);
  private Rig rig;
  private Thread late;
  private Moment hangsAt;
  private Moment goesOnAt;
  private Receipt receipt;
  private WeftException refusal;

  @BeforeEach
  void openStore() throws WeftException {
    rig = Rig.small();
    rig.apply(write(1, 0, random(1, 3 * BLOCK)).build());
    rig.stop();
    rig.store =
        OsdfsStore.open(
            rig.options,
            new GatedTables(rig.tables),
            rig.segments,
            rig.time,
            rig.random,
            () -> "boot-1");
  }

  /** Tables at which the late command hangs, and whose users let it go on. */
  private final class GatedTables extends TablesBetween {
    GatedTables(KeyValueStore tables) {
      super(tables);
    }

    private void reached(Moment moment) {
      if (Thread.currentThread() == late) {
        if (moment == hangsAt) {
          hangs.countDown();
          await(goesOn);
        }
      } else if (moment == goesOnAt) {
        goesOn.countDown();
        join();
      }
    }

    @Override
    public byte[] get(byte[] key) throws IOException {
      reached(Moment.READING);
      return super.get(key);
    }

    @Override
    public void write(Batch batch, boolean sync) throws IOException {
      boolean header =
          batch.changes().stream()
              .anyMatch(change -> Arrays.equals(change.key(), StoreKeys.header()));
      reached(header ? Moment.CLEAN_MARK : Moment.WRITING);
      super.write(batch, sync);
    }

    @Override
    public void close() throws IOException {
      reached(Moment.END);
      super.close();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(30, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void join() {
    try {
      late.join(30_000);
      assertFalse(late.isAlive());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void closeBeside(Moment where, Moment until) {
    hangsAt = where;
    goesOnAt = until;
    late =
        new Thread(
            () -> {
              var unused =
                  rig.store
                      .apply(write(2, 0, random(2, 3 * BLOCK)).build())
                      .whenComplete(
                          (result, failure) -> {
                            receipt = result;
                            refusal = failure == null ? null : WeftException.of(failure);
                          });
            });
    late.start();
    await(hangs);
    rig.stop();
    join();
  }

  private boolean stoppedCleanly() throws IOException {
    return HeaderCodec.decode(rig.tables.get(StoreKeys.header())).clean();
  }

  /** What was acknowledged is there, and stays when others are given blocks. */
  private void assertAllIsThereAndStays() throws Exception {
    rig.open();
    rig.apply(write(3, 0, random(3, 64 * BLOCK)).build());
    assertArrayEquals(random(1, 3 * BLOCK), read(rig.store, 1, 0, 3 * BLOCK));
    if (receipt != null) {
      assertArrayEquals(random(2, 3 * BLOCK), read(rig.store, 2, 0, 3 * BLOCK));
    }
    rig.stop();
    rig.assertSound();
  }

  @Test
  void commitsDuringTheCleanMarkAreRefused() throws Exception {
    closeBeside(Moment.READING, Moment.CLEAN_MARK);
    assertNull(receipt);
    assertEquals(ErrorCode.UNAVAILABLE, refusal.code());
    assertTrue(stoppedCleanly());
    assertAllIsThereAndStays();
  }

  @Test
  void anUnfinishedCommitPreventsTheCleanMark() throws Exception {
    closeBeside(Moment.WRITING, Moment.END);
    assertFalse(stoppedCleanly());
    assertAllIsThereAndStays();
  }

  @Test
  void aCommandThatComesBehindTheCleanMarkCommitsNothing() throws Exception {
    closeBeside(Moment.READING, Moment.END);
    assertNull(receipt);
    assertTrue(stoppedCleanly());
    assertAllIsThereAndStays();
    rig.open();
    assertEquals(67L * BLOCK, rig.store.status().usedBytes());
  }
}
