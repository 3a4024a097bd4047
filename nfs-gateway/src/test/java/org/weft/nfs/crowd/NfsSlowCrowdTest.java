package org.weft.nfs.crowd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.OncRpcOptions;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.system.SystemEnvironment;

/**
 * A thousand silent clients, and some hundreds that are slow or hostile. They ask for 1 MiB again
 * and again without taking it, begin records that never end, or send empty fragments or garbage. A
 * gateway of 80 MiB of heap and 64 MiB outside it goes on serving the one client that behaves. A
 * large WRITE may have to wait until slow connections are closed. The gateway holds no more while
 * they go on, and has everything back when they are gone.
 */
@Tag("long")
@Timeout(600)
class NfsSlowCrowdTest {
  private static final int IDLE = 1_000;
  private static final int SLOW = 400;
  private static final int ROUNDS = Integer.getInteger("weft.crowd.rounds", 6);
  private static final int ROUNDS_OF_A_LOOK = 3;
  private static final int DEADLINE_SECONDS = 120;

  /** What the server may hold of calls and replies, and the sockets' own buffers beside. */
  private static final long HELD_BOUND_BYTES = 100L << 20;

  /** Much more than the first look is a leak. */
  private static final long GROWTH_BOUND_BYTES = 24L << 20;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private static final int NFS = 100_003;
  private static final int READ = 6;
  private static final int WRITE = 7;
  private static final int BIG = 1 << 20;

  /** Calls of that size go on where all memory is taken by others. */
  private static final int SMALL = 4 << 10;

  @TempDir Path directory;
  private final SystemEnvironment system = SystemEnvironment.create();
  private final List<SlowNfsClient> crowd = new ArrayList<>();
  private SmallGatewayProcess gateway;
  private OncRpcTransport transport;
  private Nfs3Client good;
  private volatile boolean over;

  @BeforeEach
  void start() throws Exception {
    gateway = new SmallGatewayProcess(directory.resolve("errors"));
    transport =
        new OncRpcTransport(
            OncRpcOptions.USUAL,
            system.environment().scheduler(),
            system.environment().ticker(),
            system.environment().random());
    OncRpcClient connection =
        ModelGateway.now(
            transport.connect(
                gateway.address(), OptionalInt.empty(), DEADLINE_SECONDS * 1_000, Runnable::run));
    good = new Nfs3Client(connection, 0, 0);
  }

  @AfterEach
  void stop() throws Exception {
    over = true;
    OncRpcTransport connections = transport;
    SmallGatewayProcess process = gateway;
    try (system;
        process;
        connections) {
      leave();
    }
  }

  private void leave() throws IOException {
    for (SlowNfsClient client : crowd) {
      client.close();
    }
    crowd.clear();
  }

  @Test
  void badConnectionsNeitherFillMemoryNorBlockOthers() throws Exception {
    byte[] root = good.mount("/").handle;
    byte[] big = good.create(root, "big", true, Nfs3Client.Set.mode(0666)).handle;
    byte[] content = new byte[BIG];
    new Random(3).nextBytes(content);
    assertEquals(Nfs3Client.OK, good.write(big, 0, Nfs3Client.FILE_SYNC, content).status);
    serve(root, big, content, 0);

    for (int i = 0; i < IDLE; i++) {
      crowd.add(new SlowNfsClient(gateway.address(), new byte[0], 0, 0, false));
    }
    for (int i = 0; i < SLOW; i++) {
      crowd.add(slow(i, big));
    }
    CompletableFuture<Void> moving = CompletableFuture.runAsync(this::move);
    SmallGatewayProcess.Held first = null;
    for (int round = 1; round <= ROUNDS; round++) {
      serve(root, big, content, round);
      if (round % ROUNDS_OF_A_LOOK == 0) {
        SmallGatewayProcess.Held now = gateway.held();
        first = first == null ? now : first;
        assertTrue(now.bytes() < HELD_BOUND_BYTES, now::toString);
        assertTrue(
            now.bytes() < first.bytes() + GROWTH_BOUND_BYTES, first + " at first, now " + now);
        assertTrue(now.connections() >= IDLE, now::toString);
      }
    }
    over = true;
    moving.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertTrue(crowd.stream().mapToLong(SlowNfsClient::ends).sum() > 0, "garbage is not refused");
    leave();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    SmallGatewayProcess.Held last = gateway.settled();
    while (last.connections() > 1 || last.usedBytes() > 0) {
      assertTrue(System.nanoTime() < deadline, "held for a crowd that is gone: " + last);
      last = gateway.settled();
    }
    serve(root, big, content, ROUNDS + 1);
    assertEquals(Nfs3Client.OK, good.write(big, 0, Nfs3Client.UNSTABLE, content).status);
    assertEquals(0, gateway.held().usedBytes());
    // It logs an error for each buffer that was forgotten.
    assertEquals(List.of(), gateway.logged());
    assertEquals("", gateway.errors());
  }

