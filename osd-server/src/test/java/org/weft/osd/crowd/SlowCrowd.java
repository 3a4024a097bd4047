package org.weft.osd.crowd;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.osd.harness.Caps;
import org.weft.osd.harness.OsdCaller;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.WriteRequest;

/** Clients of every slow kind, moved in turn by one thread until they are closed. */
final class SlowCrowd implements AutoCloseable {
  /** More than a connection is read at a time. */
  private static final int LARGE_READS_ASKED = 250;

  private static final int SMALL_READS_ASKED = 1_200;
  private static final int SMALL_READ_BYTES = 24 << 10;
  private static final int WRITE_BYTES = 4 << 20;
  private static final int AT_ONCE_BYTES = 1 << 20;

  private final List<SlowClient> clients = new ArrayList<>();
  private final AtomicInteger rounds = new AtomicInteger();
  private volatile boolean over;
  private CompletableFuture<Void> moving = CompletableFuture.completedFuture(null);

  /**
   * Connects them all.
   *
   * @param object one that they read, of so many bytes
   */
  SlowCrowd(Endpoint osd, ClusterId cluster, Caps caps, int count, long object, int objectBytes)
      throws IOException {
    SignedCapability reading = caps.client(object, 1);
    for (int i = 0; i < count; i++) {
      boolean takesALittle = i % 2 == 0;
      int takeBytes = takesALittle ? 512 : 0;
      switch (i % 10) {
        case 0, 1, 2, 3 ->
            add(osd, cluster, AT_ONCE_BYTES, takeBytes)
                .askFor(reading, object, objectBytes, LARGE_READS_ASKED);
        case 4, 5, 6 ->
            add(osd, cluster, AT_ONCE_BYTES, takeBytes)
                .askFor(reading, object, SMALL_READ_BYTES, SMALL_READS_ASKED);
        case 7, 8 -> writes(caps, add(osd, cluster, 256, 64), i, 12 << 10);
        default -> writes(caps, add(osd, cluster, AT_ONCE_BYTES, 64), i, 48 << 10);
      }
    }
  }

  private SlowClient add(Endpoint osd, ClusterId cluster, int sendBytes, int takeBytes)
      throws IOException {
    SlowClient client = new SlowClient(osd, cluster, sendBytes, takeBytes);
    clients.add(client);
    return client;
  }

  private static void writes(Caps caps, SlowClient client, int index, int comingBytes) {
    long object = 1_000_000L + index;
    SignedCapability capability = caps.client(object, 1);
    WriteRequest request =
        OsdCaller.writeOf(object, 1, 1, 0, new byte[WRITE_BYTES])
            .setCapability(capability.encoded())
            .setCreate(OsdCaller.TAG)
            .build();
    client.beginToWrite(capability, request, WRITE_BYTES, comingBytes);
  }

  /** Lets them move, again and again, on a thread of the executor. */
  void begin(Executor executor) {
    moving =
        CompletableFuture.runAsync(
            () -> {
              while (!over) {
                clients.forEach(SlowClient::move);
                rounds.incrementAndGet();
              }
            },
            executor);
  }

  /** How often each has moved. */
  int rounds() {
    return rounds.get();
  }

  /** Connections that the OSD has not ended, as far as they know. */
  long standing() {
    return clients.stream().filter(client -> !client.ended()).count();
  }

  /** They go away, all at once. */
  @Override
  public void close() throws IOException {
    over = true;
    moving.join();
    for (SlowClient client : clients) {
      client.close();
    }
  }
}
