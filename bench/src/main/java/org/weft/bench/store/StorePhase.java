package org.weft.bench.store;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.engine.OsdfsStore;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.rocksdb.RocksKeyValueStore;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.protocol.system.SystemEnvironment;

/**
 * One process of the bench: opens the store in a folder, does one thing and says one line of JSON.
 * Arguments: fill|streams|open|writes, the folder, objects, and bytes of sparse data; for "writes"
 * how often it was run before.
 */
final class StorePhase {
  private static final long CAPACITY_BYTES = 4L << 40;
  private static final long SPARSE_BYTES_EACH = 1L << 30;
  private static final int SPARSE_RUN_BYTES = 1 << 20;
  private static final int STREAMS = 16;
  private static final long FIRST_STREAM = 1L << 39;
  private static final int WRITES = 20_000;
  private static final int WRITE_ROUNDS = 5;

  private final Path folder;
  private final long objects;
  private final long bytes;
  private final SystemEnvironment system = SystemEnvironment.create();
  private final Map<String, Object> said = new LinkedHashMap<>();

  private StorePhase(Path folder, long objects, long bytes) {
    this.folder = folder;
    this.objects = objects;
    this.bytes = bytes;
  }

  public static void main(String[] arguments) throws Exception {
    StorePhase phase =
        new StorePhase(
            Path.of(arguments[1]), Long.parseLong(arguments[2]), Long.parseLong(arguments[3]));
    switch (arguments[0]) {
      case "fill" -> phase.fill();
      case "open" -> phase.openAgain();
      case "writes" -> phase.writes();
      case "streams" -> phase.streams();
      default -> throw new IllegalArgumentException("there is no phase " + arguments[0]);
    }
    System.exit(0);
  }

  private ObjectStore open() throws IOException {
    Environment environment = system.environment();
    return OsdfsStore.open(
        StoreOptions.ofCapacity(CAPACITY_BYTES),
        RocksKeyValueStore.open(folder.resolve("tables")),
        new SparseSegments(folder.resolve("segments")),
        environment.scheduler(),
        environment.random(),
        environment.bootIdentity());
  }

  /** Fills the store and waits to be killed. */
  private void fill() throws Exception {
    ObjectStore store = open();
    StoreLoad load = new StoreLoad(store);
    load.begin();
    double began = cpuSeconds();
    load.create(1, objects);
    said.put("createMicros", (cpuSeconds() - began) * 1e6 / Math.max(1, objects));
    int sparse = (int) (bytes / SPARSE_BYTES_EACH);
    began = cpuSeconds();
    for (int done = 0; done < sparse; done += STREAMS) {
      int now = Math.min(STREAMS, sparse - done);
      load.streams(FIRST_STREAM + done, now, SPARSE_BYTES_EACH, SPARSE_RUN_BYTES);
    }
    said.put("cpuPerGib", (cpuSeconds() - began) / Math.max(1, sparse));
    var unused = store.checkpointNow().toCompletableFuture().join();
    heap();
    say();
    new CountDownLatch(1).await();
  }

  private void openAgain() throws Exception {
    double cpu = cpuSeconds();
    long began = System.nanoTime();
    ObjectStore store = open();
    said.put("openMillis", (System.nanoTime() - began) / 1_000_000);
    said.put("openCpuSeconds", cpuSeconds() - cpu);
    heap();
    began = System.nanoTime();
    store.close();
    said.put("closeMillis", (System.nanoTime() - began) / 1_000_000);
    say();
  }

  /** CPU of small writes, the store alone: the last of some rounds, when all is compiled. */
  private void writes() throws Exception {
    try (ObjectStore store = open()) {
      StoreLoad load = new StoreLoad(store);
      for (int round = 0; round < WRITE_ROUNDS; round++) {
        double began = cpuSeconds();
        long allocated = allocatedBytes();
        load.smallWrites(objects, WRITES, bytes * WRITE_ROUNDS + round);
        said.put("writeMicros", (cpuSeconds() - began) * 1e6 / WRITES);
        said.put("writeAllocatedBytes", (allocatedBytes() - allocated) / WRITES);
      }
      heap();
    }
    say();
  }

  /** Sixteen streams at once on real segments: how they lie. */
  private void streams() throws Exception {
    StoreFolder store = new StoreFolder(folder);
    try (ObjectStore open = store.open(StoreOptions.ofCapacity(4 * bytes), system.environment())) {
      StoreLoad load = new StoreLoad(open);
      load.begin();
      double began = cpuSeconds();
      load.streams(1, STREAMS, bytes / STREAMS, SPARSE_RUN_BYTES);
      double gibibytes = (double) bytes / (1 << 30);
      said.put("cpuPerGib", (cpuSeconds() - began) / gibibytes);
    }
    layout(store);
    say();
  }

  private void layout(StoreFolder store) throws IOException {
    long[] counts = new long[3];
    byte[] prefix = StoreKeys.prefix(StoreKeys.EXTENTS);
    try (KeyValueStore tables = store.openTablesReadOnly();
        KeyValueStore.Cursor pages = tables.scan(prefix, StoreKeys.after(prefix))) {
      long handle = -1;
      Extent last = null;
      while (pages.next()) {
        long number = StoreKeys.numberAt(pages.key(), 1);
        boolean same = handle == StoreKeys.numberAt(pages.key(), 0);
        handle = StoreKeys.numberAt(pages.key(), 0);
        for (Extent extent : ExtentPageCodec.decode(number, pages.value()).extents()) {
          counts[0]++;
          counts[1] += extent.blockCount();
          counts[2] += same && last != null && follows(last, extent) ? 0 : 1;
          last = extent;
          same = true;
        }
      }
    }
    double gibibytes = (double) counts[1] * StoreLoad.BLOCK_BYTES / (1 << 30);
    said.put("extentsPerGib", counts[0] / gibibytes);
    said.put("piecesPerGib", counts[2] / gibibytes);
  }

  private static boolean follows(Extent last, Extent next) {
    return last.segment() == next.segment()
        && last.segmentBlock() + last.blockCount() == next.segmentBlock();
  }

  private void heap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    said.put("heapMib", (runtime.totalMemory() - runtime.freeMemory()) >> 20);
  }

  private void say() throws IOException {
    System.out.println(new ObjectMapper().writeValueAsString(said));
    System.out.flush();
  }

  private static double cpuSeconds() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getProcessCpuTime() / 1e9;
  }

  private static long allocatedBytes() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
  }
}
