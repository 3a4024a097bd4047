package org.weft.it.nfs;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.client.WeftClient;
import org.weft.client.WeftPath;
import org.weft.nfs.model.Nfs3Client;
import org.weft.soak.process.DaemonCluster;
import org.weft.testkit.process.Await;

/**
 * Programs on hard mounts of the harness's own client. Files are written, names are changed, and
 * cells are locked, each on a thread of its own. Mounts for files and names go to the next gateway
 * when theirs is gone, as when its address moves. Mounts with locks stay, since an owner of a lock
 * is known by the address.
 */
final class MountedPrograms implements GatewayPrograms {
  private static final int FILES = 3;
  private static final int TREES = 2;
  private static final int LOCKERS_OF_A_HOST = 2;
  private static final int CALLS_AT_ONCE = 16;
  private static final long REPEAT_SECONDS = 5;

  private final WeftClient client;
  private final Findings findings;
  private final List<HardMount> mounts = new ArrayList<>();
  private final List<PageCacheFile> files = new ArrayList<>();
  private final Map<MountProgram, AtomicLong> rounds = new HashMap<>();
  private final ExecutorService calls = Executors.newFixedThreadPool(CALLS_AT_ONCE, daemons());
  private final ExecutorService programs = Executors.newCachedThreadPool(daemons());
  private final ScheduledExecutorService repeats =
      Executors.newSingleThreadScheduledExecutor(daemons());
  private final List<CompletableFuture<Void>> ends = new ArrayList<>();
  private final Random random;
  private volatile boolean over;

  MountedPrograms(
      NfsKillsOptions options, DaemonCluster cluster, WeftClient client, Findings findings)
      throws ProgramError {
    this.client = client;
    this.findings = findings;
    this.random = new Random(~options.seed());
    List<InetSocketAddress> gateways = new ArrayList<>();
    for (int number = 1; number <= cluster.gateways(); number++) {
      gateways.add(new InetSocketAddress("127.0.0.1", cluster.gatewayPort(number)));
    }
    prepare(gateways);
    var unused =
        repeats.scheduleWithFixedDelay(
            () -> mounts.forEach(mount -> mount.connection().repeatLateCalls()),
            REPEAT_SECONDS,
            REPEAT_SECONDS,
            TimeUnit.SECONDS);
    rounds.forEach(
        (load, done) -> ends.add(CompletableFuture.runAsync(() -> go(load, done), programs)));
  }

  private static ThreadFactory daemons() {
    return task -> {
      Thread thread = new Thread(task);
      thread.setDaemon(true);
      return thread;
    };
  }

  private HardMount mount(String name, List<InetSocketAddress> servers) {
    HardMount mount = new HardMount(name, servers, NfsKillsRun.EXPORT, random.nextInt(), findings);
    mounts.add(mount);
    return mount;
  }

  private void prepare(List<InetSocketAddress> gateways) throws ProgramError {
    int last = gateways.size() - 1;
    HardMount moving = mount("moving", gateways);
    HardMount other = mount("other", List.of(gateways.get(last)));
    HardMount staying = mount("staying", List.of(gateways.get(0)));
    byte[] root = moving.root();
    for (int i = 0; i < FILES; i++) {
      HardMount by = i % 2 == 0 ? moving : staying;
      PageCacheFile file =
          new PageCacheFile("file-" + i, by, other, root, calls, findings, random.nextLong());
      files.add(file);
      add(file);
    }
    for (int i = 0; i < TREES; i++) {
      HardMount by = i % 2 == 0 ? moving : staying;
      add(new NameLoad("tree-" + i, by, other, root, findings, random.nextLong()));
    }
    prepareLocks(gateways, root);
  }

  private void prepareLocks(List<InetSocketAddress> gateways, byte[] root) throws ProgramError {
    LockedCells cells = new LockedCells(System::nanoTime);
    HardMount first = mounts.get(0);
    Nfs3Client.Set mode = Nfs3Client.Set.mode(0666);
    byte[] file = first.must("CREATE", nfs -> nfs.create(root, "cells", true, mode)).handle;
    byte[] zeros = new byte[LockedCells.CELLS * Long.BYTES];
    first.must("WRITE", nfs -> nfs.write(file, 0, Nfs3Client.FILE_SYNC, zeros));
    for (int host = 0; host < Math.min(2, gateways.size()); host++) {
      HardMount by = mount("locking-" + host, List.of(gateways.get(host)));
      for (int i = 0; i < LOCKERS_OF_A_HOST; i++) {
        add(new LockLoad("host-" + host, 1 + i, by, file, cells, findings, random.nextLong()));
      }
    }
  }

  private void add(MountProgram load) {
    rounds.put(load, new AtomicLong());
  }

  private void go(MountProgram load, AtomicLong done) {
    try {
      while (!over && findings.isSound()) {
        load.round();
        done.incrementAndGet();
      }
    } catch (ProgramError e) {
      findings.wrong(load.name() + ": " + e.getMessage());
    } catch (RuntimeException | AssertionError e) {
      findings.wrong(load.name() + ": " + e);
    }
  }

  @Override
  public void awaitProgress(long seconds) throws Exception {
    Map<MountProgram, Long> before = new HashMap<>();
    rounds.forEach((load, done) -> before.put(load, done.get()));
    for (Map.Entry<MountProgram, AtomicLong> each : rounds.entrySet()) {
      long target = before.get(each.getKey()) + 1;
      try {
        Await.until(
            seconds, () -> "", () -> !findings.isSound() || each.getValue().get() >= target);
      } catch (AssertionError e) {
        findings.wrong(each.getKey().name() + " has not gone on for " + seconds + " s");
      }
    }
  }

  @Override
  public void finish(long seconds) throws Exception {
    over = true;
    try {
      CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
          .get(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      findings.wrong("a program still waits " + seconds + " s after the last fault");
    }
    for (HardMount mount : mounts) {
      findings.count("calls sent again", mount.connection().repeats());
      findings.count("connections", mount.connection().connections());
    }
    if (!findings.isSound()) {
      return;
    }
    CompletableFuture<Void> looked = CompletableFuture.runAsync(this::look, programs);
    try {
      looked.get(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      findings.wrong("what is there cannot be looked at within " + seconds + " s");
      return;
    }
    for (PageCacheFile file : files) {
      compare(file);
    }
  }

  private void look() {
    for (MountProgram load : rounds.keySet()) {
      try {
        load.finish();
      } catch (ProgramError e) {
        findings.wrong("at the end: " + load.name() + ": " + e.getMessage());
      }
    }
  }

  /** With Weft's own client. */
  private void compare(PageCacheFile file) throws Exception {
    WeftPath path = WeftPath.of(NfsKillsRun.EXPORT + "/" + file.name());
    try (var in = client.files().open(path)) {
      int wrong = Arrays.mismatch(file.content(), in.readAllBytes());
      if (wrong >= 0) {
        findings.wrong(path + " differs at " + wrong + " when Weft's own client reads it");
      }
    }
  }

  @Override
  public void close() {
    over = true;
    mounts.forEach(HardMount::close);
    repeats.shutdownNow();
    programs.shutdownNow();
    calls.shutdownNow();
  }
}
