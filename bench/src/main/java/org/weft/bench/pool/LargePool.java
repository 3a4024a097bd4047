package org.weft.bench.pool;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.weft.metadata.placement.OsdPool;
import org.weft.metadata.placement.Placement;
import org.weft.metadata.placement.PlacementSpec;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Places a sample of files on a large pool and says what that means for all of them. */
@Command(
    name = "large-pool",
    description = "Spread of load, map size, memory and rebuild of a large cluster, on paper.",
    mixinStandardHelpOptions = true)
public final class LargePool implements Callable<Integer> {
  private static final int META_COPIES = 3;
  private static final double GIGABYTE = 1e9;
  private static final double TERABYTE = 1e12;
  private static final double MEGABYTE = 1e6;
  private static final double HOUR = 3600;
  private static final double MINUTE = 60;
  private static final int MAX_FILE_BITS = 40;
  private static final String BLADE_SET = "default";

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(names = "--osds", defaultValue = "10000", description = "OSDs (${DEFAULT-VALUE}).")
  private int osds;

  @Option(
      names = "--per-host",
      defaultValue = "10",
      description = "On one host (${DEFAULT-VALUE}).")
  private int perHost;

  @Option(
      names = "--sample",
      defaultValue = "100000",
      description = "Files placed (${DEFAULT-VALUE}).")
  private int sample;

  @Option(
      names = "--files",
      defaultValue = "1000000000",
      description = "Files meant (${DEFAULT-VALUE}).")
  private long files;

  @Option(
      names = "--median-size",
      defaultValue = "100000",
      description = "Bytes of the file in the middle; sizes are log-normal (${DEFAULT-VALUE}).")
  private double medianBytes;

  @Option(
      names = "--sigma",
      defaultValue = "3",
      description = "Of the logarithm of sizes (${DEFAULT-VALUE}).")
  private double sigma;

  @Option(names = "--parity", defaultValue = "1", description = "Parity units (${DEFAULT-VALUE}).")
  private int parity;

  @Option(
      names = "--rebuild-rate",
      defaultValue = "40",
      description = "MB/s that each OSD gives to a rebuild (${DEFAULT-VALUE}).")
  private double rebuildMegabytes;

  @Option(
      names = "--short-hosts",
      defaultValue = "0",
      description = "Hosts of which one OSD is down: their others should get as much as any.")
  private int shortHosts;

  @Option(names = "--seed", defaultValue = "1")
  private long seed;

