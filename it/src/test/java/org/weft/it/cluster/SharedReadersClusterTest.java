package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.CreateOptions;
import org.weft.client.WeftClient;
import org.weft.client.WeftFile;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.FreePorts;
import org.weft.soak.process.WeftProcess;

/**
 * Three clients that share a file, on real daemons: readers own a range together, and a writer has
 * it alone (P 6.5.90 to 6.5.101).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedReadersClusterTest {
  private static final int OSDS = 4;
  private static final int CLIENTS = 3;
  private static final int METRICS = 1;
  private static final int WAIT_SECONDS = 120;
  private static final int READS = 100;
  private static final int ROUNDS = 25;
  private static final int READERS = 8;

  /** Over the border of a stripe. */
  private static final int RANGE_BYTES = 300_000;

  private final HttpClient http = HttpClient.newHttpClient();
  private final SystemEnvironment system = SystemEnvironment.create();
  private final OwnedExecutor callbacks =
      system.environment().scheduler().newSerialExecutor("callbacks");
  private final List<WeftClient> clients = new ArrayList<>();
  private final List<WeftFile> files = new ArrayList<>();
  private final ExecutorService readers = Executors.newFixedThreadPool(READERS);
  private int port;
  private WeftProcess cluster;

  @BeforeAll
  void start(@TempDir Path scratch) throws Exception {
    port = FreePorts.base(OSDS);
    cluster = WeftProcess.startCluster(scratch, port, OSDS);
    for (int each = 0; each < CLIENTS; each++) {
      clients.add(DaemonCluster.connect(port, "client-" + each, system, callbacks));
    }
  }

  @AfterAll
  void stop() throws Exception {
    readers.shutdownNow();
    clients.forEach(WeftClient::close);
    callbacks.close();
    system.close();
    cluster.close();
  }

  @BeforeEach
  void allShareAFile(TestInfo test) throws Exception {
    WeftPath path = WeftPath.of("/" + test.getTestMethod().orElseThrow().getName());
    try (WeftOutputStream output = clients.get(0).files().create(path, CreateOptions.newFile())) {
      output.write(new byte[2 * RANGE_BYTES]);
    }
    for (WeftClient client : clients) {
      files.add(client.files().openForUpdate(path, true));
    }
  }

  @AfterEach
  void close() throws Exception {
    for (WeftFile file : files) {
      var unused = get(file.close());
    }
    files.clear();
  }

  /** How often the manager has answered such requests, by what it said. */
  private long served(String opcode, String outcome) throws Exception {
    URI place = URI.create("http://127.0.0.1:" + (port + METRICS) + "/metrics");
    String line =
        "weft_rpc_served_seconds_count{opcode=\"%s\",outcome=\"%s\"} ".formatted(opcode, outcome);
    return http.send(HttpRequest.newBuilder(place).build(), HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(each -> each.startsWith(line))
        .mapToLong(each -> (long) Double.parseDouble(each.substring(line.length())))
        .sum();
  }

  private CompletableFuture<byte[]> reading(int client) {
    ByteBuffer target = ByteBuffer.allocate(RANGE_BYTES);
    return files.get(client).read(0, target).thenApply(count -> target.array());
  }

  private static <T> T get(CompletableFuture<T> call) throws Exception {
    return call.get(WAIT_SECONDS, TimeUnit.SECONDS);
  }

  private CompletableFuture<Void> writing(int client, int value) {
    byte[] bytes = new byte[RANGE_BYTES];
    Arrays.fill(bytes, (byte) value);
    return files.get(client).write(0, ByteBuffer.wrap(bytes));
  }

  /** All bytes are of one write. */
  private static int valueOf(byte[] read) {
    byte first = read[0];
    for (int at = 0; at < read.length; at++) {
      assertEquals(first, read[at], "byte " + at + " of " + read.length);
    }
    return first;
  }

  @Test
  void twoClientsReadOneRangeWithoutCallingTheManager() throws Exception {
    long acquired = served("acquire_range", "ok");
    long refused = served("acquire_range", "busy");
    long released = served("release_range", "ok");
    for (int read = 0; read < READS; read++) {
      assertEquals(0, valueOf(get(reading(read % 2))));
    }
    assertEquals(2, served("acquire_range", "ok") - acquired);
    assertEquals(0, served("acquire_range", "busy") - refused, "none is recalled");
    assertEquals(0, served("release_range", "ok") - released);
  }

  @Test
  void writerProgressesBesideManyReadersThatSeeItsWrites() throws Exception {
    AtomicInteger acknowledged = new AtomicInteger();
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger reads = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    List<Future<Void>> storm = new ArrayList<>();
    for (int reader = 0; reader < READERS; reader++) {
      int client = 1 + reader % 2;
      storm.add(
          readers.submit(
              () -> {
                while (!over.get()) {
                  int least = acknowledged.get();
                  int found = valueOf(get(reading(client)));
                  assertTrue(least <= found && found <= begun.get(), least + " " + found);
                  reads.incrementAndGet();
                }
                return null;
              }));
    }
    for (int round = 1; round <= ROUNDS; round++) {
      begun.set(round);
      get(writing(0, round));
      acknowledged.set(round);
    }
    over.set(true);
    for (Future<Void> each : storm) {
      each.get(WAIT_SECONDS, TimeUnit.SECONDS);
    }
    assertTrue(reads.get() > 0);
    assertEquals(ROUNDS, valueOf(get(reading(1))));
  }

  /** Each owns the range for reading, and wants to write there. */
  @Test
  void readersThatWriteTheSameRangeDoNotDeadlock() throws Exception {
    for (int round = 1; round <= ROUNDS; round++) {
      for (int client = 0; client < CLIENTS; client++) {
        get(reading(client));
      }
      List<CompletableFuture<Void>> writes = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        writes.add(writing(client, CLIENTS * round + client));
      }
      for (CompletableFuture<Void> write : writes) {
        get(write);
      }
      int found = valueOf(get(reading(round % CLIENTS)));
      assertEquals(round, found / CLIENTS, "of the last round");
    }
  }
}
