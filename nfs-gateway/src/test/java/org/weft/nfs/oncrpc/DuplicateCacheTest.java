package org.weft.nfs.oncrpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class DuplicateCacheTest {
  private static final int MAX = 3;

  private final RpcCounters counters = new RpcCounters();
  private final DuplicateCache cache = new DuplicateCache(MAX, counters);
  private final AtomicInteger carriedOut = new AtomicInteger();
  private final AtomicInteger dropped = new AtomicInteger();

  private static DuplicateCache.Key key(int xid) {
    return new DuplicateCache.Key(InetAddress.getLoopbackAddress(), xid, 98, 99);
  }

  private CompletionStage<OncReply> once(
      DuplicateCache.Key key, boolean keep, Supplier<CompletionStage<OncReply>> first) {
    return cache.once(
        key,
        keep,
        () -> {
          carriedOut.incrementAndGet();
          return first.get();
        },
        dropped::incrementAndGet);
  }

  private CompletionStage<OncReply> done(DuplicateCache.Key key, boolean keep, int result) {
    return once(key, keep, () -> CompletableFuture.completedFuture(out -> out.int32(result)));
  }

  private static byte[] written(CompletionStage<OncReply> stage) {
    OncReply reply = stage.toCompletableFuture().join();
    return XdrWriter.bytes(reply::write);
  }

  @Test
  void repeatGetsTheFirstAnswerWithoutExecution() {
    assertArrayEquals(new byte[] {0, 0, 0, 7}, written(done(key(1), true, 7)));
    assertArrayEquals(new byte[] {0, 0, 0, 7}, written(done(key(1), true, 8)));
    assertEquals(1, carriedOut.get());
    assertEquals(1, dropped.get());
    assertEquals(1, counters.repeats());
  }

  @Test
  void aRepeatOfACallUnderWayGetsItsAnswerToo() {
    CompletableFuture<OncReply> slow = new CompletableFuture<>();
    CompletionStage<OncReply> first = once(key(1), false, () -> slow);
    CompletionStage<OncReply> repeat = done(key(1), false, 8);
    assertFalse(first.toCompletableFuture().isDone());
    assertFalse(repeat.toCompletableFuture().isDone());
    slow.complete(out -> out.int32(7));
    assertArrayEquals(new byte[] {0, 0, 0, 7}, written(first));
    assertArrayEquals(new byte[] {0, 0, 0, 7}, written(repeat));
    assertEquals(1, carriedOut.get());
  }

  @Test
  void forgottenCallIsExecutedAgain() {
    assertArrayEquals(new byte[] {0, 0, 0, 7}, written(done(key(1), false, 7)));
    assertArrayEquals(new byte[] {0, 0, 0, 8}, written(done(key(1), false, 8)));
    assertEquals(0, cache.size());
  }

  @Test
  void anotherChecksumClientOrProcedureIsAnotherCall() throws Exception {
    DuplicateCache.Key key = key(1);
    done(key, true, 7);
    InetAddress other = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
    done(new DuplicateCache.Key(key.client(), 1, 98, 100), true, 8);
    done(new DuplicateCache.Key(other, 1, 98, 99), true, 8);
    done(new DuplicateCache.Key(key.client(), 1, 97, 99), true, 8);
    assertEquals(4, carriedOut.get());
  }

  @Test
  void oldestReplyIsEvicted() {
    for (int xid = 1; xid <= MAX + 1; xid++) {
      done(key(xid), true, xid);
    }
    assertEquals(MAX, cache.size());
    done(key(MAX + 1), true, 0);
    assertEquals(MAX + 1, carriedOut.get(), "the latest is kept");
    done(key(1), true, 0);
    assertEquals(MAX + 2, carriedOut.get(), "the first is forgotten");
  }

  @Test
  void failureReachesAllRepeatsAndIsNotKept() {
    CompletableFuture<OncReply> slow = new CompletableFuture<>();
    CompletionStage<OncReply> first = once(key(1), true, () -> slow);
    CompletionStage<OncReply> repeat = done(key(1), true, 8);
    slow.completeExceptionally(new IllegalStateException("a mistake"));
    assertTrue(first.toCompletableFuture().isCompletedExceptionally());
    assertTrue(repeat.toCompletableFuture().isCompletedExceptionally());
    assertArrayEquals(new byte[] {0, 0, 0, 9}, written(done(key(1), true, 9)));
  }

  @Test
  void anExceptionOfTheProcedureIsAFailure() {
    CompletionStage<OncReply> failed =
        once(
            key(1),
            true,
            () -> {
              throw new IllegalStateException("a mistake");
            });
    assertTrue(failed.toCompletableFuture().isCompletedExceptionally());
    assertArrayEquals(new byte[] {0, 0, 0, 9}, written(done(key(1), true, 9)));
  }
}
