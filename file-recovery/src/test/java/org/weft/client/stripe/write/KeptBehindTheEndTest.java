package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.recovery.Resolving;
import org.weft.recovery.resolve.ResolveOutcome;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/**
 * A write for which an OSD has no room may all the same be kept by the manager that replaces the
 * grant meanwhile (P 5.5). Behind the end that its writer knows it would count as zeros in every
 * later parity and decoding.
 */
class KeptBehindTheEndTest {
  private static final int UNIT = 8192;
  private static final int STRIPE = 4 * UNIT;

  private final StripeWorld world = new StripeWorld(41, 14);
  private final ModelFile file =
      new ModelFile(world, new Layout(4, 2, UNIT, 6, 1), Resolving::beforeRegrant);
  private FakeOsd full;
  private FakeOsd lost;
  private long first;
  private int refused;

  @BeforeEach
  void aFileOfOneStripe() {
    file.open();
    file.write(0, world.bytes(STRIPE));
    file.publish();
    world.time.pass(1_000_000_000L);
    first = file.updater.terms().grant().number();
    full = world.osd(file.map.osdOf(file.layout.parityComponent(1, 1)));
    lost = world.osd(file.map.osdOf(file.layout.dataComponent(1, 2)));
  }

  private boolean isFirstGrant() {
    return file.updater.terms().grant().number() == first;
  }

  private void lose() {
    lost.stop();
    file.down.add(lost.id());
  }

  /**
   * No OSD hears that the write is to be undone before the versions are raised: four of six have
   * it.
   */
  @Test
  void aFileOfWhichAnUndoneWriteMayBeKeptBehindItsEndIsGivenUp() {
    for (FakeOsd osd : world.osds) {
      osd.faults(
          opcode -> {
            if (opcode == Opcode.ABORT && isFirstGrant()) {
              return Fault.CUT_BEFORE;
            }
            boolean refuses = osd == full && opcode == Opcode.WRITE && refused == 0;
            refused += refuses ? 1 : 0;
            return refuses ? Fault.refuse(ErrorCode.NO_SPACE) : Fault.NONE;
          });
    }
    lose();
    assertGivenUp(STRIPE);
  }

  @Test
  void aFileOfWhichAWriteThatWasGivenAgainIsUndoneBehindItsEndIsGivenUp() {
    full.faults(this::onlyTheManagerIsHeard);
    lose();
    assertGivenUp(STRIPE);
  }

  /** A writer that goes on reads it before it computes with it. */
  @Test
  void ofAWriteThatWasGivenAgainNothingIsPromisedInsideTheFile() {
    file.write(STRIPE, world.bytes(STRIPE));
    file.publish();
    world.time.pass(1_000_000_000L);
    full.faults(this::onlyTheManagerIsHeard);
    lose();
    byte[] bytes = world.bytes(STRIPE);
    WeftException why = failureOf(file.startWrite(STRIPE, bytes));
    assertTrue(why.getMessage().contains("may have been kept or not"), why.getMessage());
    assertTrue(file.updater.isWritable());
    // The manager has finished it.
    file.apply(STRIPE, bytes);
    file.write(STRIPE + 100, world.bytes(300));
    file.close();
    file.assertStored();
    world.assertNothingLeaks();
  }

  /** First it does not answer; then the manager has it written; then it has no room any more. */
  private Fault onlyTheManagerIsHeard(Opcode opcode) {
    if (opcode != Opcode.WRITE || refused > 0) {
      return Fault.NONE;
    }
    if (isFirstGrant()) {
      return file.map.missing().isEmpty() ? Fault.CUT_BEFORE : Fault.NONE;
    }
    refused++;
    return Fault.refuse(ErrorCode.NO_SPACE);
  }

  private WeftException failureOf(CompletableFuture<Void> write) {
    world.time.runUntil("it is over", write::isDone);
    assertEquals(1, refused);
    assertFalse(isFirstGrant(), "the grant was replaced");
    WeftException why =
        WeftException.of(write.handle((nothing, thrown) -> (Throwable) thrown).join());
    assertEquals(ErrorCode.NO_SPACE, why.code(), why.getMessage());
    return why;
  }

  private void assertGivenUp(int position) {
    byte[] bytes = world.bytes(STRIPE);
    WeftException why = failureOf(file.startWrite(position, bytes));
    assertFalse(file.updater.isWritable(), "its bytes count as zeros: " + why.getMessage());
    assertTrue(why.getMessage().contains("the file is given up"), why.getMessage());
    file.updater.abandon();
    world.endFaults();
    // As the manager then does.
    ResolveOutcome outcome =
        new Resolving(world, file.name, first, file.publishedBytes, 0, false).resolve(file.map);
    assertEquals(position + STRIPE, outcome.sizeBytes(), "it was kept");
    file.publishedBytes = outcome.sizeBytes();
    file.apply(position, bytes);
    file.open();
    file.write(position, world.bytes(100));
    file.close();
    file.assertStored();
    world.assertNothingLeaks();
  }
}
