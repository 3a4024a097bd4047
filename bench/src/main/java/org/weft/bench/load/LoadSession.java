package org.weft.bench.load;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.weft.protocol.system.OpenParts;

/**
 * One workload under one setting: prepared once, repeated as often as its owner likes. One thread.
 */
public final class LoadSession implements Closeable {
  private static final int WARM_UP = -1_000_000;

  private final BenchTarget target;
  private final CpuMeter cpu;
  private final Scene scene;
  private final Workload workload;
  private final BenchSettings settings;
  private final int ioBytes;
  private final String root;
  private final Map<String, Long> written = new ConcurrentHashMap<>();
  private final List<BenchFiles> clients = new ArrayList<>();
  private final Workload.Load load;
  private int warmUps;

  /** Connects its clients. */
  public LoadSession(
      BenchTarget target, CpuMeter cpu, Scene scene, Workload workload, BenchSettings settings)
      throws IOException {
    this.target = target;
    this.cpu = cpu;
    this.scene = scene;
    this.workload = workload;
    this.settings = settings;
    this.ioBytes = workload.ioBytes(settings);
    this.root = settings.directory() + "/" + workload.label();
    if (settings.cold() && !workload.meetsFilesOnce()) {
      throw new IllegalArgumentException(
          workload.label() + " has no run with cold clients; stat and open-read have");
    }
    try {
      connect(clients);
    } catch (IOException e) {
      closeAll(clients, e);
      throw e;
    }
    this.load = workload.in(place(clients));
  }

  private Workload.Place place(List<BenchFiles> whose) {
    return new Workload.Place(List.copyOf(whose), settings, root, written);
  }

  private void connect(List<BenchFiles> into) throws IOException {
    for (int i = 0; i < settings.clients(); i++) {
      into.add(target.connect());
    }
  }

  /** Bytes of one operation. */
  public int ioBytes() {
    return ioBytes;
  }

  /** Makes what all repetitions need. */
  public void prepare() throws IOException {
    load.prepare();
  }

  /** Whole repetitions that do not count, until this time is over; the last one is answered. */
  public Repetition warmUp(double seconds) throws IOException {
    long begun = System.nanoTime();
    Repetition last;
    do {
      last = repeat(WARM_UP - warmUps++);
    } while (System.nanoTime() - begun < seconds * TimeUnit.SECONDS.toNanos(1));
    return last;
  }

  /**
   * Once more.
   *
   * @param number seeds what is chosen by chance
   */
  public Repetition repeat(int number) throws IOException {
    load.reset();
    if (!settings.cold()) {
      return run(load, clients, number);
    }
    List<BenchFiles> fresh = new ArrayList<>();
    IOException failed = null;
    try {
      connect(fresh);
      Workload.Place cold = place(fresh);
      cold.greet();
      return run(workload.in(cold), fresh, number);
    } catch (IOException e) {
      failed = e;
      throw e;
    } finally {
      closeAll(fresh, failed);
    }
  }

  private Repetition run(Workload.Load running, List<BenchFiles> whose, int number)
      throws IOException {
    scene.before(settings.restSeconds());
    LateUnits lateBefore = LateUnits.of(whose);
    CpuMeter.Reading before = cpu.read();
    long begun = System.nanoTime();
    Worker[] workers = new Worker[settings.threads()];
    for (int i = 0; i < workers.length; i++) {
      workers[i] = new Worker(i, number, settings, ioBytes, begun);
    }
    Threads.run(workers.length, thread -> running.run(workers[thread]));
    long nanos = System.nanoTime() - begun;
    scene.after(settings.settleSeconds());
    CpuMeter.Reading after = cpu.read();
    Histogram latencies = Worker.histogram();
    long operations = 0;
    long bytes = 0;
    for (Worker worker : workers) {
      latencies.add(worker.latencies());
      operations += worker.operations();
      bytes += worker.bytes();
    }
    if (operations == 0) {
      throw new IOException(workload.label() + " did nothing in its time");
    }
    return new Repetition(
        nanos,
        after.since(before),
        after.othersSince(before),
        latencies,
        operations,
        bytes,
        LateUnits.of(whose).minus(lateBefore));
  }

  /** Files that must be there now, with their lengths; -1: one that must not. */
  public SortedMap<String, Long> left() {
    return new TreeMap<>(written);
  }

  /** Removes everything that it made, and the directory that it was given. */
  public void remove() throws IOException {
    clients.get(0).deleteTree(settings.directory());
  }

  @Override
  public void close() throws IOException {
    closeAll(clients, null);
  }

  private static void closeAll(List<BenchFiles> all, IOException reason) throws IOException {
    OpenParts parts = new OpenParts();
    all.forEach(parts::add);
    if (reason == null) {
      parts.close();
    } else {
      parts.closeAfter(reason);
    }
  }
}
