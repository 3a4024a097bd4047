package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.write;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.osd.store.Receipt;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.testkit.storage.StorageFaults;

/** A commit that fails unexpectedly ends the store for changes, and says so. */
class FaultyCommitTest {
  private Rig rig;

  @BeforeEach
  void openStore() throws WeftException {
    rig = Rig.small();
    rig.apply(write(1, 0, random(1, BLOCK)).build());
  }

  private void throwAtTheNext(StorageFaults.Kind kind, Throwable failure) {
    AtomicReference<Throwable> once = new AtomicReference<>(failure);
    rig.faults.failWhere(
        operation -> {
          Throwable now = operation.kind() == kind ? once.getAndSet(null) : null;
          if (now instanceof Error error) {
            throw error;
          } else if (now instanceof RuntimeException bug) {
            throw bug;
          }
          return false;
        },
        "");
  }

  private CompletableFuture<Receipt> applied(long object) {
    return rig.store.apply(write(object, 0, random(2, BLOCK)).build()).toCompletableFuture();
  }

  private static WeftException refusal(CompletableFuture<Receipt> failed) {
    assertTrue(failed.isDone(), "it is left waiting");
    return WeftException.of(assertThrows(CompletionException.class, failed::join));
  }

  @ParameterizedTest
  @ValueSource(
      classes = {StackOverflowError.class, AssertionError.class, ArithmeticException.class})
  void theWaitingCallerIsToldAndTheStoreSaysWhatIsWrong(Class<? extends Throwable> kind)
      throws Exception {
    throwAtTheNext(StorageFaults.Kind.KEY_WRITE, kind.getConstructor().newInstance());
    assertEquals(ErrorCode.STORE_FAILED, refusal(applied(2)).code());
    List<String> problems = rig.store.status().problems();
    assertTrue(problems.get(0).contains(kind.getName()), problems.toString());
    WeftException later = refusal(applied(3));
    assertEquals(ErrorCode.STORE_FAILED, later.code());
    assertTrue(later.getMessage().contains("start the OSD again"), later.getMessage());
    assertArrayEquals(random(1, BLOCK), read(rig.store, 1, 0, BLOCK));
    rig.stop();
    assertTrue(!rig.check(true).orderly(), "what lies where is counted anew");
    rig.open();
    rig.apply(write(2, 0, random(2, BLOCK)).build());
    rig.stop();
    rig.assertSound();
  }

  /** The thread that commits ends its stack while others have queued behind it. */
  @Test
  void callersThatQueuedBehindItAreToldToo() {
    CompletableFuture<CompletableFuture<Receipt>> behind = new CompletableFuture<>();
    rig.faults.failWhere(
        operation -> {
          if (operation.kind() == StorageFaults.Kind.KEY_WRITE && !behind.isDone()) {
            behind.complete(applied(3));
            throw new StackOverflowError();
          }
          return false;
        },
        "");
    assertEquals(ErrorCode.STORE_FAILED, refusal(applied(2)).code());
    assertEquals(ErrorCode.STORE_FAILED, refusal(behind.join()).code());
  }

  private ErrorCode failureOf(CompletionStage<?> stage) {
    return rig.await(stage.handle((result, failure) -> WeftException.of(failure).code()));
  }

  private void assertProblem(String part) {
    List<String> problems = rig.store.status().problems();
    assertTrue(problems.toString().contains(part), problems.toString());
  }

  @Test
  void aFailedSyncFailsItsWaitersAndEndsChanges() {
    throwAtTheNext(StorageFaults.Kind.FILE_SYNC, new StackOverflowError());
    assertEquals(ErrorCode.STORE_FAILED, failureOf(rig.store.checkpointNow()));
    assertProblem("StackOverflowError");
    assertEquals(ErrorCode.STORE_FAILED, refusal(applied(2)).code());
  }

  private CompletionStage<Receipt> applyWhatNeedsGrowth() {
    return rig.store.apply(write(9, 0, random(9, 12 << 20)).build());
  }

  @Test
  void aCallerThatWaitsForRoomIsTold() {
    throwAtTheNext(StorageFaults.Kind.FILE_RESIZE, new StackOverflowError());
    assertEquals(ErrorCode.BAD_MEDIA, failureOf(applyWhatNeedsGrowth()));
    assertProblem("StackOverflowError");
    rig.await(applyWhatNeedsGrowth());
  }

  @Test
  void theCallerOfAUnitThatIsPreparedOnceMoreIsTold() {
    AtomicReference<Boolean> armed = new AtomicReference<>(false);
    rig.faults.failWhere(
        operation -> {
          if (operation.kind() == StorageFaults.Kind.FILE_RESIZE) {
            armed.set(true);
          } else if (operation.kind() == StorageFaults.Kind.KEY_READ && armed.getAndSet(false)) {
            throw new StackOverflowError();
          }
          return false;
        },
        "");
    assertEquals(ErrorCode.INTERNAL, failureOf(applyWhatNeedsGrowth()));
    assertProblem("StackOverflowError");
    rig.await(applyWhatNeedsGrowth());
  }
}
