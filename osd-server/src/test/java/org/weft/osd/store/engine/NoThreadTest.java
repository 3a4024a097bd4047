package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.write;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.osd.store.Receipt;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Scheduler;
import org.weft.testkit.storage.StorageFaults;

/** The system gives the store no thread: waiting callers are told, and later ones are served. */
class NoThreadTest {
  private Rig rig;
  private String without = "";
  private Error refusal = new OutOfMemoryError("unable to create native thread");

  /** Executors of virtual time, of which those of one name cannot get their thread. */
  private final class FewThreads implements Scheduler {
    @Override
    public Timer schedule(long delayNanos, Executor executor, Runnable task) {
      return rig.time.schedule(delayNanos, executor, task);
    }

    @Override
    public OwnedExecutor newSerialExecutor(String name) {
      return new Some(name, rig.time.newSerialExecutor(name));
    }

    @Override
    public OwnedExecutor newPool(String name, int threads, int queueLimit) {
      return new Some(name, rig.time.newPool(name, threads, queueLimit));
    }
  }

  private final class Some implements Scheduler.OwnedExecutor {
    private final String name;
    private final Scheduler.OwnedExecutor real;

    private Some(String name, Scheduler.OwnedExecutor real) {
      this.name = name;
      this.real = real;
    }

    @Override
    public void execute(Runnable task) {
      if (!without.isEmpty() && name.startsWith(without)) {
        throw refusal;
      }
      real.execute(task);
    }

    @Override
    public void close() {
      real.close();
    }
  }

  @BeforeEach
  void openStore() throws WeftException {
    rig = Rig.small();
    rig.stop();
    rig.store =
        OsdfsStore.open(
            rig.options, rig.tables, rig.segments, new FewThreads(), rig.random, () -> "boot-1");
    rig.apply(write(1, 0, random(1, BLOCK)).build());
  }

  /** It has ended by then, or is left waiting for ever. */
  private static ErrorCode failureOf(CompletionStage<?> stage) {
    CompletableFuture<?> ended = stage.toCompletableFuture();
    assertTrue(ended.isDone(), "it is left waiting");
    Throwable failure = ended.handle((result, thrown) -> thrown).join();
    assertNotNull(failure, "it succeeded");
    return WeftException.of(failure).code();
  }

  @Test
  void aCallerThatWaitsForACheckpointIsTold() {
    without = "osd-sync";
    assertEquals(ErrorCode.OVERLOADED, failureOf(rig.store.checkpointNow()));
    without = "";
    rig.await(rig.store.checkpointNow());
    rig.apply(write(2, 0, random(2, BLOCK)).durable().build());
  }

  /** A brief change is committed by a thread that must not stay, and another change has come. */
  @ParameterizedTest
  @ValueSource(classes = {OutOfMemoryError.class, StackOverflowError.class, InternalError.class})
  void aChangeThatCannotBeHandedOverIsCommitted(Class<? extends Error> kind)
      throws ReflectiveOperationException {
    rig.apply(write(1, 0, random(1, BLOCK)).by(100, 1).build());
    CompletableFuture<CompletionStage<Receipt>> behind = new CompletableFuture<>();
    rig.faults.failWhere(
        operation -> {
          if (operation.kind() == StorageFaults.Kind.KEY_WRITE && !behind.isDone()) {
            behind.complete(rig.store.apply(write(2, 0, random(2, BLOCK)).build()));
          }
          return false;
        },
        "");
    refusal = kind.getConstructor().newInstance();
    without = "osd-commit";
    CompletionStage<Receipt> first =
        rig.store
            .applyNow(write(1, 100, random(3, 50)).by(100, 2).complete(1).build())
            .orElseThrow();
    rig.time.pass(1_000_000L);
    assertTrue(first.toCompletableFuture().isDone(), "it is left waiting");
    assertTrue(behind.join().toCompletableFuture().isDone(), "it is left waiting");
    without = "";
    rig.apply(write(3, 0, random(3, BLOCK)).build());
  }

  @Test
  void aCallerThatWaitsForRoomIsTold() {
    without = "osd-space";
    CompletionStage<?> large = rig.store.apply(write(9, 0, random(9, 12 << 20)).build());
    rig.time.pass(1_000_000L);
    assertEquals(ErrorCode.OVERLOADED, failureOf(large));
    without = "";
    rig.apply(write(9, 0, random(9, 12 << 20)).build());
  }
}
