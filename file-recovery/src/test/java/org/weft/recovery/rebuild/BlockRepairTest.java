package org.weft.recovery.rebuild;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.Fault;

/** Single blocks of a component are written anew where they are (P 6.8b). */
class BlockRepairTest {
  private static final int UNIT_BYTES = StripeWorld.UNIT_BYTES;
  private static final int UNITS = 12;
  private static final Supplier<CompletableFuture<Void>> ALLOWED =
      () -> CompletableFuture.completedFuture(null);

  private final StripeWorld world = new StripeWorld(7, 5);
  private final byte[] content = world.bytes(UNITS * UNIT_BYTES);

  private StripedFile written(int data, int parity) {
    StripedFile file = world.newFile(StripeWorld.layout(data, parity));
    world.writeAll(file, content);
    return file;
  }

  private BlockRepairOutcome repair(
      StripedFile file,
      int component,
      List<Long> offsets,
      Supplier<CompletableFuture<Void>> guard) {
    StripedFile managed = world.managed(world.readable(file.name(), file.map()));
    RebuildTask task =
        new RebuildTask(
            component,
            StripeWorld.grantOf(managed),
            content.length,
            0,
            new TreeSet<>(),
            bytes -> {});
    return world.time.await(new BlockRepair(world.context, managed, task, offsets, guard).repair());
  }

  private byte[] readBy(StripedFile file) {
    return world.readAll(world.reader(world.readable(file.name(), file.map()), content.length));
  }

  private long wrongUnits(StripedFile file) {
    return world
        .time
        .await(world.engine.parityOf(world.readable(file.name(), file.map())).verify())
        .wrongUnits();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void rottenBlocksGetTheirFormerBytes(int component) {
    StripedFile file = written(2, 1);
    List<Long> offsets = List.of(0L, (long) UNIT_BYTES + 4_096);
    offsets.forEach(
        offset -> world.osdOf(file, component).flipBit(file.name(), (int) (offset + 10)));
    assertEquals(
        new BlockRepairOutcome(2, List.of(), List.of()), repair(file, component, offsets, ALLOWED));
    // Without another one: that block is a source now.
    world.osdOf(file, (component + 1) % 3).flipBit(file.name(), 10);
    assertArrayEquals(content, readBy(file));
  }

  /** As if sendfile met a bad sector: the connection ends, and says nothing of the block. */
  @Test
  void blockWhoseReadLosesTheConnectionIsRewritten() {
    StripedFile file = written(2, 1);
    world.osdOf(file, 0).flipBit(file.name(), 10);
    world.osdOf(file, 0).faults(opcode -> opcode == Opcode.READ ? Fault.CUT_BEFORE : Fault.NONE);
    assertEquals(
        new BlockRepairOutcome(1, List.of(), List.of()), repair(file, 0, List.of(0L), ALLOWED));
    world.osdOf(file, 0).faults(opcode -> Fault.NONE);
    // Without another one: that block is a source now.
    world.osdOf(file, 1).flipBit(file.name(), 10);
    assertArrayEquals(content, readBy(file));
  }

  @Test
  void aRepairStopsOnceAClientMayWrite() {
    StripedFile file = written(2, 1);
    world.osdOf(file, 0).flipBit(file.name(), 10);
    List<Opcode> writes = new ArrayList<>();
    world
        .osdOf(file, 0)
        .faults(
            opcode -> {
              if (opcode == Opcode.WRITE) {
                writes.add(opcode);
              }
              return Fault.NONE;
            });
    WeftException revoked = new WeftException(ErrorCode.GRANT_REVOKED, "it is being written");
    CompletionException failure =
        assertThrows(
            CompletionException.class,
            () -> repair(file, 0, List.of(0L), () -> CompletableFuture.failedFuture(revoked)));
    assertEquals(ErrorCode.GRANT_REVOKED, WeftException.of(failure).code());
    assertEquals(List.of(), writes);
  }

  @Test
  void aLateRepairedBlockDoesNotUndoANewerWrite() {
    StripedFile file = written(2, 1);
    world.osdOf(file, 0).flipBit(file.name(), 10);
    // It was allowed, and then a later grant has written to the component.
    Supplier<CompletableFuture<Void>> overtaken =
        () -> {
          world.osdOf(file, 0).raiseVersion(file.name(), world.nextGrant());
          return CompletableFuture.completedFuture(null);
        };
    CompletionException failure =
        assertThrows(CompletionException.class, () -> repair(file, 0, List.of(0L), overtaken));
    assertEquals(ErrorCode.FENCED, WeftException.of(failure).code());
  }

  @Test
  void aMissingUnitIsNoSourceOfARepair() {
    StripedFile file = written(2, 1);
    StorageMap map = StripeWorld.missing(file, 1).map();
    world.osdOf(file, 0).flipBit(file.name(), 10);
    StripedFile around = new StripedFile(file.name(), map, file.capability());
    assertEquals(
        new BlockRepairOutcome(0, List.of(0L), List.of()), repair(around, 0, List.of(0L), ALLOWED));
  }

  @Test
  void aSoundBlockIsNotRewritten() {
    StripedFile file = written(2, 1);
    assertEquals(
        new BlockRepairOutcome(0, List.of(), List.of()), repair(file, 0, List.of(0L), ALLOWED));
    assertEquals(0, wrongUnits(file));
  }
}
