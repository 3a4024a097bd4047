package org.weft.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.callback.Callbacks;
import org.weft.client.file.FileSink;
import org.weft.client.file.MemoryData;
import org.weft.testkit.process.Await;

/** A stream whose thread is interrupted finishes the file, or gives it up where that takes long. */
@Timeout(60)
class InterruptedOutputTest {
  private static final int LARGE_BYTES = 300_000;

  private final MemoryData data = new MemoryData();
  private final Slow slow = new Slow();

  /** A sink whose calls take until they are let go on. */
  private final class Slow implements FileSink {
    private final CompletableFuture<Void> gate = new CompletableFuture<>();

    @Override
    public CompletableFuture<Void> write(ByteBuffer bytes) {
      return gate.thenCompose(nothing -> data.write(bytes));
    }

    @Override
    public CompletableFuture<Written> flush(boolean onStableStorage) {
      return gate.thenCompose(nothing -> data.flush(onStableStorage));
    }

    @Override
    public CompletableFuture<Written> finish() {
      return gate.thenCompose(nothing -> data.finish());
    }

    @Override
    public void drop() {
      data.drop();
    }
  }

  private WeftOutputStream stream() {
    return new WeftOutputStream(
        new WeftOutput(WeftPath.of("/f"), slow, data, 0, new Callbacks(Runnable::run)));
  }

  /** What a writer does when its thread is interrupted. */
  private enum Step {
    SMALL_WRITE,
    LARGE_WRITE,
    HFLUSH,
    HSYNC,
    CLOSE;

    void run(WeftOutputStream stream) throws IOException {
      switch (this) {
        case SMALL_WRITE -> stream.write(7);
        case LARGE_WRITE -> stream.write(new byte[LARGE_BYTES]);
        case HFLUSH -> stream.hflush();
        case HSYNC -> stream.hsync();
        case CLOSE -> stream.close();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void anInterruptedThreadFinishesItsFileAndStaysInterrupted(Step step) throws IOException {
    slow.gate.complete(null);
    WeftOutputStream stream = stream();
    stream.write(1);
    Thread.currentThread().interrupt();
    try {
      step.run(stream);
      assertTrue(Thread.currentThread().isInterrupted());
      stream.write(2);
      stream.close();
    } catch (IOException e) {
      assertTrue(step == Step.CLOSE && e.getMessage().contains("closed"), e::toString);
    } finally {
      assertTrue(Thread.interrupted());
    }
    assertEquals(data.written.size(), stream.status().sizeBytes());
    assertTrue(data.written.size() > 0);
    assertEquals(
        "closed at " + data.written.size() + ", complete up to 7",
        data.events.get(data.events.size() - 1));
  }

  /** Runs it in a thread that is interrupted while it waits. */
  private static FutureTask<Boolean> interrupted(Step step, WeftOutputStream stream, int times)
      throws InterruptedException {
    FutureTask<Boolean> call =
        new FutureTask<>(
            () -> {
              try {
                step.run(stream);
                return Thread.currentThread().isInterrupted();
              } catch (InterruptedIOException e) {
                assertTrue(Thread.currentThread().isInterrupted());
                throw e;
              }
            });
    Thread thread = new Thread(call, "writer");
    thread.start();
    awaitState(thread, Thread.State.WAITING);
    thread.interrupt();
    awaitState(thread, Thread.State.TIMED_WAITING);
    if (times > 1) {
      thread.interrupt();
      thread.join();
    }
    return call;
  }

  private static void awaitState(Thread thread, Thread.State state) {
    Await.until(
        "the thread is " + state,
        () -> {
          assertTrue(thread.isAlive(), "the thread has ended");
          return thread.getState() == state;
        });
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"LARGE_WRITE", "HFLUSH", "HSYNC", "CLOSE"})
  void aThreadThatIsInterruptedWhileItWaitsWaitsOn(Step step) throws Exception {
    WeftOutputStream stream = stream();
    stream.write(1);
    FutureTask<Boolean> call = interrupted(step, stream, 1);
    slow.gate.complete(null);
    assertTrue(call.get(60, TimeUnit.SECONDS), "the thread is no longer interrupted");
    stream.close();
    assertEquals(step == Step.LARGE_WRITE ? LARGE_BYTES + 1 : 1, stream.status().sizeBytes());
  }

  private static void assertBrokenOff(FutureTask<Boolean> call) {
    ExecutionException failure = assertThrows(ExecutionException.class, call::get);
    assertInstanceOf(InterruptedIOException.class, failure.getCause());
  }

  /** The write goes on after it: the same bytes must not come once more with the next call. */
  @ParameterizedTest
  @ValueSource(strings = {"LARGE_WRITE", "HFLUSH", "HSYNC"})
  void aCallThatIsInterruptedAgainGivesTheFileUp(String step) throws Exception {
    WeftOutputStream stream = stream();
    stream.write(1);
    assertBrokenOff(interrupted(Step.valueOf(step), stream, 2));
    assertEquals(List.of("sink abandoned", "grant abandoned"), data.events);
    slow.gate.complete(null);
    int writtenBytes = data.written.size();
    IOException closed = assertThrows(IOException.class, stream::close);
    assertTrue(closed.getMessage().contains("interrupted"), closed::toString);
    assertThrows(IOException.class, () -> stream.write(1));
    assertThrows(IOException.class, stream::hflush);
    assertEquals(writtenBytes, data.written.size());
    assertEquals(List.of("sink abandoned", "grant abandoned"), data.events);
    stream.abort();
  }

  @Test
  void anInterruptedCloseGoesOnAndTheNextCloseWaits() throws Exception {
    WeftOutputStream stream = stream();
    assertBrokenOff(interrupted(Step.CLOSE, stream, 2));
    slow.gate.complete(null);
    stream.close();
    assertEquals(0, stream.status().sizeBytes());
    assertEquals(List.of("finish", "closed at 0, complete up to 7"), data.events);
  }
}
