package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.protocol.rpc.Opcode;
import org.weft.recovery.Resolving;
import org.weft.recovery.resolve.ResolveOutcome;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/**
 * A client dies after any of the messages of a change, and the file is resolved: what was there
 * before stays, block by block what was being changed is as before or as wanted, and every parity
 * belongs to its data (P 4.3, 5.3).
 */
class InterruptedUpdateTest {
  private static final int BLOCK = 4096;
  private static final int MAX_BOUNDARIES = 400;
  private static final Set<Opcode> CHANGING =
      EnumSet.of(
          Opcode.WRITE, Opcode.XOR_READ_WRITE, Opcode.XOR_WRITE, Opcode.TRUNCATE, Opcode.PUNCH);

  /** What comes on top. */
  private enum Trouble {
    NONE,
    LOSSES,
    LOSSES_AND_DEAD_MANAGERS
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(
        Long.getLong("weft.update.first", 1), Long.getLong("weft.update.seeds", 8));
  }

  /** One history, up to its last change; the same for each boundary of that change. */
  private static ModelFile history(long seed) {
    ModelFile file = ModelFile.random(seed, StripeWorld.OPTIONS, Resolving::beforeRegrant);
    file.open();
    for (int step = 0; step < 6; step++) {
      file.step();
    }
    if (file.random(2) == 0) {
      file.close();
      file.open();
    } else {
      file.publish();
    }
    file.world.time.pass(1_000_000_000L);
    return file;
  }

  /** The last change, begun; the bytes that the file would hold after it. */
  private record Change(CompletableFuture<Void> done, byte[] wanted) {}

  private static Change begin(ModelFile file) {
    byte[] before = file.model;
    int position = file.random(Math.max(1, before.length));
    switch (file.random(4)) {
      case 0 -> {
        int size = file.random(before.length + 1);
        if (file.journalLength(size)) {
          CompletableFuture<Void> cut = file.updater.cut(size, file.truncationNumber);
          return new Change(cut, Arrays.copyOf(before, size));
        }
        return new Change(CompletableFuture.completedFuture(null), before);
      }
      case 1 -> {
        int end = Math.min(before.length, position + file.random(4 * file.layout.unitBytes()));
        byte[] after = before.clone();
        if (position < end) {
          Arrays.fill(after, position, end, (byte) 0);
        }
        return new Change(file.updater.punch(position, Math.max(0, end - position)), after);
      }
      default -> {
        byte[] bytes = file.world.bytes(1 + file.random(5 * file.layout.unitBytes()));
        CompletableFuture<Void> written = file.startWrite(position, bytes);
        file.apply(position, bytes);
        byte[] after = file.model;
        file.model = before;
        return new Change(written, after);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aChangeThatIsInterruptedLeavesOldOrNewBlocks(long seed) {
    boolean interrupted = true;
    for (int boundary = 0; interrupted && boundary < MAX_BOUNDARIES; boundary++) {
      interrupted = interrupt(seed, boundary, Trouble.values()[boundary % 3]);
    }
  }

  /** False if the change was over before so many messages. */
  private static boolean interrupt(long seed, int boundary, Trouble trouble) {
    ModelFile file = history(seed);
    int[] messages = new int[1];
    for (FakeOsd osd : file.world.osds) {
      osd.faults(
          opcode -> {
            if (!CHANGING.contains(opcode) || messages[0]++ < boundary) {
              return Fault.NONE;
            }
            return Fault.SILENCE;
          });
    }
    Change change = begin(file);
    file.world.time.pass(200_000_000L);
    boolean over = change.done().isDone();
    file.updater.abandon();
    file.world.time.pass(60_000_000_000L);
    file.world.endFaults();
    putInOrder(file, change, trouble);
    // The next writer goes on where the file was left.
    file.open();
    file.step();
    file.step();
    file.close();
    file.assertStored();
    file.assertReadsWithLosses();
    file.world.assertNothingLeaks();
    return !over;
  }

  /** The manager may die on the way, and components may be lost for good before and after. */
  private static void putInOrder(ModelFile file, Change change, Trouble trouble) {
    Resolving resolving =
        new Resolving(
            file.world,
            file.name,
            file.firstSuspectGrant,
            file.publishedBytes,
            file.truncationNumber,
            file.trim.isPresent());
    if (trouble != Trouble.NONE) {
      file.loseForGood();
    }
    if (trouble == Trouble.LOSSES_AND_DEAD_MANAGERS) {
      for (int messages = file.random(4); messages < 40; messages += 1 + file.random(6)) {
        if (!resolving.interrupt(file.map, messages)) {
          break;
        }
      }
      file.loseForGood();
    }
    ResolveOutcome outcome = resolving.resolve(file.map);
    long size = outcome.sizeBytes();
    assertTrue(size >= file.publishedBytes, "what was published stays");
    if (file.trim.isPresent()) {
      assertEquals(OptionalLong.of(size), file.trim, "a cut that was journalled stands");
    }
    byte[] found = file.world.readAll(file.reader(file.readable(), size));
    assertOldOrNew(file.model, change.wanted(), found);
    file.model = found;
    file.publishedBytes = size;
    file.assertReadsWithLosses();
  }

  private static void assertOldOrNew(byte[] before, byte[] after, byte[] found) {
    assertTrue(found.length <= Math.max(before.length, after.length), "nothing was invented");
    for (int at = 0; at < found.length; at += BLOCK) {
      int end = Math.min(at + BLOCK, found.length);
      byte[] block = Arrays.copyOfRange(found, at, end);
      byte[] old = part(before, at, end);
      if (!Arrays.equals(old, block)) {
        assertArrayEquals(part(after, at, end), block, "the block at " + at);
      }
    }
  }

  /** Behind the end of either there are zeros. */
  private static byte[] part(byte[] bytes, int from, int to) {
    byte[] part = new byte[to - from];
    int count = Math.max(0, Math.min(to, bytes.length) - from);
    if (count > 0) {
      System.arraycopy(bytes, from, part, 0, count);
    }
    return part;
  }
}
