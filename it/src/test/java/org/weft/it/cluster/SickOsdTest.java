package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.ClientOptions;
import org.weft.client.CreateOptions;
import org.weft.client.HedgeOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftClient;
import org.weft.client.WeftFile;
import org.weft.client.WeftFiles;
import org.weft.client.WeftInput;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.transport.TransportMetrics;
import org.weft.protocol.transport.TransportOptions;
import org.weft.protocol.wire.NodeState;
import org.weft.soak.process.ClusterWatch;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.SocketQueues;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;
import org.weft.testkit.process.Signals;

/**
 * Real daemons, one OSD of which is neither dead nor well: its disk takes no writes any more, or it
 * stood still (P 5.8). Each test waits until all are up again.
 */
@Tag("long")
class SickOsdTest {
  private static final int OSDS = 6;
  private static final int UNIT = IdleWriter.UNIT;
  private static final LayoutSpec WIDE = LayoutSpec.of(4, 1, UNIT);
  private static final long STATE_SECONDS = 60;
  private static final long DEADLINE_SECONDS = 120;
  private static final long SOME_OPERATIONS = 12;
  private static final int READS = 40;
  private static final int MIN_REQUEST_BYTES = 64;

  @TempDir static Path scratch;
  private static DaemonCluster cluster;
  private static SystemEnvironment system;
  private static OwnedExecutor callbacks;

  @BeforeAll
  static void boot() throws Exception {
    cluster = DaemonCluster.start(scratch, OSDS);
    // What waits in sockets of the machine is not counted by the kernel.
    system =
        SystemEnvironment.create(
            TransportOptions.defaults().withLocalSockets(false), TransportMetrics.NONE);
    callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
  }

  @AfterAll
  static void end() throws Exception {
    callbacks.close();
    system.close();
    cluster.close();
  }

