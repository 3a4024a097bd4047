package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.UnitPool;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.read.StripeReader;
import org.weft.client.stripe.read.StripeStream;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.osd.Fault;

/**
 * A process that has no memory left fails what needs some, wherever that is found out: no call
 * waits for what will not come, and everything else is given back.
 */
class WantOfMemoryTest {
  private static final int UNIT = 8192;
  private static final int MAX_BUFFERS = 200;

  /** A world, and an engine that gets so many buffers and no more. */
  private static final class Scarce {
    final StripeWorld world;
    final ModelFile file;
    final UnitPool pool;
    final StripeEngine engine;
    private int left;

    Scarce(int buffers) {
      world = new StripeWorld(1 + buffers, 8);
      file = new ModelFile(world, new Layout(4, 2, UNIT, 6, 1));
      left = buffers;
      pool = new UnitPool(StripeWorld.OPTIONS.poolBytes(), this::allocate);
      Environment environment =
          new Environment(
              world.time, world.time, world.time, world.random, world.wire, () -> "boot");
      engine =
          new StripeEngine(
              environment,
              world.connections,
              world.time.newPool("short of memory", 4, 10_000),
              StripeWorld.OPTIONS,
              pool);
    }

    private ByteBuffer allocate(int bytes) {
      if (left-- <= 0) {
        throw new OutOfMemoryError("no buffer is left");
      }
      return ByteBuffer.allocate(bytes);
    }

    /** Full, and without the component of that index if there is one. */
    WriteTerms stored(int missing) {
      file.open();
      file.write(0, world.bytes(8 * UNIT));
      file.close();
      world.time.pass(1_000_000_000L);
      StorageMap map = file.map;
      if (missing >= 0) {
        map = StripeWorld.missing(file.readable(), missing).map();
      }
      return world.reopened(file.name, map, 0);
    }

    StripeUpdater updater(int missing) {
      return engine.update(stored(missing), 8 * UNIT, Regrants.NONE, world.failures::add);
    }

    void assertNothingLeaks() {
      world.assertNothingLeaks();
      assertEquals(0, pool.reservedBytes(), "reserved bytes");
      assertEquals(0, pool.takenBytes(), "taken bytes");
    }
  }

  private static Throwable failureOf(Scarce world, Function<Scarce, CompletableFuture<?>> work) {
    try {
      CompletableFuture<?> ended = work.apply(world);
      world.world.time.runUntil("it has ended", ended::isDone);
      return ended.handle((value, why) -> why).join();
    } catch (OutOfMemoryError e) {
      throw new AssertionError("thrown, and not told by the future", e);
    }
  }

  /** With one buffer more each time, until there are enough. */
  private static void assertEnds(Function<Scarce, CompletableFuture<?>> work) {
    int failed = 0;
    for (int buffers = 0; buffers < MAX_BUFFERS; buffers++) {
      Scarce world = new Scarce(buffers);
      Throwable thrown = failureOf(world, work);
      world.assertNothingLeaks();
      if (thrown == null) {
        assertTrue(failed > 0, "memory was needed");
        return;
      }
      failed++;
      assertInstanceOf(OutOfMemoryError.class, WeftException.of(thrown).getCause());
    }
    throw new AssertionError("with " + MAX_BUFFERS + " buffers it fails still");
  }

  @Test
  void aStreamFails() {
    assertEnds(
        world -> {
          StripedFile file = world.world.newFile(new Layout(4, 2, UNIT, 6, 1));
          StripeWriter writer =
              world.engine.write(file, world.world.grant(file), FailureListener.NONE);
          return world.world.write(writer, world.world.bytes(14 * UNIT + 500));
        });
  }

  @Test
  void aChangeInsideAUnitFails() {
    assertEnds(world -> change(world, world.updater(-1), 100, 300));
  }

  @Test
  void aChangeOfSeveralStripesFails() {
    assertEnds(world -> change(world, world.updater(-1), UNIT + 100, 5 * UNIT));
  }

  @Test
  void aChangeThatHasToDecodeFails() {
    assertEnds(world -> change(world, world.updater(0), UNIT + 100, 300));
  }

