package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.osd.Fault;

/**
 * An error that is thrown once, at one of the places where the engine asks for the time: whatever
 * is under way ends, well or not, and gives its memory back.
 */
class OneErrorTest {
  private static final int UNIT = 8192;
  private static final int MAX_PLACES = 2_000;
  private static final int TOGETHER = 7;
  private static final long GIVEN_UP_NANOS = 1_500_000_000L;

  /** An engine on a clock that throws once. */
  private static final class World {
    private final StripeWorld stripes = new StripeWorld(3, 8);
    private final byte[] content = stripes.bytes(8 * UNIT);
    private final StripedFile file = stripes.newFile(new Layout(4, 2, UNIT, 6, 1));
    private final Class<? extends Error> kind;
    private final StripeEngine engine;
    private int left = Integer.MAX_VALUE;
    private boolean thrown;

    World(Class<? extends Error> kind) {
      this.kind = kind;
      Environment environment =
          new Environment(
              stripes.time,
              this::nowNanos,
              stripes.time,
              stripes.random,
              stripes.wire,
              () -> "boot");
      engine =
          new StripeEngine(
              environment,
              stripes.connections,
              stripes.time.newPool("meets an error", 4, 10_000),
              StripeWorld.OPTIONS);
    }

    private long nowNanos() {
      if (left-- == 0) {
        thrown = true;
        throw error();
      }
      return stripes.time.nowNanos();
    }

    private Error error() {
      try {
        return kind.getConstructor().newInstance();
      } catch (ReflectiveOperationException e) {
        throw new AssertionError(e);
      }
    }

    void store() {
      stripes.writeAll(file, content);
    }

    /** Of the stored file. */
    StripeUpdater updater(Regrants manager) {
      return engine.update(
          stripes.reopened(file.name(), file.map(), 0),
          content.length,
          manager,
          stripes.failures::add);
    }
  }

  /** The error comes at one place after another, until there is none left. */
  private static void assertEnds(
      Class<? extends Error> kind, Function<World, CompletableFuture<?>> work) {
    for (int place = 0; place < MAX_PLACES; place++) {
      World world = new World(kind);
      world.store();
      world.left = place;
      CompletableFuture<?> ended;
      try {
        ended = work.apply(world);
      } catch (Error e) {
        // The caller hears of it at once; what has been sent before ends by itself.
        assertTrue(kind.isInstance(e), e::toString);
        ended = CompletableFuture.completedFuture(null);
      }
      world.stripes.time.runUntil("it has ended", ended::isDone);
      world.stripes.time.pass(1_000_000_000L);
      world.stripes.assertNothingLeaks();
      if (!world.thrown) {
        assertTrue(place > 2, "the time was asked for");
        return;
      }
    }
    throw new AssertionError("the time is asked for without end");
  }

  private static CompletableFuture<Void> flushedAndClosed(StripeUpdater updater) {
    CompletableFuture<Void> durable = new CompletableFuture<>();
    try {
      durable = updater.makeDurable();
    } catch (Error e) {
      durable.completeExceptionally(e);
    }
    return durable.whenComplete((nothing, failure) -> updater.close());
  }

  @ParameterizedTest
  @ValueSource(classes = {OutOfMemoryError.class, StackOverflowError.class})
  void aReadThatDecodesBesideAWriterEnds(Class<? extends Error> kind) {
    assertEnds(
        kind,
        world -> {
          StripedFile damaged = StripeWorld.missing(world.file, 0);
          byte[] target = new byte[world.content.length];
          return world
              .engine
              .read(damaged, world.content.length, true, FailureListener.NONE)
              .read(0, ByteBuffer.wrap(target))
              .handle(
                  (count, failure) -> {
                    if (failure == null) {
                      assertArrayEquals(world.content, target);
                    }
                    return null;
                  });
        });
  }

