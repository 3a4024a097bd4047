package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.PendingRequests.client;
import static org.weft.osd.store.engine.PendingRequests.complete;
import static org.weft.osd.store.engine.PendingRequests.xor;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.write;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.Mutation;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.KeyValueStore;

/** What a thread commits that must not wait. */
class BriefCommitTest {
  private Rig rig;
  private WatchedTables tables;

  @BeforeEach
  void openStore() throws WeftException {
    rig = Rig.small();
    rig.apply(write(1, 0, random(1, 3 * BLOCK)).by(100, 1).build());
    rig.stop();
    tables = new WatchedTables(rig.tables);
    rig.open(tables);
    // Since the start the cache does not know the object.
    rig.await(rig.store.apply(complete(1, client(100), 1)));
    rig.await(rig.store.apply(write(1, 0, random(2, BLOCK)).by(100, 2).complete(1).build()));
  }

  /** Tables that count requests, and at which a thread can be kept. */
  private static final class WatchedTables extends TablesBetween {
    private volatile int questions;
    private volatile Thread kept;
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);

    WatchedTables(KeyValueStore tables) {
      super(tables);
    }

    @Override
    public byte[] get(byte[] key) throws IOException {
      questions++;
      return super.get(key);
    }

    @Override
    public void write(Batch batch, boolean sync) throws IOException {
      if (Thread.currentThread() == kept) {
        kept = null;
        arrived.countDown();
        await(goesOn);
      }
      super.write(batch, sync);
    }

    @Override
    public byte[] lastKey(byte[] fromInclusive, byte[] toExclusive) throws IOException {
      questions++;
      return super.lastKey(fromInclusive, toExclusive);
    }

    @Override
    public Cursor scan(byte[] fromInclusive, byte[] toExclusive) throws IOException {
      questions++;
      return super.scan(fromInclusive, toExclusive);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(30, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private CompletableFuture<Receipt> now(Mutation mutation) {
    return rig.store.applyNow(mutation).orElseThrow().toCompletableFuture();
  }

  private void isLeft(Mutation mutation) {
    int before = tables.questions;
    assertTrue(rig.store.applyNow(mutation).isEmpty(), mutation::toString);
    assertEquals(before, tables.questions);
  }

  @Test
  void smallChangesOfCachedObjectsReadNoTables() throws Exception {
    int before = tables.questions;
    byte[] bytes = random(3, 1_000);
    assertTrue(now(write(1, 100, bytes).by(100, 3).complete(2).build()).isDone());
    assertTrue(now(complete(1, client(100), 3)).isDone());
    assertEquals(before, tables.questions);
    assertArrayEquals(bytes, read(rig.store, 1, 100, bytes.length));
    rig.restart();
    assertArrayEquals(bytes, read(rig.store, 1, 100, bytes.length));
  }

  @Test
  void largeUnknownAndManagersMutationsGoToBlockingThreads() {
    isLeft(write(1, 0, random(3, 17 * BLOCK)).by(100, 3).build());
    isLeft(write(2, 0, random(3, BLOCK)).by(100, 3).build());
    isLeft(write(1, 1L << 30, random(3, BLOCK)).by(100, 3).build());
    isLeft(write(1, 0, random(3, BLOCK)).as(Requests.MANAGER).build());
    isLeft(Requests.removal(1, 5));
  }

  /** What would have to be read may be where only the disk knows it. */
  @Test
  void mutationsThatReadOldBytesGoToBlockingThreads() {
    int unit = Requests.TAG.unitBytes();
    rig.await(rig.store.apply(write(1, 0, random(3, 3 * unit)).by(100, 3).complete(2).build()));
    rig.await(rig.store.apply(complete(1, client(100), 3)));
    isLeft(write(1, unit + 100, random(4, 50)).by(100, 4).build());
    isLeft(xor(1, unit, random(4, BLOCK), client(100), 4, 3));
    assertTrue(now(write(1, unit, random(4, BLOCK)).by(100, 4).build()).isDone());
    assertTrue(now(write(1, 2L * unit + 100, random(4, 50)).by(100, 5).build()).isDone());
    assertTrue(now(xor(1, 2L * unit + BLOCK, random(4, BLOCK), client(100), 6, 3)).isDone());
  }

  @Test
  void aRefusalIsTheAnswer() throws Exception {
    rig.await(rig.store.apply(write(1, 0, random(3, BLOCK)).by(200, 1).floor(150).build()));
    CompletableFuture<Receipt> late = now(write(1, 0, random(4, BLOCK)).by(100, 3).build());
    assertTrue(late.isCompletedExceptionally());
    assertEquals(
        ErrorCode.FENCED, WeftException.of(late.handle((receipt, thrown) -> thrown).join()).code());
  }

  /** Two come while one commits: they are another's, and that one is free to go. */
  @Test
  void aThreadThatMustNotWaitDoesNotCommitForOthers() throws Exception {
    List<CompletableFuture<Receipt>> mine = new ArrayList<>();
    Thread loop =
        new Thread(
            () -> mine.add(now(write(1, 0, random(5, BLOCK)).by(100, 3).complete(2).build())));
    tables.kept = loop;
    loop.start();
    await(tables.arrived);
    CompletableFuture<Receipt> brief =
        now(write(1, BLOCK, random(6, BLOCK)).by(100, 4).complete(2).build());
    CompletableFuture<Receipt> other =
        rig.store.apply(write(2, 0, random(7, BLOCK)).by(100, 1).build()).toCompletableFuture();
    tables.goesOn.countDown();
    loop.join(TimeUnit.SECONDS.toMillis(30));
    assertFalse(loop.isAlive());
    assertTrue(mine.get(0).isDone());
    assertFalse(other.isDone(), "it was committed by a thread that must not stay");
    rig.await(other);
    rig.await(brief);
    // No thread is taken to be committing still.
    assertTrue(now(complete(1, client(100), 4)).isDone());
    assertArrayEquals(random(6, BLOCK), read(rig.store, 1, BLOCK, BLOCK));
    assertArrayEquals(random(7, BLOCK), read(rig.store, 2, 0, BLOCK));
  }
}