  @Test
  void aReadThatHasToDecodeFails() {
    assertEnds(
        world -> {
          StripedFile file = world.stored(0).file();
          ByteBuffer target = ByteBuffer.allocate(8 * UNIT);
          return world
              .engine
              .read(file, 8 * UNIT, false, FailureListener.NONE)
              .read(0, target)
              .thenAccept(
                  count ->
                      assertArrayEquals(world.file.model, Arrays.copyOf(target.array(), count)));
        });
  }

  /** An engine whose sends fail, from one on that is drawn, as where no request can be made. */
  private static final class Unsent {
    private final StripeWorld world = new StripeWorld(7, 8);
    private final CompletableFuture<Void> gate = new CompletableFuture<>();
    private final byte[] content = world.bytes(8 * UNIT);
    private final StripedFile file = world.newFile(new Layout(4, 2, UNIT, 6, 1));
    private final StripeEngine engine;
    private int left = Integer.MAX_VALUE;

    Unsent() {
      Environment environment =
          new Environment(
              world.time, this::nowNanos, world.time, world.random, world.wire, () -> "boot");
      engine =
          new StripeEngine(
              environment,
              world.connections,
              world.time.newPool("cannot send", 4, 10_000),
              StripeWorld.OPTIONS);
      world.writeAll(file, content);
      world.osds.forEach(
          osd -> osd.faults(opcode -> opcode == Opcode.READ ? Fault.hold(gate) : Fault.NONE));
    }

    /** The time is asked for before each request. */
    private long nowNanos() {
      if (left-- <= 0) {
        throw new OutOfMemoryError("no request can be made");
      }
      return world.time.nowNanos();
    }

    StripeReader reader() {
      return engine.read(file, content.length, false, FailureListener.NONE);
    }

    void answer() {
      answer(Integer.MAX_VALUE);
    }

    void answer(int moreTimes) {
      left = moreTimes;
      gate.complete(null);
      world.time.pass(1_000_000_000L);
    }
  }

  /** Those that were sent before are under way, and write to the buffer when they are answered. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void aPartlySentReadEndsOnceItsBufferIsIdle(int sends) {
    Unsent unsent = new Unsent();
    byte[] target = new byte[unsent.content.length];
    unsent.left = sends;
    CompletableFuture<Integer> read = unsent.reader().read(0, ByteBuffer.wrap(target));
    unsent.world.time.pass(1_000_000L);
    boolean early = read.isDone();
    byte[] before = target.clone();
    unsent.answer();
    assertTrue(read.isDone());
    if (early) {
      assertArrayEquals(before, target, "the buffer was the caller's again");
    }
    unsent.world.assertNothingLeaks();
  }

  /** A read waits for the last of its answers, whatever one of them meets. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aReadEndsWhoseAnswersCannotBeTaken(int taken) {
    Unsent unsent = new Unsent();
    CompletableFuture<Integer> read =
        unsent.reader().read(0, ByteBuffer.allocate(unsent.content.length));
    unsent.world.time.pass(1_000_000L);
    unsent.answer(taken);
    assertTrue(read.isDone(), "it is left waiting");
    unsent.world.assertNothingLeaks();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void aPartlySentStreamKeepsItsMemoryWhileThreadsWrite(int sends) {
    Unsent unsent = new Unsent();
    StripeStream stream = unsent.reader().stream(0);
    unsent.left = sends;
    CompletableFuture<Integer> read = stream.read(ByteBuffer.allocate(unsent.content.length));
    unsent.world.time.pass(1_000_000L);
    stream.close();
    unsent.answer();
    assertTrue(read.isDone());
    assertEquals(0, unsent.engine.context().pool().reservedBytes());
    unsent.world.assertNothingLeaks();
  }

  /** And once more, which must not wait for the first. */
  private static CompletableFuture<?> change(
      Scarce world, StripeUpdater updater, int position, int length) {
    ByteBuffer data = ByteBuffer.wrap(world.world.bytes(length));
    return updater
        .write(position, data.duplicate())
        .handle((nothing, thrown) -> thrown)
        .thenCompose(
            thrown ->
                updater
                    .write(position, data.duplicate())
                    .handle((nothing, again) -> thrown == null ? again : thrown))
        .thenCompose(
            thrown -> {
              updater.close();
              return thrown == null
                  ? CompletableFuture.completedFuture(null)
                  : CompletableFuture.failedFuture(thrown);
            });
  }
}