  @ParameterizedTest
  @ValueSource(classes = {OutOfMemoryError.class, StackOverflowError.class})
  void aStreamThatIsWrittenEnds(Class<? extends Error> kind) {
    assertEnds(
        kind,
        world -> {
          StripedFile file = world.stripes.newFile(new Layout(4, 2, UNIT, 6, 1));
          StripeWriter writer =
              world.engine.write(file, world.stripes.grant(file), FailureListener.NONE);
          return world
              .stripes
              .write(writer, world.stripes.bytes(9 * UNIT + 500))
              .handle((nothing, failure) -> null);
        });
  }

  @ParameterizedTest
  @ValueSource(classes = {OutOfMemoryError.class, StackOverflowError.class})
  void aChangeInsideAUnitEnds(Class<? extends Error> kind) {
    assertEnds(
        kind,
        world -> {
          StripeUpdater updater = world.updater(Regrants.NONE);
          return updater
              .write(100, ByteBuffer.wrap(world.stripes.bytes(300)))
              .handle((nothing, failure) -> null)
              .thenCompose(nothing -> flushedAndClosed(updater));
        });
  }

  /** They wait for each other at the components: one that ends starts the next. */
  @ParameterizedTest
  @ValueSource(classes = {OutOfMemoryError.class, StackOverflowError.class})
  void changesThatFollowEachOtherEnd(Class<? extends Error> kind) {
    assertEnds(
        kind,
        world -> {
          StripeUpdater updater = world.updater(Regrants.NONE);
          List<CompletableFuture<?>> writes = new ArrayList<>();
          for (int count = 0; count < TOGETHER; count++) {
            ByteBuffer bytes = ByteBuffer.wrap(world.stripes.bytes(300));
            try {
              writes.add(updater.write(100 + 40L * count, bytes));
            } catch (Error e) {
              assertTrue(kind.isInstance(e), e::toString);
            }
          }
          return CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new))
              .handle((nothing, failure) -> null)
              .thenCompose(nothing -> flushedAndClosed(updater));
        });
  }

  /** An OSD says nothing, and the manager gives its component up when it is asked again. */
  @ParameterizedTest
  @ValueSource(classes = {OutOfMemoryError.class, StackOverflowError.class})
  void aWriteThatGetsAnotherGrantEnds(Class<? extends Error> kind) {
    assertEnds(
        kind,
        world -> {
          WriteTerms terms = world.stripes.reopened(world.file.name(), world.file.map(), 0);
          Regranting manager = new Regranting(world.stripes, terms);
          OsdId silent = world.file.map().osdOf(0);
          world.stripes.osd(silent).faults(opcode -> Fault.SILENCE);
          world.stripes.time.after(GIVEN_UP_NANOS, () -> manager.giveUp(silent));
          StripeUpdater updater =
              world.engine.update(
                  terms, world.content.length, manager, world.stripes.failures::add);
          return updater
              .write(100, ByteBuffer.wrap(world.stripes.bytes(6 * UNIT)))
              .handle((nothing, failure) -> null)
              .thenCompose(nothing -> flushedAndClosed(updater));
        });
  }

  @ParameterizedTest
  @ValueSource(classes = {OutOfMemoryError.class, StackOverflowError.class})
  void aWriteEndsForWhichTheManagerCannotBeAsked(Class<? extends Error> kind) {
    World world = new World(kind);
    world.store();
    world.stripes.osdOf(world.file, 0).faults(opcode -> Fault.SILENCE);
    StripeUpdater updater =
        world.updater(
            (under, lost, upTo) -> {
              throw world.error();
            });
    CompletableFuture<Void> written =
        updater.write(100, ByteBuffer.wrap(world.stripes.bytes(6 * UNIT)));
    world.stripes.time.runUntil("it has ended", written::isDone);
    assertTrue(written.isCompletedExceptionally());
    updater.close();
    world.stripes.time.pass(1_000_000_000L);
    world.stripes.assertNothingLeaks();
  }
}
