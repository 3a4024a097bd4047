package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.SessionOptions;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.client.volume.VolumeSession;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.JoinRequest;
import org.weft.protocol.wire.ReaddirReply;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.sysmgr.FakeCluster;
import org.weft.testkit.sysmgr.FakeSysmgr;

/**
 * A manager in a process of its own over real sockets and a real disk. It is killed with SIGKILL
 * while several clients make, close and rename files. Nothing acknowledged is lost, and nothing is
 * done twice (rules 1 and 6).
 */
class ManagerProcessTest {
  private static final int ROUNDS = Integer.getInteger("weft.kill.rounds", 2);
  private static final int CLIENTS = 4;
  private static final int OSDS = 4;

  @TempDir Path folder;

  private final SystemEnvironment system = SystemEnvironment.create();
  private final FakeCluster cluster = FakeCluster.seeded(1);
  private final List<AutoCloseable> open = new ArrayList<>();
  private FakeSysmgr sysmgr;
  private Process manager;

  @BeforeEach
  void aClusterOfFakes() throws Exception {
    sysmgr = FakeSysmgr.start(system.environment().transport(), cluster);
    open.add(sysmgr);
    byte[] key = cluster.partition(FakeCluster.ROOT_VOLUME).getKeys(0).getKey().toByteArray();
    for (int number = 1; number <= OSDS; number++) {
      OwnedExecutor commands = system.environment().scheduler().newPool("osd" + number, 1, 100_000);
      FakeOsd osd =
          FakeOsd.start(
              new OsdId(number),
              cluster.clusterId(),
              system.environment().transport(),
              commands,
              key);
      open.add(osd);
      open.add(commands);
      join(osd, number);
    }
  }

  private void join(FakeOsd osd, int number) throws Exception {
    MessageLite request =
        JoinRequest.newBuilder()
            .setIdentity("osd" + number)
            .addAddresses(
                AddressMessage.newBuilder()
                    .setHost(osd.address().host())
                    .setPort(osd.address().port()))
            .setHost("host-" + number)
            .setIncarnation(1)
            .setCapacityBytes(1L << 40)
            .build();
    RpcConnection connection =
        system
            .environment()
            .transport()
            .connect(sysmgr.address(), ConnectOptions.to(Optional.empty(), "test"))
            .toCompletableFuture()
            .get(10, TimeUnit.SECONDS);
    connection
        .call(
            RpcRequest.signed(Opcode.JOIN_OSD, request, 5_000, JoinSecret.of(cluster.joinToken())))
        .get(10, TimeUnit.SECONDS)
        .payload()
        .release();
    connection.close();
  }

  @AfterEach
  void end() throws Exception {
    if (manager != null) {
      manager.destroyForcibly().waitFor();
    }
    for (AutoCloseable each : open) {
      each.close();
    }
    system.close();
  }

