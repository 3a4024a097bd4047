package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.stripe.Regranting;
import org.weft.client.stripe.RequestCounts;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.check.ParityReport;
import org.weft.client.stripe.read.StripeReader;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.recovery.Resolving;
import org.weft.recovery.resolve.ResolveOutcome;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** A file is opened, given a few bytes more, and closed (P 4.3, 5.3). */
class AppendTest {
  private static final int UNIT = StripeWorld.UNIT_BYTES;
  private static final Set<Opcode> CHANGING =
      EnumSet.of(Opcode.WRITE, Opcode.XOR_READ_WRITE, Opcode.XOR_WRITE);

  private final RequestCounts counts = new RequestCounts();
  private StripeWorld world;
  private StripedFile file;
  private byte[] content;
  private Regranting manager;
  private StripeWriter writer;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Long.getLong("weft.seeds", 50));
  }

  /** A file that ends in the middle of its second stripe, opened behind its end. */
  private void open(int k, int m, int sizeBytes) {
    world = new StripeWorld(17, 12);
    file = world.newFile(StripeWorld.layout(k, m));
    content = world.bytes(sizeBytes);
    world.writeAll(file, content);
    world.time.pass(1_000_000_000L);
    reopen();
    counts.count(world);
  }

  private void reopen() {
    manager = new Regranting(world, world.nextTerms(file.name(), file.map()));
    writer =
        world.time.await(
            world.engine.append(manager.terms(), content.length, manager, world.failures::add));
  }

  private CompletableFuture<Void> write(int count) {
    byte[] more = world.bytes(count);
    int size = content.length;
    content = Arrays.copyOf(content, size + count);
    System.arraycopy(more, 0, content, size, count);
    return writer.write(ByteBuffer.wrap(more));
  }

  private void assertStored() {
    world.endFaults();
    world.time.pass(1_000_000_000L);
    ParityReport report =
        world.time.await(world.engine.parityOf(world.managed(manager.terms().file())).verify());
    assertEquals(0, report.wrongUnits());
    assertEquals(content.length, report.eofBytes());
    StorageMap map = manager.terms().file().map();
    for (int lost = -1; lost < map.layout().width(); lost++) {
      assertReads(map, lost);
    }
    world.assertNothingLeaks();
  }

  private void assertReads(StorageMap map, int lost) {
    TreeSet<Integer> without = new TreeSet<>(map.missing());
    if (lost >= 0 && without.size() < map.layout().parityUnits()) {
      without.add(lost);
    }
    StripedFile readable = world.readable(file.name(), map, without);
    StripeReader reader = world.engine.read(readable, content.length, false, failure -> {});
    assertArrayEquals(content, world.readAll(reader), "without " + without);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aSmallAppendTakesOneRequestPerComponentAndNoRead(int m) {
    open(4, m, 6 * UNIT + 4_500);
    world.time.await(write(1_000));
    world.time.await(writer.close());
    assertEquals(Map.of(Opcode.XOR_READ_WRITE, 1, Opcode.XOR_WRITE, m), counts.all());
    assertStored();
  }

  /** The δ is known: the parities are told without waiting for the data unit. */
  @Test
  void anAppendSendsToAllComponentsAtOnce() {
    open(4, 2, 6 * UNIT + 10);
    CompletableFuture<Void> gate = new CompletableFuture<>();
    counts.count(world, opcode -> Fault.hold(gate));
    world.time.await(write(100));
    CompletableFuture<WrittenFile> closed = writer.close();
    world.time.pass(100_000_000L);
    assertEquals(1, counts.of(Opcode.XOR_READ_WRITE));
    assertEquals(2, counts.of(Opcode.XOR_WRITE));
    gate.complete(null);
    assertEquals(content.length, world.time.await(closed).sizeBytes());
    assertStored();
  }

  /** A writer that goes on would pay for an XOR each time: the stripe is read once instead. */
  @Test
  void aLaterFlushIsAStripeWrite() {
    open(4, 2, 6 * UNIT + 10);
    for (int record = 0; record < 4; record++) {
      world.time.await(write(100));
      world.time.await(writer.flush(false));
    }
    world.time.await(writer.close());
    assertEquals(1, counts.of(Opcode.XOR_READ_WRITE));
    assertEquals(3, counts.of(Opcode.READ), "each data unit that has something");
    assertEquals(9, counts.of(Opcode.WRITE));
    assertStored();
  }

  @ParameterizedTest
  @ValueSource(ints = {UNIT, 2 * UNIT - 10, 5 * UNIT})
  void anAppendBeyondTheUnitIsAStripeWrite(int more) {
    open(4, 2, 6 * UNIT + 10);
    world.time.await(write(10));
    world.time.await(write(more));
    world.time.await(writer.close());
    assertEquals(0, counts.of(Opcode.XOR_READ_WRITE));
    assertEquals(3, counts.of(Opcode.READ));
    assertStored();
  }

  @Test
  void theEndOfAStripeIsAStripeWrite() {
    open(4, 2, 7 * UNIT + 10);
    world.time.await(write(UNIT - 10));
    world.time.await(writer.close());
    assertEquals(0, counts.of(Opcode.XOR_READ_WRITE));
    assertStored();
  }

  @Test
  void aDurableFlushIsAStripeWrite() {
    open(4, 2, 6 * UNIT + 10);
    world.time.await(write(10));
    world.time.await(writer.flush(true));
    assertEquals(0, counts.of(Opcode.XOR_READ_WRITE));
    for (int component : new int[] {1, 2, file.layout().dataComponent(1, 2)}) {
      assertTrue(world.osdOf(file, component).isDurable(file.name()));
    }
    world.time.await(writer.close());
    assertStored();
  }

  @Test
  void aSmallFileStaysCopies() {
    open(4, 2, 4_500);
    world.time.await(write(100));
    world.time.await(writer.close());
    assertEquals(0, counts.of(Opcode.XOR_READ_WRITE));
    assertEquals(3, counts.of(Opcode.WRITE));
    assertStored();
  }

  @Test
  void anAppenderWithoutBytesReadsNothing() {
    open(4, 2, 6 * UNIT + 10);
    world.time.await(writer.flush(true));
    world.time.await(writer.close());
    assertEquals(0, counts.of(Opcode.READ));
  }

  /** P 5.8: under the next grant the stripe has a missing component, and is written as a whole. */
  @Test
  void anAppendThatLosesAComponentIsWrittenAsAStripe() {
    open(4, 2, 6 * UNIT + 10);
    FakeOsd lost = world.osdOf(file, file.layout().parityComponent(1, 1));
    lost.stop();
    world.time.await(write(100));
    CompletableFuture<WrittenFile> closed = writer.close();
    world.time.pass(3_000_000_000L);
    manager.giveUp(lost.id());
    assertEquals(content.length, world.time.await(closed).sizeBytes());
    assertTrue(counts.of(Opcode.XOR_READ_WRITE) > 0);
    assertTrue(counts.of(Opcode.WRITE) > 0);
    assertReads(manager.terms().file().map(), file.layout().dataComponent(1, 2));
    world.assertNothingLeaks();
  }

  /**
   * What was added is in the parity: a writer that decodes what is before it, to write the stripe,
   * must not take the units behind the old end for zeros.
   */
  @Test
  void decodingAfterAnAppendIncludesAppendedBytes() {
    open(4, 1, 6 * UNIT);
    world.time.await(write(100));
    world.time.await(writer.flush(false));
    assertEquals(1, counts.of(Opcode.XOR_READ_WRITE));
    FakeOsd away = world.osdOf(file, file.layout().dataComponent(1, 0));
    away.stop();
    world.time.await(write(100));
    world.time.await(writer.close());
    away.restart();
    world.time.pass(5_000_000_000L);
    assertStored();
  }

  /** The same if the manager has kept the append when it gave the next grant (P 5.5, 5.8). */
  @Test
  void decodingAfterARegrantIncludesAppendedBytes() {
    open(4, 2, 6 * UNIT);
    FakeOsd lost = world.osdOf(file, file.layout().parityComponent(1, 1));
    lost.stop();
    world.time.await(write(100));
    CompletableFuture<WrittenFile> closed = writer.close();
    world.time.pass(100_000_000L);
    FakeOsd away = world.osdOf(file, file.layout().dataComponent(1, 0));
    away.stop();
    world.time.pass(3_000_000_000L);
    manager.giveUp(lost.id());
    world.time.runUntil(
        "the stripe is written", () -> counts.of(Opcode.WRITE) > 0 || closed.isDone());
    away.restart();
    assertEquals(content.length, world.time.await(closed).sizeBytes());
    assertReads(manager.terms().file().map(), file.layout().dataComponent(1, 0));
  }

  /** A stripe write heals what an XOR write would have to read. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void anAppendToADamagedBlockIsWrittenAsAStripe(int role) {
    open(4, 2, 6 * UNIT + 10);
    int damaged =
        role == 0 ? file.layout().dataComponent(1, 2) : file.layout().parityComponent(1, 0);
    FakeOsd osd = world.osdOf(file, damaged);
    osd.faults(
        opcode ->
            opcode == Opcode.XOR_READ_WRITE || opcode == Opcode.XOR_WRITE
                ? Fault.refuse(ErrorCode.BAD_MEDIA)
                : Fault.NONE);
    world.time.await(write(100));
    world.time.await(writer.close());
    assertEquals(List.of(), world.failures, "no component is given up for it");
    assertStored();
  }

  /**
   * P 5.8: an OSD whose whole disk has failed is lost. The manager keeps of the append what it
   * finds when it gives the next grant, and the writing goes on without that OSD.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void anAppendBesideAFailedDiskGoesOnWithoutIt(int role) {
    open(4, 2, 6 * UNIT + 10);
    int failing =
        role == 0 ? file.layout().dataComponent(1, 2) : file.layout().parityComponent(1, 0);
    FakeOsd osd = world.osdOf(file, failing);
    osd.faults(
        opcode ->
            switch (opcode) {
              case XOR_READ_WRITE, XOR_WRITE, WRITE, READ, ABORT, LIST_PENDING, RAISE_VERSION ->
                  Fault.refuse(ErrorCode.STORE_FAILED);
              default -> Fault.NONE;
            });
    world.time.await(write(100));
    CompletableFuture<WrittenFile> closed = writer.close();
    world.time.runUntil("the OSD is reported", () -> closed.isDone() || !world.failures.isEmpty());
    manager.giveUp(osd.id());
    assertEquals(content.length, world.time.await(closed).sizeBytes());
    assertReads(manager.terms().file().map(), failing);
  }

  /** Parity is not left with what no client expects there: the write is taken back. */
  @Test
  void bytesBehindTheEndThatAreNotZerosEndTheWriting() {
    open(4, 2, 6 * UNIT + 10);
    writer.abandon();
    byte[] before = content;
    content = Arrays.copyOf(content, 6 * UNIT);
    reopen();
    world.time.await(write(5));
    WeftException failure = world.failureOf(writer.close());
    assertEquals(ErrorCode.INTERNAL, failure.code());
    assertTrue(failure.getMessage().contains("not zeros"), failure.getMessage());
    content = before;
    assertStored();
  }

  /**
   * P 5.5: messages stop at any point; managers die as well, and lose as many as the code bears.
   */
  @ParameterizedTest
  @MethodSource("seeds")
  void aDeadWritersAppendIsWholeOrAbsent(long seed) {
    world = new StripeWorld(seed, 12);
    Layout layout = new Layout(1 + world.random.nextInt(5), world.random.nextInt(4), UNIT, 2, 1);
    file = world.newFile(layout);
    content = world.bytes(UNIT + 1 + world.random.nextInt(4 * (int) layout.stripeBytes()));
    world.writeAll(file, content);
    manager = new Regranting(world, world.nextTerms(file.name(), file.map()));
    writer =
        world.time.await(
            world.engine.append(manager.terms(), content.length, Regrants.NONE, failure -> {}));
    byte[] before = content;
    int messages = world.random.nextInt(layout.parityUnits() + 3);
    int[] sent = new int[1];
    for (FakeOsd osd : world.osds) {
      osd.faults(
          opcode ->
              CHANGING.contains(opcode) && sent[0]++ >= messages ? Fault.SILENCE : Fault.NONE);
    }
    var unused =
        write(1 + world.random.nextInt(Math.min(2_000, UNIT - content.length % UNIT)))
            .thenCompose(nothing -> writer.flush(false))
            .handle((written, thrown) -> null);
    world.time.pass(50_000_000L);
    writer.abandon();
    world.time.pass(5_000_000_000L);
    world.endFaults();
    Resolving resolving =
        new Resolving(
            world, file.name(), manager.terms().grant().number(), before.length, 0, false);
    StorageMap map = file.map();
    while (world.random.nextInt(3) != 0 && resolving.interrupt(map, world.random.nextInt(12))) {
      map = withOneLess(map);
    }
    map = withOneLess(map);
    ResolveOutcome outcome = resolving.resolve(map);
    assertTrue(
        outcome.sizeBytes() == before.length || outcome.sizeBytes() == content.length,
        outcome.sizeBytes() + " bytes, neither " + before.length + " nor " + content.length);
    content = Arrays.copyOf(content, (int) outcome.sizeBytes());
    for (int lost = -1; lost < layout.width(); lost++) {
      assertReads(map, lost);
    }
    world.assertNothingLeaks();
  }

  private StorageMap withOneLess(StorageMap map) {
    TreeSet<Integer> missing = new TreeSet<>(map.missing());
    if (missing.size() < map.layout().parityUnits() && world.random.nextBoolean()) {
      int component = world.random.nextInt(map.layout().width());
      missing.add(component);
      world.osd(map.osdOf(component)).stop();
    }
    return new StorageMap(
        map.layout(), map.components(), map.generation() + 1, missing, map.attributeOsds());
  }
}
