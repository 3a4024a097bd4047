package org.weft.client.stripe.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * A writer reads its own file, and components say that they have none of it: the file may have been
 * removed or replaced, and its manager is asked.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class OwnReadTest {
  private static final WeftException REMOVED =
      new WeftException(
          ErrorCode.TOO_MANY_LOST,
          "2 components of stripe 0 are lost",
          new WeftException(ErrorCode.NO_SUCH_OBJECT, "there is no such object"));
  private static final WeftException AWAY =
      new WeftException(ErrorCode.UNAVAILABLE, "the manager is away");
  private static final WeftException REPLACED =
      new WeftException(ErrorCode.GRANT_REVOKED, "client 7 has replaced the file");
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final StripeWorld world = new StripeWorld(52, 8);
  private final List<CompletableFuture<WriteTerms>> asked = new ArrayList<>();
  private final List<CompletableFuture<Void>> reads = new ArrayList<>();
  private FileWriteService sender;
  private StripedFile file;
  private CompletableFuture<Void> done;

  @BeforeEach
  void aWriterReads() {
    file = world.newFile(StripeWorld.layout(4, 1));
    sender =
        world.sender(
            new WriteTerms(file, world.grant(file)),
            0,
            (under, lost, completeUpTo) -> {
              asked.add(new CompletableFuture<>());
              return asked.get(asked.size() - 1);
            },
            world.failures::add);
    done =
        OwnRead.of(
            world.context,
            sender,
            terms -> {
              reads.add(new CompletableFuture<>());
              return reads.get(reads.size() - 1);
            });
  }

  /** The read that is under way now fails so. */
  private void readFails(WeftException failure) {
    reads.get(reads.size() - 1).completeExceptionally(failure);
  }

  private void awaitRead(int number) {
    world.time.runUntil("read " + number + " is begun", () -> reads.size() >= number);
  }

  private WeftException failure() {
    assertTrue(done.isCompletedExceptionally());
    try {
      throw new AssertionError(done.join());
    } catch (RuntimeException e) {
      return WeftException.of(e);
    }
  }

  @Test
  void aReplacedFileIsReportedOnceTheManagerIsBack() {
    readFails(REMOVED);
    assertEquals(1, asked.size());
    asked.get(0).completeExceptionally(AWAY);
    awaitRead(2);
    readFails(REMOVED);
    assertFalse(done.isDone(), "the manager has said nothing yet");
    world.time.runUntil("it is asked again", () -> asked.size() == 2);
    asked.get(1).completeExceptionally(REPLACED);
    while (!done.isDone()) {
      awaitRead(3);
      readFails(REMOVED);
      world.time.pass(LONG_NANOS);
    }
    assertEquals(ErrorCode.GRANT_REVOKED, failure().code());
  }

  @Test
  void onlyAReadUnderPresentTermsAsksTheManager() {
    sender.renew(sender.terms(), REMOVED);
    assertEquals(1, asked.size());
    asked.get(0).complete(world.nextTerms(file.name(), file.map()));
    readFails(REMOVED);
    assertEquals(1, asked.size(), "that was of former terms");
    awaitRead(2);
    readFails(REMOVED);
    assertEquals(2, asked.size(), "nothing was asked for this read");
    asked.get(1).completeExceptionally(REPLACED);
    world.time.runUntil("it has failed", done::isDone);
    assertEquals(ErrorCode.GRANT_REVOKED, failure().code());
  }

  @Test
  void aManagerThatKnowsTheFileStillIsAskedOnce() {
    readFails(REMOVED);
    asked.get(0).complete(world.nextTerms(file.name(), file.map()));
    awaitRead(2);
    readFails(REMOVED);
    world.time.runUntil("it has failed", done::isDone);
    assertEquals(1, asked.size());
    assertEquals(ErrorCode.TOO_MANY_LOST, failure().code());
  }
}
