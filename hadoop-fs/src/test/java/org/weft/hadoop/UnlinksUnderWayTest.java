package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.testkit.process.Await;

/** A recursive delete that fails removes nothing any more once it has said so. */
@Timeout(60)
class UnlinksUnderWayTest {
  private final UnlinksUnderWay underWay = new UnlinksUnderWay(3);

  private static CompletableFuture<Void> refused(ErrorCode code) {
    return CompletableFuture.failedFuture(new WeftException(code, "no"));
  }

  /** Completes the removal as soon as a thread waits for it. */
  private static Thread answerOnceAwaited(CompletableFuture<Void> unlink) {
    Thread server =
        new Thread(
            () -> {
              Await.that(
                  () ->
                      unlink.getNumberOfDependents() > 0 || Thread.currentThread().isInterrupted());
              unlink.complete(null);
            });
    server.start();
    return server;
  }

  @Test
  void failedDeleteLeavesNoUnlinkUnderWay() throws Exception {
    CompletableFuture<Void> slow = new CompletableFuture<>();
    Thread server = answerOnceAwaited(slow);
    try {
      underWay.begin(() -> refused(ErrorCode.PERMISSION_DENIED));
      underWay.begin(() -> slow);
      underWay.begin(() -> refused(ErrorCode.NOT_FOUND));
      IOException failure = assertThrows(IOException.class, underWay::awaitAll);
      assertFalse(slow.isDone());
      underWay.awaitBehind(failure);
      assertTrue(slow.isDone());
      assertEquals(0, failure.getSuppressed().length);
    } finally {
      server.interrupt();
      server.join();
    }
  }

  @Test
  void furtherFailuresAreReportedToo() throws IOException {
    underWay.begin(() -> refused(ErrorCode.PERMISSION_DENIED));
    IOException failure = new IOException("the listing failed");
    underWay.awaitBehind(failure);
    assertEquals(1, failure.getSuppressed().length);
  }
}
