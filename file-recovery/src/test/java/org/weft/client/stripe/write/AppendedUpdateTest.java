package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.RequestCounts;
import org.weft.client.stripe.StripeWorld;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.recovery.Resolving;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** A few bytes that an update adds behind the end, and what is durable by itself (P 5.3, 5.9). */
class AppendedUpdateTest {
  private static final int UNIT = 8192;

  private final StripeWorld world = new StripeWorld(23, 12);
  private final RequestCounts counts = new RequestCounts();

  /** A file that ends in its second stripe. */
  private ModelFile file(int m, int sizeBytes) {
    ModelFile file = new ModelFile(world, new Layout(4, m, UNIT, 3, 1), Resolving::beforeRegrant);
    file.open();
    file.write(0, world.bytes(sizeBytes));
    world.time.await(file.updater.makeDurable());
    file.publish();
    world.time.pass(1_000_000_000L);
    counts.count(world);
    return file;
  }

  private FakeOsd osd(ModelFile file, int component) {
    return world.osd(file.map.osdOf(component));
  }

  private void write(ModelFile file, int position, int count, boolean durable) {
    byte[] bytes = world.bytes(count);
    world.time.await(
        file.updater.write(position, List.of(ByteBuffer.wrap(bytes.clone())), durable));
    file.apply(position, bytes);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void allComponentsAreToldAtOnceAndNothingIsRead(int m) {
    ModelFile file = file(m, 6 * UNIT + 500);
    CompletableFuture<Void> gate = new CompletableFuture<>();
    counts.count(world, opcode -> Fault.hold(gate));
    byte[] bytes = world.bytes(3_000);
    CompletableFuture<Void> written = file.startWrite(6 * UNIT + 500, bytes);
    world.time.pass(100_000_000L);
    assertEquals(Map.of(Opcode.XOR_READ_WRITE, 1, Opcode.XOR_WRITE, m), counts.all());
    gate.complete(null);
    world.time.await(written);
    file.apply(6 * UNIT + 500, bytes);
    file.closeAndAssertWhole();
  }

  @Test
  void oneAfterTheOtherNeedsNoReadEither() {
    ModelFile file = file(2, 5 * UNIT);
    for (int at = 5 * UNIT; at < 8 * UNIT; at += 2_048) {
      write(file, at, 2_048, false);
    }
    assertEquals(12, counts.of(Opcode.XOR_READ_WRITE));
    assertEquals(0, counts.of(Opcode.READ));
    file.closeAndAssertWhole();
  }

  @Test
  void whatNeedsNoReadInAnyCaseIsAStripeWrite() {
    ModelFile file = file(2, 4 * UNIT);
    // Another stripe, then its first unit.
    write(file, 4 * UNIT, 4_096, false);
    write(file, 4 * UNIT + 4_096, 4_096, false);
    assertEquals(0, counts.of(Opcode.XOR_READ_WRITE));
    assertEquals(0, counts.of(Opcode.READ));
    file.closeAndAssertWhole();
  }

  /** P 5.8: under the next grant the stripe has a missing component, and is written as a whole. */
  @Test
  void anAppendThatLosesAComponentIsWrittenAsAStripe() {
    ModelFile file = file(2, 6 * UNIT + 10);
    file.loseOsdOf(file.layout.parityComponent(1, 1));
    world.time.pass(1_000_000_000L);
    file.write(6 * UNIT + 10, world.bytes(100));
    assertTrue(counts.of(Opcode.XOR_READ_WRITE) > 0);
    assertTrue(counts.of(Opcode.WRITE) > 0);
    file.closeAndAssertWhole();
  }

  /** The manager has kept the append when it gave the next grant: it is in the parity (P 5.5). */
  @Test
  void whatIsDecodedAfterTheGrantWasReplacedIsDecodedWithWhatWasAdded() {
    ModelFile file = file(2, 6 * UNIT);
    FakeOsd lost = osd(file, file.layout.parityComponent(1, 1));
    FakeOsd unread = osd(file, file.layout.dataComponent(1, 0));
    unread.faults(opcode -> opcode == Opcode.READ ? Fault.CUT_BEFORE : Fault.NONE);
    lost.stop();
    byte[] bytes = world.bytes(100);
    CompletableFuture<Void> written = file.startWrite(6 * UNIT, bytes);
    world.time.pass(100_000_000L);
    file.down.add(lost.id());
    world.time.await(written);
    file.apply(6 * UNIT, bytes);
    file.publish();
    file.updater.close();
    world.time.pass(1_000_000_000L);
    TreeSet<Integer> without = new TreeSet<>(file.map.missing());
    without.add(file.layout.dataComponent(1, 0));
    assertArrayEquals(
        file.model,
        world.readAll(
            world.reader(world.readable(file.name, file.map, without), file.model.length)));
  }

  /** A stripe write heals what an XOR write would have to read. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void anAppendToADamagedBlockIsWrittenAsAStripe(int role) {
    ModelFile file = file(2, 6 * UNIT + 10);
    int damaged = role == 0 ? file.layout.dataComponent(1, 2) : file.layout.parityComponent(1, 0);
    osd(file, damaged)
        .faults(
            opcode ->
                opcode == Opcode.XOR_READ_WRITE || opcode == Opcode.XOR_WRITE
                    ? Fault.refuse(ErrorCode.BAD_MEDIA)
                    : Fault.NONE);
    file.write(6 * UNIT + 10, world.bytes(100));
    assertEquals(List.of(), world.failures, "no component is given up for it");
    file.closeAndAssertWhole();
  }

  /** P 5.4: it is undone on the others, fails alone, and may be made again. */
  @Test
  void anAppendForWhichAnOsdHasNoRoomFailsAlone() {
    ModelFile file = file(2, 6 * UNIT + 10);
    int[] refused = new int[1];
    osd(file, file.layout.parityComponent(1, 1))
        .faults(
            opcode ->
                opcode == Opcode.XOR_WRITE && refused[0]++ == 0
                    ? Fault.refuse(ErrorCode.NO_SPACE)
                    : Fault.NONE);
    CompletableFuture<Void> written = file.startWrite(6 * UNIT + 10, world.bytes(100));
    assertEquals(ErrorCode.NO_SPACE, world.failureOf(written).code());
    assertTrue(file.updater.isWritable());
    assertEquals(6 * UNIT + 10, file.updater.sizeBytes());
    file.write(6 * UNIT + 10, world.bytes(200));
    file.closeAndAssertWhole();
  }

  /** Its old bytes are read, so that no component waits for the disk of another one. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aDurableOverwriteReadsItsUnitAndTellsAllComponentsAtOnce(int m) {
    ModelFile file = file(m, 7 * UNIT);
    CompletableFuture<Void> gate = new CompletableFuture<>();
    counts.count(world, opcode -> opcode == Opcode.READ ? Fault.NONE : Fault.hold(gate));
    byte[] bytes = world.bytes(3_000);
    CompletableFuture<Void> written =
        file.updater.write(5 * UNIT + 77, List.of(ByteBuffer.wrap(bytes.clone())), true);
    world.time.pass(100_000_000L);
    assertEquals(
        Map.of(Opcode.READ, 1, Opcode.XOR_READ_WRITE, 1, Opcode.XOR_WRITE, m), counts.all());
    gate.complete(null);
    world.time.await(written);
    file.apply(5 * UNIT + 77, bytes);
    file.closeAndAssertWhole();
  }

  /** A stripe write heals what an XOR write would have to read. */
  @Test
  void aDurableOverwriteBesideADamagedParityIsWrittenAsAStripe() {
    ModelFile file = file(2, 7 * UNIT);
    osd(file, file.layout.parityComponent(1, 0))
        .faults(
            opcode -> opcode == Opcode.XOR_WRITE ? Fault.refuse(ErrorCode.BAD_MEDIA) : Fault.NONE);
    write(file, 5 * UNIT + 77, 3_000, true);
    assertEquals(List.of(), world.failures, "no component is given up for it");
    file.closeAndAssertWhole();
  }

  /** An overwrite, an append, and one that begins a stripe: nothing is left to be flushed. */
  @Test
  void whatIsToBeDurableIsSoWhenItIsAcknowledged() {
    ModelFile file = file(2, 6 * UNIT);
    write(file, 5 * UNIT + 100, 1_000, true);
    write(file, 6 * UNIT, 1_000, true);
    write(file, 8 * UNIT, 1_000, true);
    for (int component = 0; component < file.layout.width(); component++) {
      assertTrue(osd(file, component).isDurable(file.name), "component " + component);
    }
    world.time.await(file.updater.makeDurable());
    assertEquals(0, counts.of(Opcode.FLUSH));
    write(file, 100, 1_000, false);
    world.time.await(file.updater.makeDurable());
    assertEquals(3, counts.of(Opcode.FLUSH), "of the data unit and the parities");
    file.closeAndAssertWhole();
  }
}