  private void launch() throws IOException {
    manager =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ManagerProcess.class.getName(),
                folder.resolve("manager").toString(),
                sysmgr.address().toString(),
                HexFormat.of().formatHex(cluster.joinToken()))
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(new File(folder.toFile(), "manager.log")))
            .start();
  }

  private VolumeCalls client() throws Exception {
    OwnedExecutor home = system.environment().scheduler().newSerialExecutor("client");
    open.add(home);
    ClusterView view =
        ClusterView.open(
                ClusterViewOptions.of(
                    List.of(sysmgr.address()), Optional.of(cluster.clusterId()), "client"),
                system.environment(),
                home)
            .get(30, TimeUnit.SECONDS);
    SessionOptions session =
        SessionOptions.of(FakeCluster.ROOT_VOLUME, "weft", List.of("supergroup"), "test");
    VolumeSession opened =
        new VolumeSession(session, cluster.clusterId(), view, system.environment(), home);
    open.add(0, opened);
    open.add(1, view);
    return new VolumeCalls(opened);
  }

  /** One client's doings in a directory of its own: one request after another. */
  private final class Worker {
    private final VolumeCalls calls;
    private final String directory;
    private final Map<String, Long> expected = new ConcurrentSkipListMap<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicBoolean stop;
    private final Semaphore done;
    private long next;

    Worker(VolumeCalls calls, String directory, AtomicBoolean stop, Semaphore done) {
      this.calls = calls;
      this.directory = directory;
      this.stop = stop;
      this.done = done;
    }

    void start() {
      then(calls.mkdir(directory, 0755, 0, false), made -> loop());
    }

    private void loop() {
      if (stop.get()) {
        ended.complete(null);
        return;
      }
      String name = "f" + next++;
      String path = directory + "/" + name;
      VolumeCalls.Creation creation =
          new VolumeCalls.Creation(0644, 0, false, false, Optional.empty());
      then(calls.create(path, creation), created -> close(name, path, created));
    }

    private void close(String name, String path, SessionReply<CreateReply> created) {
      expected.put(name, 0L);
      then(
          calls.close(
              new SessionGrant(
                  path,
                  created.sessionId(),
                  created.body().getAttributes().getObjectId(),
                  created.body().getGrant().getNumber()),
              next,
              0,
              false),
          closed -> {
            expected.put(name, next);
            done.release(2);
            if (next % 3 == 0) {
              rename(name);
            } else {
              loop();
            }
          });
    }

    private void rename(String name) {
      String target = "g" + next;
      then(
          calls.rename(directory + "/" + name, directory + "/" + target, false),
          renamed -> {
            expected.put(target, expected.remove(name));
            done.release();
            loop();
          });
    }

    private <T> void then(CompletableFuture<T> call, java.util.function.Consumer<T> step) {
      var unused =
          call.whenComplete(
              (value, failure) -> {
                if (failure != null) {
                  ended.completeExceptionally(failure);
                } else {
                  step.accept(value);
                }
              });
    }
  }

  @Test
  void nothingAcknowledgedIsLostWhenTheProcessIsKilled() throws Exception {
    Random random = new Random(1);
    AtomicBoolean stop = new AtomicBoolean();
    Semaphore done = new Semaphore(0);
    launch();
    List<Worker> workers = new ArrayList<>();
    for (int index = 0; index < CLIENTS; index++) {
      Worker worker = new Worker(client(), "/d" + index, stop, done);
      workers.add(worker);
      worker.start();
    }
    for (int round = 0; round < ROUNDS; round++) {
      awaitProgress(done, 30 + random.nextInt(50));
      manager.destroyForcibly().waitFor();
      launch();
    }
    awaitProgress(done, 50);
    stop.set(true);
    for (Worker worker : workers) {
      worker.ended.get(90, TimeUnit.SECONDS);
    }
    assertEverythingIsThere(workers);
    manager.getOutputStream().close();
    assertTrue(manager.waitFor(60, TimeUnit.SECONDS), "a clean stop");
    launch();
    assertEverythingIsThere(workers);
  }

  private static void awaitProgress(Semaphore done, int requests) throws InterruptedException {
    done.drainPermits();
    assertTrue(done.tryAcquire(requests, 90, TimeUnit.SECONDS), "requests are answered");
  }

  private static void assertEverythingIsThere(List<Worker> workers) throws Exception {
    for (Worker worker : workers) {
      Map<String, Long> found = new TreeMap<>();
      long cookie = 0;
      boolean end = false;
      while (!end) {
        ReaddirReply page =
            worker.calls.readdir(worker.directory, cookie, 500, true).get(90, TimeUnit.SECONDS);
        for (DirectoryEntry entry : page.getEntriesList()) {
          found.put(entry.getName(), entry.getAttributes().getSize());
          cookie = entry.getCookie();
        }
        end = page.getEnd();
      }
      assertEquals(new TreeMap<>(worker.expected), found);
    }
  }
}