  private static byte[] filled(int value, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @BeforeEach
  void awaitAllUp() throws Exception {
    try (WeftClient client = client()) {
      new ClusterWatch(ClientParts.of(client).cluster()).awaitAllUp(DEADLINE_SECONDS, OSDS);
    }
  }

  private static WeftClient client() throws Exception {
    return DaemonCluster.connect(cluster.port(), "sick-osd-test", system, callbacks);
  }

  /** It waits for late units, and rebuilds none. */
  private static WeftClient patientClient() throws Exception {
    ClientOptions options =
        ClientOptions.builder(
                List.of(new Endpoint("127.0.0.1", cluster.port())),
                System.getProperty("user.name"),
                callbacks)
            .hedges(HedgeOptions.off())
            .build();
    return WeftClient.connect(options, system.environment()).get();
  }

  private static StorageMap put(WeftFiles files, WeftPath path, byte[] content) throws IOException {
    try (WeftOutputStream out = files.create(path, CreateOptions.replacing().withLayout(WIDE))) {
      new ByteArrayInputStream(content).transferTo(out);
    }
    return files.attributes(path).map().orElseThrow();
  }

  /** The number of the OSD with a data unit of the first stripe. */
  private static int dataOsd(StorageMap map, int unit) {
    return map.osdOf(map.layout().dataComponent(0, unit)).value();
  }

  private static byte[] read(WeftFiles files, WeftPath path) throws IOException {
    try (InputStream in = files.open(path)) {
      return in.readAllBytes();
    }
  }

  @Test
  void osdWithAFailedStoreIsDownAndBlocksNothing() throws Exception {
    WeftPath path = WeftPath.of("/tmp/left-open");
    byte[] content = filled(1, 8 * UNIT);
    try (WeftClient client = client()) {
      WeftFiles files = client.files();
      int failing = dataOsd(put(files, path, content), 1);
      try (Beside beside = new Beside(files);
          WeftProcess writer =
              WeftProcess.startMain(IdleWriter.class, "" + cluster.port(), path.toString())) {
        writer.awaitLine(IdleWriter.DONE::equals);
        beside.awaitProgress();
        ProcessHandle process = cluster.osd(failing).process().orElseThrow();
        FileSizeLimit.impose(process);
        ClusterWatch watch = new ClusterWatch(ClientParts.of(client).cluster());
        watch.awaitStoreFailure(STATE_SECONDS, failing);
        beside.awaitProgress();
        DaemonCluster.killAndRestart(cluster.manager());
        beside.awaitProgress();
        writer.kill();
        Await.until(
            DEADLINE_SECONDS, () -> path + " is put in order", () -> files.recoverLease(path));
        System.arraycopy(filled(IdleWriter.WRITTEN, UNIT), 0, content, 0, UNIT);
        assertArrayEquals(content, read(files, path));
        assertTrue(process.isAlive(), "its process goes on");
        watch.awaitStoreFailure(STATE_SECONDS, failing);
        beside.verify();
        DaemonCluster.killAndRestart(cluster.osd(failing));
      }
      assertArrayEquals(content, read(files, path));
    }
  }

  @Test
  void frozenOsdGivesNoStaleBytesToAnOldMap() throws Exception {
    WeftPath path = WeftPath.of("/tmp/read-by-an-old-map");
    try (WeftClient writer = client();
        WeftClient reader = patientClient()) {
      byte[] content = filled(1, 8 * UNIT);
      int stalled = dataOsd(put(writer.files(), path, content), 0);
      ClusterWatch watch = new ClusterWatch(ClientParts.of(writer).cluster());
      ProcessHandle process = cluster.osd(stalled).process().orElseThrow();
      try (WeftInput opened = reader.fileSystem().open(path).get()) {
        assertEquals(UNIT, opened.read(0, ByteBuffer.allocate(UNIT)).get());
        Signals.freeze(process);
        List<ByteBuffer> units = new ArrayList<>();
        List<CompletableFuture<Integer>> reads = new ArrayList<>();
        try {
          // Its words come by a new connection, behind the requests that wait already.
          DaemonCluster.killAndRestart(cluster.manager());
          watch.awaitState(STATE_SECONDS, stalled, NodeState.DOWN);
          byte[] news = filled(2, UNIT);
          WeftFile file = writer.fileSystem().openForUpdate(path).get();
          file.write(0, ByteBuffer.wrap(news)).get();
          var closed = file.close().get();
          int port = watch.port(stalled);
          long before = SocketQueues.unreadBytes(port);
          for (int i = 0; i < READS; i++) {
            units.add(ByteBuffer.allocate(UNIT));
            reads.add(opened.read(0, units.get(i)));
          }
          Await.until(
              STATE_SECONDS,
              () -> "requests wait in the sockets of osd-" + stalled,
              () -> SocketQueues.unreadBytes(port) >= before + READS * MIN_REQUEST_BYTES);
        } finally {
          Signals.thaw(process);
        }
        for (int i = 0; i < READS; i++) {
          assertEquals(UNIT, reads.get(i).get(DEADLINE_SECONDS, TimeUnit.SECONDS));
          assertArrayEquals(filled(2, UNIT), units.get(i).array());
        }
      }
    }
  }

  /** Files that are made, renamed and removed meanwhile, by a thread of its own. */
  private static final class Beside implements AutoCloseable {
    private final FileWorkload workload;
    private final AtomicBoolean done = new AtomicBoolean();
    private final CompletableFuture<Void> working;

    Beside(WeftFiles files) throws IOException {
      WeftPath directory = WeftPath.of("/tmp/beside");
      files.mkdir(directory, 0755);
      workload = new FileWorkload(files, directory, 1);
      working = CompletableFuture.runAsync(this::work, task -> new Thread(task).start());
    }

    private void work() {
      while (!done.get()) {
        workload.step();
      }
    }

    void awaitProgress() throws Exception {
      long target = workload.acknowledged() + SOME_OPERATIONS;
      Await.until(
          DEADLINE_SECONDS,
          () -> workload.acknowledged() + " operations of " + target,
          () -> workload.acknowledged() >= target || working.isCompletedExceptionally());
    }

    /** Ends the work, and compares everything. */
    void verify() throws Exception {
      done.set(true);
      working.get();
      assertTrue(workload.verify() > 0);
    }

    @Override
    public void close() {
      done.set(true);
      working.join();
    }
  }

  /** Makes every write behind the first 4 KiB of a file fail: EFBIG. */
  private static final class FileSizeLimit {
    private static final int LIMIT_BYTES = 4096;

    private FileSizeLimit() {}

    static void impose(ProcessHandle process) throws IOException, InterruptedException {
      Process prlimit;
      try {
        prlimit =
            new ProcessBuilder("prlimit", "--pid=" + process.pid(), "--fsize=" + LIMIT_BYTES)
                .redirectErrorStream(true)
                .start();
      } catch (IOException e) {
        assumeTrue(false, "no prlimit of util-linux can be started here: " + e.getMessage());
        return;
      }
      String said = new String(prlimit.getInputStream().readAllBytes());
      assertEquals(0, prlimit.waitFor(), said);
    }
  }
}
