package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.UnitPool;
import org.weft.client.stripe.read.StripeStream;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.Fault;

/** The same streams with real threads and sockets: what the simulation cannot show, races. */
class StripeOverTcpTest {
  private static final int OSDS = 6;
  private static final int FILES = 4;
  private static final int FILE_BYTES = 3 << 20;
  private static final int UNIT_BYTES = 16 << 10;
  private static final long DEADLINE_SECONDS = 50;

  private int files;
  private final TcpOsds cluster = new TcpOsds(OSDS);
  private final StripeEngine engine =
      new StripeEngine(
          cluster.environment,
          cluster.connections,
          cluster.cpu,
          StripeOptions.defaults().withMemory(4 << 20, 256 << 10, 12 << 20));

  @AfterEach
  void stop() {
    cluster.close();
  }

  private StripedFile file(int number) {
    ObjectName name = ObjectName.of(7, 70_000 + number);
    StorageMap map = StorageMap.of(new Layout(3, 2, UNIT_BYTES, 50, 1), cluster.first(5));
    return new StripedFile(name, map, cluster.capability(name, Lsn.of(1, number + 1).value(), 0));
  }

  @Test
  void filesAreWrittenAndReadAtTheSameTimeWhileConnectionsBreak() throws Exception {
    AtomicInteger count = new AtomicInteger();
    cluster
        .osd(2)
        .faults(
            opcode ->
                opcode == Opcode.WRITE && count.incrementAndGet() % 60 == 0
                    ? Fault.CUT_AFTER
                    : Fault.NONE);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int number = 0; number < FILES; number++) {
      byte[] content = new byte[FILE_BYTES - number * 10_000];
      new Random(number).nextBytes(content);
      all.add(roundTrip(file(number), content));
    }
    for (CompletableFuture<Void> one : all) {
      one.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
    cluster.connections.close();
    awaitNoMemory();
  }

  @Test
  void memoryForLongHolesIsTakenOnNoEventLoop() throws Exception {
    readsOnNoEventLoop(0, 3 * FILE_BYTES);
  }

  @Test
  void memoryForShortHolesIsTakenOnNoEventLoop() throws Exception {
    readsOnNoEventLoop(FILE_BYTES + 1_000, 3_000);
  }

  /** Blocks that are read whole hide a hole that is shorter than what was not wanted of them. */
  @Test
  void noEventLoopTakesMemoryForHoles() throws Exception {
    for (int units = 0; units < OSDS; units++) {
      int before = 100_000 + units * UNIT_BYTES;
      readsOnNoEventLoop(FILE_BYTES - before, before + 1_000);
    }
  }

  /** Reads a range of a file that ends in one long hole. */
  private void readsOnNoEventLoop(int offset, int count) throws Exception {
    Set<String> takers = ConcurrentHashMap.newKeySet();
    UnitPool pool =
        new UnitPool(
            12 << 20,
            bytes -> {
              takers.add(Thread.currentThread().getName());
              return ByteBuffer.allocate(bytes);
            });
    StripeEngine scarce =
        new StripeEngine(
            cluster.environment, cluster.connections, cluster.cpu, StripeOptions.defaults(), pool);
    StripedFile file = file(files++);
    byte[] content = new byte[FILE_BYTES];
    new Random(1).nextBytes(content);
    roundTrip(file, content).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    ByteBuffer target = ByteBuffer.allocate(count);
    StripeStream stream =
        scarce.read(file, 3 * FILE_BYTES, false, 0, FailureListener.NONE).stream(offset);
    stream.readAhead(count > FILE_BYTES ? count : 0);
    drain(stream, target, count > FILE_BYTES ? 150_000 : count)
        .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    stream.close();
    byte[] whole = Arrays.copyOf(content, 3 * FILE_BYTES);
    assertArrayEquals(Arrays.copyOfRange(whole, offset, offset + count), target.array());
    assertFalse(takers.isEmpty());
    takers.forEach(taker -> assertTrue(taker.startsWith("test-cpu"), taker));
  }

  private CompletableFuture<Void> roundTrip(StripedFile file, byte[] content) {
    StripeWriter writer =
        engine.write(
            file,
            new StripeGrant(StripeWorld.grantOf(file), 3, Optional.empty()),
            FailureListener.NONE);
    return feed(writer, content, 0)
        .thenCompose(nothing -> writer.close())
        .thenCompose(
            written -> {
              assertEquals(content.length, written.sizeBytes());
              ByteBuffer target = ByteBuffer.allocate(content.length);
              StripeStream stream =
                  engine.read(file, content.length, false, FailureListener.NONE).stream(0);
              return drain(stream, target, 150_000)
                  .thenRun(
                      () -> {
                        stream.close();
                        assertArrayEquals(content, target.array());
                      });
            });
  }

  private static CompletableFuture<Void> feed(StripeWriter writer, byte[] content, int from) {
    int count = Math.min(content.length - from, 100_000);
    return count == 0
        ? CompletableFuture.completedFuture(null)
        : writer
            .write(ByteBuffer.wrap(content, from, count))
            .thenCompose(nothing -> feed(writer, content, from + count));
  }

  private static CompletableFuture<Void> drain(StripeStream stream, ByteBuffer target, int most) {
    ByteBuffer part = target.slice(target.position(), Math.min(target.remaining(), most));
    return stream
        .read(part)
        .thenCompose(
            count -> {
              target.position(target.position() + count);
              return target.hasRemaining()
                  ? drain(stream, target, most)
                  : CompletableFuture.completedFuture(null);
            });
  }

  /** The transport lets go of the last payloads on its own threads. */
  private void awaitNoMemory() throws InterruptedException {
    CompletableFuture<Void> free = new CompletableFuture<>();
    long endNanos = cluster.environment.ticker().nowNanos() + TimeUnit.SECONDS.toNanos(10);
    lookAgain(free, endNanos);
    try {
      free.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      throw new AssertionError("memory is still held", e);
    }
  }

  private void lookAgain(CompletableFuture<Void> free, long endNanos) {
    if (engine.context().pool().takenBytes() == 0 && engine.context().pool().reservedBytes() == 0) {
      free.complete(null);
    } else if (cluster.environment.ticker().nowNanos() - endNanos > 0) {
      free.completeExceptionally(
          new AssertionError(engine.context().pool().takenBytes() + " bytes are still out"));
    } else {
      var unused =
          cluster
              .environment
              .scheduler()
              .schedule(1_000_000, cluster.cpu, () -> lookAgain(free, endNanos));
    }
  }
}
