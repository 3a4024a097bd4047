package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.osd.OsdClient;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.hedge.HedgeLimits;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.WriteRequest;
import org.weft.testkit.osd.Fault;

/** P 5.6, counterexample 17: a unit decoded beside a live writer is one that the writer wrote. */
class DecodeCheckTest {
  private static final int VERSIONS = 40;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Long.getLong("weft.seeds", 20));
  }

  /**
   * Overwrites stripe 0 again and again, unit by unit in random order, as an appender with hflush
   * does.
   */
  private static final class Overwriter {
    private final StripeWorld world;
    private final StripedFile file;
    private final Layout layout;
    private final OsdClient osds;
    private final List<byte[][]> versions = new ArrayList<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private long seq = 1;

    Overwriter(StripeWorld world, StripedFile file) {
      this.world = world;
      this.file = file;
      this.layout = file.map().layout();
      this.osds = new OsdClient(world.connections, world.time.newPool("writer", 4, 1000));
    }

    CompletableFuture<Void> start() {
      next();
      return done;
    }

    private void next() {
      if (versions.size() == VERSIONS) {
        done.complete(null);
        return;
      }
      byte[][] units = new byte[layout.width()][UNIT_BYTES];
      ByteBuffer[] data = new ByteBuffer[layout.dataUnits()];
      for (int i = 0; i < data.length; i++) {
        units[i] = world.bytes(UNIT_BYTES);
        data[i] = ByteBuffer.wrap(units[i]);
      }
      ByteBuffer[] parity =
          Arrays.stream(units, data.length, units.length)
              .map(ByteBuffer::wrap)
              .toArray(ByteBuffer[]::new);
      new ErasureCode(data.length, parity.length).encode(data, parity);
      versions.add(units);
      seq++;
      List<Integer> order = new ArrayList<>();
      for (int unit = 0; unit < units.length; unit++) {
        order.add(unit);
      }
      Collections.shuffle(order, world.random);
      writeFrom(units, order);
    }

    /** One after another or several at once: the stripe is torn for as long as possible. */
    private void writeFrom(byte[][] units, List<Integer> order) {
      if (order.isEmpty()) {
        rest();
        return;
      }
      int count = 1 + world.random.nextInt(order.size());
      CompletableFuture<?>[] written =
          order.subList(0, count).stream()
              .map(unit -> write(units[unit], component(unit)))
              .toArray(CompletableFuture<?>[]::new);
      var unused =
          CompletableFuture.allOf(written)
              .thenRun(() -> writeFrom(units, order.subList(count, order.size())));
    }

    /** At times all components hear that the last version is complete, and nothing is pending. */
    private void rest() {
      if (world.random.nextBoolean()) {
        next();
        return;
      }
      WriteRequest.Builder completion =
          WriteRequest.newBuilder()
              .setObjectId(file.name().object().value())
              .setGrant(StripeWorld.grantOf(file))
              .setCompleteUpTo(seq);
      CompletableFuture<?>[] told = new CompletableFuture<?>[layout.width()];
      for (int unit = 0; unit < told.length; unit++) {
        told[unit] =
            osds.write(file.target(component(unit), 1_000), completion.clone(), Payload.EMPTY);
      }
      var unused =
          CompletableFuture.allOf(told)
              .thenRun(() -> world.time.after(world.random.nextInt(1_000_000), this::next));
    }

    private int component(int unit) {
      return unit < layout.dataUnits()
          ? layout.dataComponent(0, unit)
          : layout.parityComponent(0, unit - layout.dataUnits());
    }

    private CompletableFuture<?> write(byte[] unit, int component) {
      WriteRequest.Builder request =
          WriteRequest.newBuilder()
              .setObjectId(file.name().object().value())
              .setGrant(StripeWorld.grantOf(file))
              .setFirstSeq(seq)
              .setSeqCount(1)
              .setEof(file.map().layout().stripeBytes())
              .setCompleteUpTo(seq - 1);
      for (int crc : BlockChecksums.of(ByteBuffer.wrap(unit))) {
        request.addBlockCrc(crc);
      }
      return osds.write(file.target(component, 1_000), request, Payload.of(ByteBuffer.wrap(unit)));
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aDecodedUnitIsOneThatTheWriterWrote(long seed) {
    StripeWorld world = new StripeWorld(seed, 8);
    int k = 2 + world.random.nextInt(3);
    int m = 1 + world.random.nextInt(2);
    StripedFile file = world.newFile(StripeWorld.layout(k, m));
    byte[] content = world.bytes(k * UNIT_BYTES);
    world.writeAll(file, content);
    world.osds.forEach(osd -> osd.faults(opcode -> slowRead(world, opcode)));
    Overwriter overwriter = new Overwriter(world, file);
    CompletableFuture<Void> overwritten = overwriter.start();
    int lost = world.random.nextInt(k);
    StripedFile lessened = StripeWorld.missing(file, file.map().layout().dataComponent(0, lost));
    StripeReader reader = world.engine.read(lessened, content.length, true, world.failures::add);
    int reads = 0;
    while (!overwritten.isDone()) {
      ByteBuffer target = ByteBuffer.allocate(UNIT_BYTES);
      try {
        world.time.await(reader.read((long) lost * UNIT_BYTES, target));
        reads++;
        byte[] first = Arrays.copyOfRange(content, lost * UNIT_BYTES, (lost + 1) * UNIT_BYTES);
        boolean known =
            Arrays.equals(first, target.array())
                || overwriter.versions.stream()
                    .anyMatch(version -> Arrays.equals(version[lost], target.array()));
        assertTrue(known, "read " + reads + " gave bytes that no client wrote");
      } catch (java.util.concurrent.CompletionException e) {
        assertEquals(ErrorCode.BUSY, WeftException.of(e).code());
      }
    }
    world.assertNothingLeaks();
  }

  /** The same with nothing lost: what is late is decoded while the late answer is on its way. */
  @ParameterizedTest
  @MethodSource("seeds")
  void aUnitDecodedForALateAnswerIsTheWriters(long seed) {
    StripeOptions hedging = StripeWorld.OPTIONS.withHedges(new HedgeLimits(true, 1, 1, 100));
    StripeWorld world = new StripeWorld(seed, 8, hedging);
    int k = 2 + world.random.nextInt(3);
    int m = 1 + world.random.nextInt(2);
    StripedFile file = world.newFile(StripeWorld.layout(k, m));
    byte[] content = world.bytes(k * UNIT_BYTES);
    world.writeAll(file, content);
    world.osds.forEach(osd -> osd.faults(opcode -> slowRead(world, opcode)));
    Overwriter overwriter = new Overwriter(world, file);
    CompletableFuture<Void> overwritten = overwriter.start();
    StripeReader reader = world.engine.read(file, content.length, true, world.failures::add);
    while (!overwritten.isDone()) {
      ByteBuffer target = ByteBuffer.allocate(k * UNIT_BYTES);
      world.time.await(reader.read(0, target));
      for (int unit = 0; unit < k; unit++) {
        byte[] read =
            Arrays.copyOfRange(target.array(), unit * UNIT_BYTES, (unit + 1) * UNIT_BYTES);
        byte[] first = Arrays.copyOfRange(content, unit * UNIT_BYTES, (unit + 1) * UNIT_BYTES);
        int index = unit;
        boolean known =
            Arrays.equals(first, read)
                || overwriter.versions.stream()
                    .anyMatch(version -> Arrays.equals(version[index], read));
        assertTrue(known, "unit " + unit + " has bytes that no client wrote");
      }
    }
    world.assertNothingLeaks();
  }

  /** Some units are read versions later than others. */
  private static Fault slowRead(StripeWorld world, Opcode opcode) {
    if (opcode != Opcode.READ || world.random.nextInt(3) > 0) {
      return Fault.NONE;
    }
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world.time.after(world.random.nextInt(4_000_000), () -> gate.complete(null));
    return Fault.hold(gate);
  }

  @Test
  void aStripeThatDoesNotComeToRestIsAnError() {
    StripeWorld world = new StripeWorld(1, 8);
    StripedFile file = world.newFile(StripeWorld.layout(3, 1));
    // No OSD hears that the last write is complete.
    world.osds.forEach(
        osd ->
            osd.faults(
                opcode ->
                    opcode == Opcode.BATCH ? Fault.refuse(ErrorCode.UNAVAILABLE) : Fault.NONE));
    world.writeAll(file, world.bytes(3 * UNIT_BYTES));
    StripeReader reader =
        world.engine.read(StripeWorld.missing(file, 0), 3 * UNIT_BYTES, true, world.failures::add);
    WeftException failure = world.failureOf(reader.read(0, ByteBuffer.allocate(10)));
    assertEquals(ErrorCode.BUSY, failure.code());
    assertTrue(failure.getMessage().contains("being written"), failure.getMessage());
  }
}
