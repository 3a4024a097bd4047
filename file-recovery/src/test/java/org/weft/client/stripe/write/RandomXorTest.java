package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.PendingWrite;
import org.weft.recovery.Resolving;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/**
 * XOR and stripe writes of one file, several at a time, while answers get lost, OSDs start again,
 * refuse what they have no room for, or are lost: every parity belongs to its data, and the bytes
 * are those of an array (P 5.3, 5.4, 5.8).
 */
class RandomXorTest {
  private static final int STEPS = 30;

  static LongStream seeds() {
    return LongStream.rangeClosed(
        Long.getLong("weft.update.first", 1), Long.getLong("weft.update.seeds", 8));
  }

  private record Piece(int position, byte[] bytes, CompletableFuture<Void> written) {}

  private static ModelFile file(long seed) {
    StripeWorld world = new StripeWorld(seed, 24);
    int k = 3 + world.random.nextInt(6);
    int m = 1 + world.random.nextInt(3);
    int unit = 4096 * List.of(1, 2, 3, 4).get(world.random.nextInt(4));
    int groups = 1 + world.random.nextInt(2);
    ModelFile file =
        new ModelFile(world, new Layout(k, m, unit, 2, groups), Resolving::beforeRegrant);
    file.open();
    file.write(0, world.bytes(file.limit() / 2));
    file.publish();
    return file;
  }

  /** A change inside one data unit of what the file has. */
  private static Piece startInUnit(ModelFile file) {
    int unit = file.layout.unitBytes();
    int position = file.random(Math.max(1, file.model.length - 1));
    int most = Math.min(unit - position % unit, Math.max(1, file.model.length - position));
    return start(file, position, 1 + file.random(most));
  }

  /** Behind the end, as far as the data unit goes; what is before is zeros. */
  private static Piece startBehind(ModelFile file) {
    int unit = file.layout.unitBytes();
    int position =
        Math.min(file.limit() - 1, file.model.length + file.random(3) * file.random(300));
    int most = Math.min(unit - position % unit, file.limit() - position);
    return start(file, position, 1 + file.random(most));
  }

  private static Piece start(ModelFile file, int position, int length) {
    byte[] bytes = file.world.bytes(length);
    boolean durable = file.random(3) == 0;
    return new Piece(
        position,
        bytes,
        file.updater.write(position, List.of(ByteBuffer.wrap(bytes.clone())), durable));
  }

  /** Several at a time, that do not overlap. */
  private static List<Piece> startSeveral(ModelFile file) {
    List<Piece> pieces = new ArrayList<>();
    int at = file.random(file.model.length / 2 + 1);
    int count = 2 + file.random(8);
    for (int piece = 0; piece < count; piece++) {
      int length = 1 + file.random(file.random(4) == 0 ? 3 * file.layout.unitBytes() : 3_000);
      if (at + length > file.model.length) {
        break;
      }
      pieces.add(start(file, at, length));
      at += length + file.random(2 * file.layout.unitBytes());
    }
    return pieces;
  }

  private static void step(ModelFile file) {
    switch (file.random(10)) {
      case 0, 1, 2 -> end(file, List.of(startInUnit(file)));
      case 3 -> end(file, List.of(startBehind(file)));
      case 4, 5, 6 -> end(file, startSeveral(file));
      case 7 -> {
        int position = file.random(Math.min(file.limit(), file.model.length + 1));
        int most = Math.min(4 * file.layout.unitBytes(), file.limit() - position);
        end(file, List.of(start(file, position, 1 + file.random(most))));
      }
      case 8 -> file.publish();
      default -> file.world.time.pass(file.random(400) * 1_000_000L);
    }
  }

  private static void end(ModelFile file, List<Piece> pieces) {
    boolean failed = false;
    for (Piece piece : pieces) {
      file.world.time.runUntil("a write is over", piece.written()::isDone);
      if (piece.written().isCompletedExceptionally()) {
        WeftException why =
            WeftException.of(piece.written().handle((nothing, thrown) -> thrown).join());
        assertEquals(ErrorCode.NO_SPACE, why.code(), why::toString);
        failed = true;
      }
    }
    byte[] found =
        failed ? file.world.readAll(file.world.reader(file.readable(), size(file))) : null;
    for (Piece piece : pieces) {
      if (piece.written().isCompletedExceptionally()) {
        adopt(file, piece, found);
      } else {
        file.apply(piece.position(), piece.bytes());
      }
    }
    if (failed) {
      file.model = Arrays.copyOf(file.model, size(file));
    }
  }

  private static int size(ModelFile file) {
    return (int) file.updater.sizeBytes();
  }

  /** Of a write that failed each stripe is as before or as wanted. */
  private static void adopt(ModelFile file, Piece piece, byte[] found) {
    int stripe = (int) file.layout.stripeBytes();
    int end = piece.position() + piece.bytes().length;
    for (int at = piece.position(); at < end; ) {
      int next = Math.min(end, (at / stripe + 1) * stripe);
      byte[] wanted =
          Arrays.copyOfRange(piece.bytes(), at - piece.position(), next - piece.position());
      byte[] now = part(found, at, next);
      if (Arrays.equals(now, wanted)) {
        file.apply(at, wanted);
      } else {
        byte[] old = part(file.model, at, next);
        assertTrue(Arrays.equals(old, now), "bytes from " + at + " are neither old nor new");
      }
      at = next;
    }
  }

