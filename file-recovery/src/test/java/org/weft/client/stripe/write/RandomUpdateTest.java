package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.recovery.Resolving;
import org.weft.testkit.osd.Fault;

/**
 * Random writes, cuts, extensions and punches of a file against an array of bytes (P 4.2, 4.3,
 * 5.3): what is stored is that array with its parity, and it reads so with whatever may be lost.
 */
class RandomUpdateTest {
  private static final int STEPS = 25;

  static LongStream seeds() {
    return LongStream.rangeClosed(
        Long.getLong("weft.update.first", 1), Long.getLong("weft.update.seeds", 20));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aFileHoldsWhatWasWrittenToIt(long seed) {
    ModelFile file = ModelFile.random(seed, StripeWorld.OPTIONS, Resolving::beforeRegrant);
    run(file);
    StripedFile managed = file.world.managed(file.readable());
    assertEquals(
        0, file.world.time.await(file.world.engine.parityOf(managed).verify()).wrongUnits());
  }

  private static void run(ModelFile file) {
    file.open();
    for (int step = 0; step < STEPS; step++) {
      file.step();
    }
    file.close();
    file.world.time.pass(10_000_000_000L);
    file.world.endFaults();
    file.assertStored();
    file.assertReadsWithLosses();
    file.world.assertNothingLeaks();
  }

  /** Answers get lost, requests come twice or late, connections end. */
  @ParameterizedTest
  @MethodSource("seeds")
  void aFileHoldsWhatWasWrittenToItOverABadNetwork(long seed) {
    ModelFile file = ModelFile.random(seed, StripeWorld.OPTIONS, Resolving::beforeRegrant);
    file.world.osds.forEach(osd -> osd.faults(opcode -> mishap(file)));
    run(file);
  }

  private static Fault mishap(ModelFile file) {
    return switch (file.random(60)) {
      case 0 -> Fault.CUT_BEFORE;
      case 1 -> Fault.CUT_AFTER;
      case 2 -> Fault.BIT_FLIP;
      case 3, 4 -> {
        // At times later than the client waits: it asks again, and both arrive.
        CompletableFuture<Void> gate = new CompletableFuture<>();
        file.world.time.after(file.random(1_600) * 1_000_000L, () -> gate.complete(null));
        yield Fault.hold(gate);
      }
      default -> Fault.NONE;
    };
  }

  /** OSDs go away while the file is changed; its manager agrees to do without them (P 5.8). */
  @ParameterizedTest
  @MethodSource("seeds")
  void aFileIsChangedWithoutTheOsdsThatAreLost(long seed) {
    ModelFile file = ModelFile.random(seed, StripeWorld.OPTIONS, Resolving::beforeRegrant);
    file.open();
    int lost = 0;
    for (int step = 0; step < STEPS; step++) {
      if (lost < file.layout.parityUnits() && file.random(6) == 0) {
        // All of the first group, so that no group loses more than it bears.
        file.loseOsdOf(lost++);
      }
      file.step();
    }
    file.close();
    file.assertStored();
    file.assertReadsWithLosses();
    file.world.assertNothingLeaks();
  }
}
