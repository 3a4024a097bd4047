package org.weft.metadata;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.weft.client.ClientOptions;
import org.weft.client.UpdateOptions;
import org.weft.client.WeftClient;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.SimProcess;

/** One of the writers of a shared file, in a process of its own that may die. */
final class SharingClient {
  /** A write that was begun. Its bytes all have one value. */
  static final class Write {
    final long from;
    final long to;
    final byte value;
    final long beganNanos;
    long endedNanos = Long.MAX_VALUE;

    Write(long from, long to, byte value, long beganNanos) {
      this.from = from;
      this.to = to;
      this.value = value;
      this.beganNanos = beganNanos;
    }
  }

  private final ManagerWorld world;
  private final SimProcess process;
  private final SplittableRandom random;
  private final WeftPath path;
  private final List<Write> history;
  private final List<RpcConnection> controls = new ArrayList<>();
  private final int lostPushesOfTen;
  private final UpdateOptions options;
  private final List<Write> gathered = new ArrayList<>();
  private WeftClient client;
  private WeftFile file;
  private int left;
  private int pushes;
  private boolean alive = true;
  private Throwable failure;

  /**
   * @param history gets all writes
   * @param lostPushesOfTen how many of ten pushes do not arrive
   * @param options if they gather, it flushes now and then, and its writes end with that
   */
  SharingClient(
      ManagerWorld world,
      WeftPath path,
      List<Write> history,
      int lostPushesOfTen,
      UpdateOptions options,
      long seed) {
    this.world = world;
    this.process = world.newProcess();
    this.random = new SplittableRandom(seed);
    this.path = path;
    this.history = history;
    this.lostPushesOfTen = lostPushesOfTen;
    this.options = options.withShared(true);
  }

  /** Opens the file beside others, which may take a while. */
  CompletableFuture<WeftFile> open() {
    Environment inner = process.environment();
    Environment lossy = FilteredPushes.in(inner, this::arrives, controls::add);
    ClientOptions connecting =
        ClientOptions.builder(
                List.of(world.sysmgr.address()),
                "weft",
                inner.scheduler().newPool("callbacks", 2, 10_000))
            .groups(List.of("supergroup"))
            .build();
    return WeftClient.connect(connecting, lossy)
        .thenCompose(
            connected -> {
              client = connected;
              return client.fileSystem().openForUpdate(path, options);
            })
        .whenComplete((opened, thrown) -> file = opened);
  }

  private boolean arrives() {
    pushes++;
    return random.nextInt(10) >= lostPushesOfTen;
  }

  WeftFile file() {
    return file;
  }

  WeftClient client() {
    return client;
  }

  int pushes() {
    return pushes;
  }

  /** Makes so many writes, one after another, most of them in a part of the file of its own. */
  void begin(int writes, long sizeBytes, long ownFrom, long ownTo) {
    left = writes;
    next(sizeBytes, ownFrom, ownTo);
  }

  private void next(long sizeBytes, long ownFrom, long ownTo) {
    if (left == 0 || !alive) {
      return;
    }
    boolean own = random.nextInt(3) != 0;
    long lowest = own ? ownFrom : 0;
    long highest = own ? ownTo : sizeBytes;
    long from = random.nextLong(lowest, highest);
    long to = Math.min(highest, from + 1 + random.nextLong(30_000));
    byte value = (byte) (1 + history.size() % 255);
    Write write = new Write(from, to, value, world.time.nowNanos());
    history.add(write);
    byte[] bytes = new byte[(int) (to - from)];
    java.util.Arrays.fill(bytes, value);
    var unused =
        file.write(from, ByteBuffer.wrap(bytes))
            .thenCompose(nothing -> ended(write))
            .whenComplete(
                (nothing, thrown) -> {
                  if (thrown == null) {
                    left--;
                    world.time.after(
                        random.nextLong(20_000_000), () -> next(sizeBytes, ownFrom, ownTo));
                  } else {
                    failure = thrown;
                  }
                });
  }

  private CompletableFuture<Void> ended(Write write) {
    gathered.add(write);
    boolean acknowledged = options.gatherBytes() == 0;
    if (!acknowledged && left > 1 && random.nextInt(5) != 0) {
      return CompletableFuture.completedFuture(null);
    }
    return (acknowledged ? CompletableFuture.<Void>completedFuture(null) : file.hflush())
        .thenRun(
            () -> {
              gathered.forEach(each -> each.endedNanos = world.time.nowNanos());
              gathered.clear();
            });
  }

  /** All is written, or it is dead. */
  boolean isDone() {
    if (failure != null) {
      throw new AssertionError("a write failed", failure);
    }
    return left == 0 || !alive;
  }

  boolean isAlive() {
    return alive;
  }

  void kill() {
    alive = false;
    process.kill();
  }

  /** Ends the connections on which it is asked for something back. */
  void cutControl() {
    List<RpcConnection> ending = List.copyOf(controls);
    controls.clear();
    ending.forEach(RpcConnection::close);
  }
}