  /** Behind the end there are zeros. */
  private static byte[] part(byte[] bytes, int from, int to) {
    byte[] part = new byte[to - from];
    int count = Math.max(0, Math.min(to, bytes.length) - from);
    System.arraycopy(bytes, Math.min(from, bytes.length), part, 0, count);
    return part;
  }

  private static Fault mishap(ModelFile file, Opcode opcode) {
    // Reads are mostly spared: with as many lost as the code bears each of them has to succeed.
    // So is a manager: it asks thirty things in a row, while a writer waits for ten seconds only.
    boolean spared =
        opcode == Opcode.READ && file.random(15) > 0
            || file.isBeingResolved() && file.random(4) > 0;
    return switch (spared ? 49 : file.random(50)) {
      case 0 -> Fault.CUT_BEFORE;
      case 1, 2 -> Fault.CUT_AFTER;
      case 3 -> Fault.BIT_FLIP;
      case 4 -> opcode == Opcode.BATCH ? Fault.NONE : Fault.refuse(ErrorCode.BUSY);
      case 5, 6 -> {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        file.world.time.after(file.random(1_600) * 1_000_000L, () -> gate.complete(null));
        yield Fault.hold(gate);
      }
      default -> Fault.NONE;
    };
  }

  private static void bounce(ModelFile file) {
    FakeOsd osd = file.world.osd(file.map.osdOf(file.random(file.map.components().size())));
    if (!file.down.contains(osd.id())) {
      file.world.time.after(file.random(3_000_000), osd::stop);
      file.world.time.after(
          20_000_000L + file.random(300_000_000),
          () -> {
            if (!file.down.contains(osd.id())) {
              osd.restart();
            }
          });
    }
  }

  private static void finish(ModelFile file) {
    file.world.time.pass(5_000_000_000L);
    file.world.endFaults();
    file.world.time.pass(5_000_000_000L);
    assertNothingPending(file);
    file.close();
    file.world.time.pass(1_000_000_000L);
    file.assertStored();
    file.assertReadsWithLosses();
    file.world.assertNothingLeaks();
  }

  /** P 5.4: a writer that has nothing to send for a while tells what is complete. */
  private static void assertNothingPending(ModelFile file) {
    for (int component = 0; component < file.map.components().size(); component++) {
      FakeOsd osd = file.world.osd(file.map.osdOf(component));
      if (!file.map.isMissing(component)
          && !file.down.contains(osd.id())
          && osd.objects().contains(file.name)) {
        List<PendingWrite> pending = osd.pendingWrites(file.name);
        assertEquals(List.of(), pending, "pending at component " + component);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aFileHoldsWhatWasWrittenToItOverABadNetwork(long seed) {
    ModelFile file = file(seed);
    file.world.osds.forEach(osd -> osd.faults(opcode -> mishap(file, opcode)));
    for (int step = 0; step < STEPS; step++) {
      if (file.random(5) == 0) {
        bounce(file);
      }
      step(file);
    }
    finish(file);
  }

  /** Some refuse for want of room, in the midst of everything else. */
  @ParameterizedTest
  @MethodSource("seeds")
  void refusalsOfAFullOsdLeaveTheFileWhole(long seed) {
    ModelFile file = file(seed);
    file.world.osds.forEach(
        osd ->
            osd.faults(
                opcode ->
                    mayRefuse(opcode) && file.random(15) == 0
                        ? Fault.refuse(ErrorCode.NO_SPACE)
                        : seed % 2 == 0 ? mishap(file, opcode) : Fault.NONE));
    for (int step = 0; step < STEPS; step++) {
      step(file);
      assertFalse(file.updater.complete().seq() < 0);
    }
    finish(file);
  }

  private static boolean mayRefuse(Opcode opcode) {
    return opcode == Opcode.WRITE || opcode == Opcode.XOR_READ_WRITE || opcode == Opcode.XOR_WRITE;
  }

  /** Components are lost in the midst of it; the manager resolves and grants again (P 5.5, 5.8). */
  @ParameterizedTest
  @MethodSource("seeds")
  void aFileIsChangedWithoutTheOsdsThatAreLost(long seed) {
    ModelFile file = file(seed);
    if (seed % 2 == 0) {
      file.world.osds.forEach(osd -> osd.faults(opcode -> mishap(file, opcode)));
    }
    List<Integer> first = new ArrayList<>();
    for (int component = 0; component < file.layout.width(); component++) {
      first.add(component);
    }
    java.util.Collections.shuffle(first, file.world.random);
    int lost = 0;
    for (int step = 0; step < STEPS; step++) {
      if (lost < file.layout.parityUnits() && file.random(6) == 0) {
        file.loseOsdOf(first.get(lost++));
      }
      step(file);
    }
    finish(file);
  }
}
