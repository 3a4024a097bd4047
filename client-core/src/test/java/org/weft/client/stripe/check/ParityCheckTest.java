package org.weft.client.stripe.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** Parities that do not belong to their data are found, wherever they are. */
class ParityCheckTest {
  private static ParityReport verify(StripeWorld world, StripedFile file) {
    return world.time.await(world.engine.parityOf(world.managed(file)).verify());
  }

  @Test
  void wrongParityIsFound() {
    StripeWorld world = new StripeWorld(1, 8);
    StripedFile file = world.newFile(StripeWorld.layout(3, 2));
    byte[] content = world.bytes(20 * UNIT_BYTES + 5);
    world.writeAll(file, content);
    assertEquals(new ParityReport(content.length, 7, true, 0, 0, List.of()), verify(world, file));
    // In stripe 0 components 1 and 2 hold P_0 and P_1; in stripe 1 component 2 holds P_0.
    world.osdOf(file, 1).overwrite(file.name(), 0, world.bytes(4096));
    world.osdOf(file, 2).overwrite(file.name(), 3, world.bytes(4096));
    assertEquals(
        new ParityReport(content.length, 7, true, 2, 0, List.of(0L, 1L)), verify(world, file));
    world.assertNothingLeaks();
  }

  @Test
  void stripesAreLookedAtInPieces() {
    StripeWorld world = new StripeWorld(1, 8);
    StripedFile file = world.newFile(StripeWorld.layout(3, 2));
    byte[] content = world.bytes(20 * UNIT_BYTES + 5);
    world.writeAll(file, content);
    world.osdOf(file, 1).overwrite(file.name(), 0, world.bytes(4096));
    ParityCheck check = world.engine.parityOf(world.managed(file));
    assertEquals(
        new ParityReport(content.length, 3, false, 1, 0, List.of(0L)),
        world.time.await(check.verify(0, 3)));
    assertEquals(
        new ParityReport(content.length, 3, false, 0, 0, List.of()),
        world.time.await(check.verify(3, 3)));
    assertEquals(
        new ParityReport(content.length, 1, true, 0, 0, List.of()),
        world.time.await(check.verify(6, 3)));
    assertEquals(ParityReport.NOTHING, world.time.await(check.verify(7, 3)));
    world.assertNothingLeaks();
  }

  @Test
  void rottenParityIsFoundToo() {
    StripeWorld world = new StripeWorld(2, 8);
    StripedFile file = world.newFile(StripeWorld.layout(3, 2));
    world.writeAll(file, world.bytes(20 * UNIT_BYTES));
    world.osdOf(file, 1).flipBit(file.name(), 77);
    ParityReport found = verify(world, file);
    assertEquals(1, found.wrongUnits());
    assertEquals(0, found.contradictingUnits());
    assertEquals(List.of(), found.contradicted());
  }

  private static long reports(StripeWorld world, StripeEngine engine, StripedFile file) {
    AtomicLong heard = new AtomicLong();
    for (FakeOsd osd : world.osds) {
      osd.faults(
          opcode -> {
            heard.addAndGet(opcode == Opcode.REPORT_BAD_BLOCKS ? 1 : 0);
            return Fault.NONE;
          });
    }
    ParityReport found = world.time.await(engine.parityOf(world.managed(file)).verify());
    assertEquals(1, found.wrongUnits());
    world.time.pass(TimeUnit.SECONDS.toNanos(1));
    return heard.get();
  }

  @Test
  void anEngineWithoutReportsTellsNoOsdOfBadBlocks() {
    StripeWorld world = new StripeWorld(2, 8);
    StripedFile file = world.newFile(StripeWorld.layout(3, 2));
    world.writeAll(file, world.bytes(20 * UNIT_BYTES));
    world.osdOf(file, 1).flipBit(file.name(), 77);
    StripeEngine silent =
        StripeEngine.withoutReports(
            world.environment,
            world.connections,
            world.time.newPool("silent", 4, 10_000),
            StripeOptions.defaults());
    assertEquals(0, reports(world, silent, file));
    assertTrue(reports(world, world.engine, file) > 0, "the other one reports it");
  }

  @Test
  void copiesOfASmallFileAreCompared() {
    StripeWorld world = new StripeWorld(3, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    world.writeAll(file, world.bytes(5_000));
    assertEquals(new ParityReport(5_000, 1, true, 0, 0, List.of()), verify(world, file));
    world.osdOf(file, 0).loseObject(file.name());
    world.osdOf(file, 2).overwrite(file.name(), 1, world.bytes(4096));
    assertEquals(new ParityReport(5_000, 1, true, 2, 0, List.of(0L)), verify(world, file));
  }

  @Test
  void aRottenCopyOfASmallFileContradictsNothing() {
    StripeWorld world = new StripeWorld(3, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    world.writeAll(file, world.bytes(5_000));
    world.osdOf(file, 1).flipBit(file.name(), 77);
    assertEquals(new ParityReport(5_000, 1, true, 1, 1, List.of()), verify(world, file));
  }

  @Test
  void bytesBehindTheEndOfTheLastStripeAreFound() {
    StripeWorld world = new StripeWorld(5, 8);
    StripedFile file = world.newFile(StripeWorld.layout(2, 0));
    world.writeAll(file, world.bytes(2 * UNIT_BYTES + 5));
    world
        .osdOf(file, file.map().layout().dataComponent(1, 0))
        .overwrite(file.name(), UNIT_BYTES / 4096, world.bytes(4096));
    assertEquals(1, verify(world, file).wrongUnits());
  }

  @Test
  void aFileOfWhichNothingArrivedIsEmpty() {
    StripeWorld world = new StripeWorld(4, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    assertEquals(ParityReport.NOTHING, verify(world, file));
  }

  @Test
  void withoutAComponentThereIsNoCheck() {
    StripeWorld world = new StripeWorld(5, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    world.writeAll(file, world.bytes(20 * UNIT_BYTES));
    WeftException marked =
        world.failureOf(
            world.engine.parityOf(world.managed(StripeWorld.missing(file, 3))).verify());
    assertEquals(ErrorCode.TOO_MANY_LOST, marked.code());
    assertTrue(marked.getMessage().contains("component 3 on OSD"), marked.getMessage());
    world.osdOf(file, 3).stop();
    WeftException away = world.failureOf(world.engine.parityOf(world.managed(file)).verify());
    assertEquals(ErrorCode.UNAVAILABLE, away.code());
  }

  @Test
  void aStripeWithADamagedDataUnitIsNotCompared() {
    StripeWorld world = new StripeWorld(6, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    world.writeAll(file, world.bytes(20 * UNIT_BYTES));
    world.osdOf(file, 0).flipBit(file.name(), 77);
    ParityReport found = verify(world, file);
    assertEquals(1, found.damagedUnits());
    assertEquals(0, found.contradictingUnits(), "nothing can be said of the others");
    world.assertNothingLeaks();
  }
}