  private SplittableRandom random;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new LargePool()).execute(arguments));
  }

  @Override
  public Integer call() throws InvalidProtocolBufferException, WeftException {
    random = new SplittableRandom(seed);
    row("what", "value");
    row("---", "---");
    OsdPool pool = pool();
    place(pool);
    return 0;
  }

  private void row(String what, String format, Object... values) {
    spec.commandLine()
        .getOut()
        .println("| " + what + " | " + String.format(Locale.ROOT, format, values) + " |");
  }

  /** As the manager of a volume has it: from the table that SysMgr sends. */
  private OsdPool pool() throws InvalidProtocolBufferException {
    ClusterTable.Builder table = ClusterTable.newBuilder();
    for (int osd = 1; osd <= osds; osd++) {
      table.addOsds(osdRow(osd));
    }
    byte[] sent = table.build().toByteArray();
    row("OSDs, hosts", "%,d, %,d", osds, (osds + perHost - 1) / perHost);
    row(
        "cluster table on the wire",
        "%,d bytes, %.0f an OSD",
        sent.length,
        sent.length / (double) osds);
    long before = usedBytes();
    long begun = System.nanoTime();
    ClusterTable read = ClusterTable.parseFrom(sent);
    OsdPool pool = OsdPool.of(read, BLADE_SET, new PartitionId(1));
    double millis = (System.nanoTime() - begun) / 1e6;
    row("table read and sorted into a pool, cold", "%.1f ms", millis);
    row("heap of table and pool", "%.1f MiB", (usedBytes() - before) / 1048576.0);
    if (read.getOsdsCount() != pool.osds().size()) {
      throw new IllegalStateException("the pool lacks OSDs of the table");
    }
    return pool;
  }

  private int host(int osd) {
    return (osd - 1) / perHost;
  }

  private boolean isDown(int osd) {
    return host(osd) < shortHosts && (osd - 1) % perHost == 0;
  }

  private OsdRow osdRow(int osd) {
    int number = host(osd);
    String host = "rack-%02d-host-%04d".formatted(number / 40, number);
    return OsdRow.newBuilder()
        .setOsdId(osd)
        .addAddresses(AddressMessage.newBuilder().setHost(host + ".example.org").setPort(7400))
        .setState(isDown(osd) ? NodeState.DOWN : NodeState.UP)
        .setHost(host)
        .setIncarnation(12)
        .setBladeSet(BLADE_SET)
        .setCapacityBytes(16_000_000_000_000L)
        .setUsedBytes(8_000_000_000_000L + osd)
        .setReserveBytes(800_000_000_000L)
        .setObjects(1_000_000 + osd)
        .setDurableCheckpoint(100_000_000 + osd)
        .setIdentity("%032x".formatted(random.nextLong() >>> 1))
        .build();
  }

  private static long usedBytes() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private void place(OsdPool pool) throws WeftException {
    Placement placement = new Placement(pool, META_COPIES, random);
    PlacementSpec wanted = PlacementSpec.of(0, parity);
    LoadSpread objects = new LoadSpread(osds);
    LoadSpread bytes = new LoadSpread(osds);
    RebuildReads rebuild = new RebuildReads(osds);
    MapSizes sizes = new MapSizes();
    double fileBytes = 0;
    long nanos = 0;
    for (int i = 0; i < sample; i++) {
      long begun = System.nanoTime();
      StorageMap map = placement.file(wanted);
      nanos += i < sample / 10 ? 0 : System.nanoTime() - begun;
      long size = fileSize();
      fileBytes += size;
      long[] used = ComponentBytes.of(map.layout(), size);
      objects.file();
      bytes.file();
      int attributes = map.attributeComponents(META_COPIES);
      for (int component = 0; component < used.length; component++) {
        if (used[component] > 0 || component < attributes) {
          objects.put(map.osdOf(component).value() - 1, 1);
        }
        if (used[component] > 0) {
          bytes.put(map.osdOf(component).value() - 1, used[component]);
        }
      }
      rebuild.file(map, used, map.layout().isSmall(size));
      sizes.add(map);
    }
    StorageMap map = placement.file(wanted);
    row(
        "layout of new files",
        "%d + %d, %d groups, %d components",
        map.layout().dataUnits(),
        map.layout().parityUnits(),
        map.layout().groups(),
        map.layout().componentCount());
    row("CPU to place one file", "%.0f us", nanos / 1000.0 / (sample - sample / 10));
    sizes.print(this::row, files);
    row(
        "mean file, all files",
        "%.1f MB, %.2f PB",
        fileBytes / sample / MEGABYTE,
        fileBytes / sample * files / 1e15);
    spread("objects", objects);
    spread("bytes", bytes);
    rebuild(rebuild, files / osds * rebuild.components() / sample);
  }

  private long fileSize() {
    double size = medianBytes * Math.exp(sigma * random.nextGaussian());
    return (long) Math.min(size, 1L << MAX_FILE_BITS);
  }

  private void spread(String what, LoadSpread spread) {
    row(
        what + " over OSDs, sample",
        "deviation %.2f %% of the mean, %.2f %% if placed by dice; fullest %.2f of the mean",
        100 * spread.deviation(),
        100 * spread.expectedDeviation(spread.files()),
        spread.highestOverMean());
    if (shortHosts > 0) {
      row(
          what + " on hosts that lack an OSD, against other hosts",
          "%.2f of what an OSD there has",
          spread.mean(index -> host(index + 1) < shortHosts && !isDown(index + 1))
              / spread.mean(index -> host(index + 1) >= shortHosts));
    }
    double all = spread.expectedDeviation(files);
    row(
        what + " over OSDs, all files",
        "%,.0f each, deviation %.3f %%, fullest about %.4f of the mean",
        spread.perFile() * files / osds,
        100 * all,
        1 + LoadSpread.MAX_OF_TEN_THOUSAND * all);
  }

  /**
   * Components go to any OSD that has none of their file, so that all take part in writing too.
   *
   * @param lost components with one OSD
   */
  private void rebuild(RebuildReads rebuild, long lost) {
    double bytesOfOsd = rebuild.bytesPerComponent() * lost;
    row("lost with one OSD", "%,d components, %.2f TB", lost, bytesOfOsd / TERABYTE);
    row("OSDs asked to rebuild it", "%,.0f", rebuild.askedOf(osds, lost));
    row("bytes read for each byte lost", "%.2f", rebuild.readsPerLostByte());
    double reads = rebuild.readsPerLostByte() * bytesOfOsd / (osds - 1);
    row(
        "read from each of them",
        "%.2f GB, from the busiest %.2f GB",
        reads / GIGABYTE,
        reads * (1 + rebuild.busiest(lost)) / GIGABYTE);
    double busiest = reads * (1 + rebuild.busiest(lost)) + bytesOfOsd / (osds - 1);
    row(
        "rebuild, at %.0f MB/s of each OSD".formatted(rebuildMegabytes),
        "%.1f minutes",
        busiest / (rebuildMegabytes * MEGABYTE) / MINUTE);
    row(
        "the same onto one spare disk of 200 MB/s",
        "%.1f hours",
        bytesOfOsd / (200 * MEGABYTE) / HOUR);
  }
}
