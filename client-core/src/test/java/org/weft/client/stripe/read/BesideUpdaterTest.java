package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.Fault;

/**
 * P 5.6: a reader of a file that is being changed gets, of each block, what some write left there,
 * never a mixture from decoding; also where a component is lost.
 */
class BesideUpdaterTest {
  private static final int BLOCK = 4096;
  private static final int WRITES = 25;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Long.getLong("weft.update.seeds", 40));
  }

  /** Writes one range after another, and keeps all that a block may ever have held. */
  private static final class Changes {
    private final ModelFile file;
    private final List<byte[]> versions = new ArrayList<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private int left = WRITES;

    Changes(ModelFile file) {
      this.file = file;
      versions.add(file.model.clone());
    }

    void next() {
      if (left-- == 0) {
        done.complete(null);
        return;
      }
      int position = file.random(file.model.length);
      int most = Math.min(2 * file.layout.unitBytes(), file.model.length - position);
      byte[] bytes = file.world.bytes(1 + file.random(most));
      CompletableFuture<Void> written = file.startWrite(position, bytes);
      file.apply(position, bytes);
      versions.add(file.model.clone());
      var unused =
          written.whenComplete(
              (nothing, thrown) -> {
                if (thrown == null) {
                  // At times long enough for components to hear that all is complete.
                  file.world.time.after(file.random(3) * 60_000_000L, this::next);
                } else {
                  done.completeExceptionally(thrown);
                }
              });
    }

    boolean held(int at, byte[] block) {
      return versions.stream()
          .anyMatch(
              version -> Arrays.equals(version, at, at + block.length, block, 0, block.length));
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void readsBesideAnUpdaterReturnOnlyWrittenBlocks(long seed) {
    StripeWorld world = new StripeWorld(seed, 10);
    int k = 1 + world.random.nextInt(4);
    int m = 1 + world.random.nextInt(2);
    ModelFile file = new ModelFile(world, new Layout(k, m, 8192, 3, 1));
    file.open();
    file.write(0, world.bytes(5 * k * 8192 + world.random.nextInt(8192)));
    file.close();
    file.open();
    world.osds.forEach(osd -> osd.faults(opcode -> slow(file, opcode)));
    Changes changes = new Changes(file);
    changes.next();
    StripedFile lessened =
        StripeWorld.missing(file.updater.terms().file(), world.random.nextInt(k + m));
    StripeReader reader =
        world.engine.read(lessened, file.model.length, true, 0, world.failures::add);
    int reads = 0;
    while (!changes.done.isDone()) {
      int at = world.random.nextInt(file.model.length / BLOCK) * BLOCK;
      int length = Math.min(1 + world.random.nextInt(3 * 8192), file.model.length - at);
      ByteBuffer target = ByteBuffer.allocate(length);
      try {
        world.time.await(reader.read(at, target));
      } catch (CompletionException e) {
        assertEquals(ErrorCode.BUSY, WeftException.of(e).code());
        continue;
      }
      reads++;
      for (int from = 0; from < length; from += BLOCK) {
        byte[] block = Arrays.copyOfRange(target.array(), from, Math.min(from + BLOCK, length));
        assertTrue(changes.held(at + from, block), "the block at " + (at + from));
      }
    }
    world.time.await(changes.done);
    assertTrue(reads > 0, "something was read");
    world.endFaults();
    file.close();
    file.assertStored();
    world.assertNothingLeaks();
  }

  /** Some units are read, or written, later than others. */
  private static Fault slow(ModelFile file, Opcode opcode) {
    boolean data = opcode == Opcode.READ || opcode == Opcode.WRITE;
    if (!data || file.random(3) > 0) {
      return Fault.NONE;
    }
    CompletableFuture<Void> gate = new CompletableFuture<>();
    file.world.time.after(file.random(4_000_000), () -> gate.complete(null));
    return Fault.hold(gate);
  }
}
