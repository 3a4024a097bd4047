package org.weft.client.stripe.commit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.FlushedFile;
import org.weft.client.stripe.Regranting;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.read.StripeReader;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.client.stripe.write.WrittenFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** Files that are flushed while they are written, and appended to (P 4.2, 5.3, 5.6, 6.5). */
class FlushTest {
  private static final Set<Opcode> CHANGING =
      EnumSet.of(Opcode.WRITE, Opcode.XOR_READ_WRITE, Opcode.XOR_WRITE, Opcode.FLUSH);

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Long.getLong("weft.seeds", 20));
  }

  private static FlushedFile file(long seed) {
    StripeWorld world = new StripeWorld(seed, 36);
    return new FlushedFile(world, FlushedFile.layout(world.random));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aFlushReachesAllComponentsWithRightParity(long seed) {
    FlushedFile file = file(seed);
    for (int step = 0; step < 30; step++) {
      switch (file.random.nextInt(8)) {
        case 0 -> file.reopen();
        case 1, 2, 3, 4 -> file.world.time.await(file.write());
        default -> {
          boolean durable = file.random.nextInt(3) == 0;
          file.world.time.await(file.flush(durable));
          if (durable) {
            file.assertDurable();
          }
          file.assertComponents();
          file.assertReadable(true);
          file.assertParity();
        }
      }
    }
    file.close();
    file.assertReadable(false);
    file.assertParity();
    assertEquals(List.of(), file.world.failures);
    file.assertNothingWaits();
  }

  /** P 5.4: what is repeated, late or refused for a while changes nothing. */
  @ParameterizedTest
  @MethodSource("seeds")
  void lostAndLateMessagesAreRiddenOut(long seed) {
    FlushedFile file = file(seed);
    StripeWorld world = file.world;
    for (FakeOsd osd : world.osds) {
      osd.faults(opcode -> CHANGING.contains(opcode) ? some(world) : Fault.NONE);
    }
    for (int step = 0; step < 16; step++) {
      switch (world.random.nextInt(6)) {
        case 0 -> file.reopen();
        case 1, 2, 3 -> world.time.await(file.write());
        default -> {
          world.time.await(file.flush(world.random.nextBoolean()));
          file.assertReadable(true);
          file.assertParity();
        }
      }
    }
    file.close();
    world.time.pass(30_000_000_000L);
    file.assertReadable(false);
    file.assertParity();
    file.assertNothingWaits();
  }

  private static Fault some(StripeWorld world) {
    return switch (world.random.nextInt(14)) {
      case 0 -> Fault.CUT_BEFORE;
      case 1 -> Fault.CUT_AFTER;
      case 2 -> Fault.refuse(ErrorCode.BUSY);
      case 3 -> Fault.refuse(ErrorCode.OVERLOADED);
      case 4 -> late(world);
      default -> Fault.NONE;
    };
  }

  /** Carried out long after it was given up and sent again. */
  private static Fault late(StripeWorld world) {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world.time.after(world.random.nextLong(5_000_000_000L), () -> gate.complete(null));
    return Fault.hold(gate);
  }

  @Test
  void aFlushWaitsForTheParity() {
    StripeWorld world = new StripeWorld(1, 6);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(3, 2));
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world.osd(file.map().osdOf(1)).faults(opcode -> Fault.hold(gate));
    world.time.await(file.writer.write(ByteBuffer.allocate(UNIT_BYTES + 1)));
    CompletableFuture<WrittenFile> flushed = file.writer.flush(false);
    world.time.pass(500_000_000L);
    assertFalse(flushed.isDone());
    assertThrows(IllegalStateException.class, () -> file.writer.write(ByteBuffer.allocate(1)));
    gate.complete(null);
    assertEquals(UNIT_BYTES + 1, world.time.await(flushed).sizeBytes());
  }

  @Test
  void aFlushOfNothingNewSendsNoRequest() {
    StripeWorld world = new StripeWorld(2, 6);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(3, 2));
    world.time.await(file.writer.write(ByteBuffer.allocate(10_000)));
    world.time.await(file.writer.flush(true));
    world.time.pass(1_000_000_000L);
    world.osds.forEach(osd -> osd.faults(opcode -> Fault.SILENCE));
    assertEquals(10_000, world.time.await(file.writer.flush(false)).sizeBytes());
    assertEquals(10_000, world.time.await(file.writer.flush(true)).sizeBytes());
  }

  /** A record of a few bytes costs a block on its component and one on each parity. */
  @Test
  void aFlushSendsOnlyTheBlocksThatHaveChanged() {
    StripeWorld world = new StripeWorld(3, 6);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(3, 2));
    world.time.await(file.writer.write(ByteBuffer.allocate(UNIT_BYTES + 5_000)));
    world.time.await(file.writer.flush(false));
    world.time.pass(1_000_000_000L);
    long before = world.osds.stream().mapToLong(FakeOsd::executedWrites).sum();
    world.time.await(file.writer.write(ByteBuffer.allocate(100)));
    world.time.await(file.writer.flush(false));
    assertEquals(before + 3, world.osds.stream().mapToLong(FakeOsd::executedWrites).sum());
  }

  /** Components that must exist are not made again: an absent one is lost, not empty (P 4.2). */
  @Test
  void anAppenderDoesNotMakeALostComponentAgain() {
    StripeWorld world = new StripeWorld(4, 6);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(3, 2));
    world.time.await(file.writer.write(ByteBuffer.allocate(5 * UNIT_BYTES + 10)));
    file.writer.close();
    world.time.pass(1_000_000_000L);
    int lost = file.layout.dataComponent(1, 2);
    world.osd(file.map().osdOf(lost)).loseObject(file.name);
    WriteTerms terms = world.nextTerms(file.name, file.map());
    StripeWriter writer =
        world.time.await(
            world.engine.append(terms, 5 * UNIT_BYTES + 10, Regrants.NONE, world.failures::add));
    world.time.await(writer.write(ByteBuffer.allocate(3 * UNIT_BYTES)));
    WeftException failure = world.failureOf(writer.flush(false));
    assertEquals(ErrorCode.NO_SUCH_OBJECT, failure.code());
    assertFalse(world.osd(file.map().osdOf(lost)).objects().contains(file.name));
  }

  @Test
  void everyWriteCarriesTheTruncationNumberOfItsGrant() {
    StripeWorld world = new StripeWorld(5, 6);
    StripedFile striped = world.newFile(StripeWorld.layout(3, 1));
    StripeGrant grant = new StripeGrant(StripeWorld.grantOf(striped), 4, Optional.empty(), 7);
    StripeWriter writer =
        world.engine.write(new WriteTerms(striped, grant), Regrants.NONE, world.failures::add);
    world.time.await(writer.write(ByteBuffer.allocate(2 * UNIT_BYTES)));
    world.time.await(writer.close());
    StripedFile managed = world.managed(striped);
    for (int component = 0; component < managed.layout().componentCount(); component++) {
      GetAttributesReply state = world.time.await(world.context.attributesOf(managed, component));
      assertEquals(7, state.getTruncationNumber());
      assertEquals(2 * UNIT_BYTES, state.getEof());
    }
  }

  /** The grant was taken, versions were raised, another writes: the first one is out (P 5.7). */
  @ParameterizedTest
  @MethodSource("seeds")
  void aWriterWhoseGrantWasTakenChangesNothingMore(long seed) {
    StripeWorld world = new StripeWorld(seed, 12);
    FlushedFile file =
        new FlushedFile(
            world, StripeWorld.layout(1 + world.random.nextInt(8), world.random.nextInt(4)));
    while (file.layout.isSmall(file.writer.positionBytes())) {
      world.time.await(file.write());
    }
    world.time.await(file.flush(false));
    StripeWriter zombie = file.writer;
    WriteTerms next = world.nextTerms(file.name, file.map());
    file.manager = new Regranting(world, next);
    file.writer =
        world.time.await(
            world.engine.append(next, file.flushedBytes(), file.manager, world.failures::add));
    // The manager raises all versions before it grants anew: here the new grant's own word does.
    List<Integer> all = IntStream.range(0, file.layout.componentCount()).boxed().toList();
    FileWriteService fence = world.sender(next, file.flushedBytes(), file.manager, f -> {});
    world.time.await(fence.submit(new Announcement(world.context, all)));
    CompletableFuture<WrittenFile> late =
        zombie
            .write(ByteBuffer.wrap(world.bytes(10_000)))
            .thenCompose(nothing -> zombie.flush(false));
    world.time.await(file.write());
    world.time.await(file.flush(false));
    assertEquals(ErrorCode.FENCED, world.failureOf(late).code());
    file.close();
    file.assertReadable(false);
    file.assertParity();
  }

  /**
   * P 5.6: a reader that decodes beside a writer that never stops flushing gets what was published.
   */
  @ParameterizedTest
  @MethodSource("seeds")
  void aDegradedReadEndsBesideAConstantlyFlushingWriter(long seed) {
    StripeWorld world = new StripeWorld(seed, 8);
    Layout layout = StripeWorld.layout(2 + world.random.nextInt(3), 1 + world.random.nextInt(2));
    FlushedFile file = new FlushedFile(world, layout);
    // A component of the file is marked missing from birth on.
    int gone = world.random.nextInt(layout.width());
    TreeSet<Integer> missing = new TreeSet<>(Set.of(gone));
    StripedFile lessened = StripeWorld.missing(file.manager.terms().file(), gone);
    WriteTerms terms = new WriteTerms(lessened, file.manager.terms().grant());
    StripeWriter writer = world.engine.write(terms, Regrants.NONE, world.failures::add);
    byte[] content = world.bytes(40_000);
    int[] published = {0};
    flushOn(world, writer, content, published);
    int last = 0;
    while (last < content.length) {
      int seen = last;
      world.time.runUntil("more is published", () -> published[0] > seen);
      last = published[0];
      StripedFile readable = world.readable(file.name, file.map(), missing);
      StripeReader reader = world.engine.read(readable, last, true, failure -> {});
      assertArrayEquals(Arrays.copyOf(content, last), world.readAll(reader));
    }
  }

  /** Flushes, tells the manager, and writes the next record at once. */
  private static void flushOn(
      StripeWorld world, StripeWriter writer, byte[] content, int[] published) {
    int from = (int) writer.positionBytes();
    int count = Math.min(content.length - from, 1 + world.random.nextInt(2_000));
    if (count == 0) {
      return;
    }
    var unused =
        writer
            .write(ByteBuffer.wrap(content, from, count))
            .thenCompose(nothing -> writer.flush(false))
            .thenAccept(
                file ->
                    world.time.after(
                        1_000_000L + world.random.nextInt(1_000_000),
                        () -> {
                          published[0] = (int) file.sizeBytes();
                          flushOn(world, writer, content, published);
                        }));
  }
}