  private void serve(byte[] root, byte[] big, byte[] content, int round) {
    String name = "n" + round;
    assertEquals(Nfs3Client.OK, good.mkDir(root, name, Nfs3Client.Set.mode(0755)).status);
    assertArrayEquals(content, content(big));
    byte[] part = Arrays.copyOf(content, SMALL);
    assertEquals(Nfs3Client.OK, good.write(big, 0, round % 2 * Nfs3Client.FILE_SYNC, part).status);
    assertEquals(Nfs3Client.OK, good.rmDir(root, name).status);
  }

  /** Where memory is short, a READ brings a part of what was asked for. */
  private byte[] content(byte[] file) {
    byte[] content = new byte[BIG];
    int done = 0;
    while (done < BIG) {
      byte[] part = good.read(file, done, BIG - done).data;
      assertTrue(part.length > 0, "a READ brings nothing");
      System.arraycopy(part, 0, content, done, part.length);
      done += part.length;
    }
    return content;
  }

  private void move() {
    while (!over) {
      for (SlowNfsClient client : crowd) {
        try {
          client.move();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      // The server that is looked at runs beside it.
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private SlowNfsClient slow(int number, byte[] file) throws IOException {
    byte[] read = record(READ, out -> out.opaque(file).int64(0).int32(BIG));
    byte[] write =
        record(WRITE, out -> out.opaque(file).int64(0).int32(BIG).int32(0).opaque(new byte[BIG]));
    return switch (number % 10) {
      // Asks for all that it can, and takes nothing, or 512 bytes now and then.
      case 0, 1 -> new SlowNfsClient(gateway.address(), read, 1 << 16, 0, true);
      case 2, 3 -> new SlowNfsClient(gateway.address(), read, 1 << 16, 512, true);
      // A large write, a few bytes at a time; its client never sends the end.
      case 4, 5 ->
          new SlowNfsClient(
              gateway.address(), Arrays.copyOf(write, write.length / 2), 16, 64, true);
      // A large record that comes byte by byte, or in two fragments; fragments of nothing.
      case 6 ->
          number % 20 == 6
              ? new SlowNfsClient(
                  gateway.address(), new byte[] {(byte) 0x80, 0x10, 0, 0}, 1, 64, true)
              : new SlowNfsClient(gateway.address(), twoFragments(), 1 << 16, 64, true);
      case 7 -> new SlowNfsClient(gateway.address(), new byte[4], 4, 64, true);
      // Fragments of one byte.
      case 8 -> new SlowNfsClient(gateway.address(), new byte[] {0, 0, 0, 1, 7}, 500, 64, true);
      default -> {
        byte[] garbage = new byte[10_000];
        new Random(number).nextBytes(garbage);
        yield new SlowNfsClient(gateway.address(), garbage, 5_000, 64, true);
      }
    };
  }

  /** A fragment with all its bytes, and the mark of another one. */
  private static byte[] twoFragments() {
    int half = BIG / 2;
    byte[] record = new byte[Integer.BYTES + half + Integer.BYTES];
    ByteBuffer.wrap(record).putInt(0, half).putInt(Integer.BYTES + half, 1 << 31 | half);
    return record;
  }

  private static byte[] record(int procedure, Consumer<XdrWriter> arguments) {
    byte[] record =
        XdrWriter.bytes(
            out -> {
              out.int32(0).int32(1).int32(0).int32(2).int32(NFS).int32(3).int32(procedure);
              out.int32(0).int32(0).int32(0).int32(0);
              arguments.accept(out);
            });
    ByteBuffer.wrap(record).putInt(0, 1 << 31 | (record.length - Integer.BYTES));
    return record;
  }
}
