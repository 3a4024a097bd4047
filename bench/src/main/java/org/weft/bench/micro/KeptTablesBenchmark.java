package org.weft.bench.micro;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.collect.ImmutableRangeSet;
import com.google.common.collect.Range;
import com.google.common.collect.TreeRangeSet;
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SynchronizedHistogram;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.weft.metadata.directory.HashKey;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

/** Tables, hashes and counts in memory, beside a library's. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KeptTablesBenchmark {
  private static final MethodHandle HASH =
      KeptMethod.ofClass(
          "org.weft.metadata.directory.SipHash", "hash", long.class, HashKey.class, byte[].class);
  private static final int NAMES = 1 << 10;
  private static final int NAME_MASK = NAMES - 1;

  private final HashKey key = new HashKey(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
  private final HashFunction guavaHash = Hashing.sipHash24(key.k0(), key.k1());
  private final byte[][] names = new byte[NAMES][];
  private int turn;

  /**
   * Names of some length.
   *
   * @throws IllegalStateException if the two hashes differ: a directory's blocks depend on them
   */
  @Setup
  public void name() throws Throwable {
    for (int index = 0; index < NAMES; index++) {
      names[index] = "part-%05d.parquet".formatted(index).getBytes(StandardCharsets.UTF_8);
      if (hashGuava(names[index]) != (long) HASH.invokeExact(key, names[index])) {
        throw new IllegalStateException("the two hashes of a name differ");
      }
    }
  }

  private long hashGuava(byte[] name) {
    return guavaHash.hashBytes(name).asLong();
  }

  /** Of a name of 18 bytes: where it stands in its directory. */
  @Benchmark
  public long hashWeft() throws Throwable {
    return (long) HASH.invokeExact(key, names[turn++ & NAME_MASK]);
  }

  @Benchmark
  public long hashGuava() {
    return hashGuava(names[turn++ & NAME_MASK]);
  }

  /** Ranges of a file, with gaps; one is added in a gap and taken away again. */
  @State(Scope.Thread)
  public static class Ranges {
    private static final long BYTES = 1 << 16;

    @Param({"1", "16", "256"})
    public int ranges;

    private ByteRanges own = ByteRanges.NONE;
    private final TreeRangeSet<Long> tree = TreeRangeSet.create();
    private ImmutableRangeSet<Long> immutable;
    private ByteRange gap;
    private Range<Long> guavaGap;

    @Setup
    public void fill() {
      for (int range = 0; range < ranges; range++) {
        long from = 2L * range * BYTES;
        own = own.plus(new ByteRange(from, from + BYTES));
        tree.add(Range.closedOpen(from, from + BYTES));
      }
      immutable = ImmutableRangeSet.copyOf(tree);
      long from = (ranges | 1) * BYTES + BYTES / 4;
      gap = new ByteRange(from, from + BYTES / 4);
      guavaGap = Range.closedOpen(gap.from(), gap.to());
    }
  }

  @Benchmark
  public ByteRanges rangesWeft(Ranges ranges) {
    return ranges.own.plus(ranges.gap).minus(ranges.gap);
  }

  @Benchmark
  public ImmutableRangeSet<Long> rangesGuavaImmutable(Ranges ranges) {
    ImmutableRangeSet<Long> one = ImmutableRangeSet.of(ranges.guavaGap);
    return ranges.immutable.union(one).difference(one);
  }

  @Benchmark
  public TreeRangeSet<Long> rangesGuavaTree(Ranges ranges) {
    ranges.tree.add(ranges.guavaGap);
    ranges.tree.remove(ranges.guavaGap);
    return ranges.tree;
  }

  @Benchmark
  public boolean rangeHeldWeft(Ranges ranges) {
    return ranges.own.contains(ranges.gap);
  }

  @Benchmark
  public boolean rangeHeldGuava(Ranges ranges) {
    return ranges.tree.encloses(ranges.guavaGap);
  }

  /** How long reads took; one in 128 asks for the hundredth. */
  @State(Scope.Thread)
  public static class Latencies {
    private static final String DIGEST = "org.weft.client.stripe.hedge.LatencyDigest";
    private static final MethodHandle NEW = KeptMethod.constructor(DIGEST);
    private static final MethodHandle ADD = KeptMethod.of(DIGEST, "add", void.class, long.class);
    private static final MethodHandle P99 = KeptMethod.of(DIGEST, "p99Nanos", long.class);
    private static final int LOOK_MASK = 127;
    private static final long MIN_NANOS = 8_192;
    private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final SplittableRandom random = new SplittableRandom(7);
    private final Histogram histogram = new SynchronizedHistogram(MIN_NANOS, MAX_NANOS, 1);
    private Object digest;
    private int added;

    @Setup
    public void open() throws Throwable {
      digest = (Object) NEW.invokeExact();
    }

    private long nanos() {
      return 100_000L + random.nextInt(1 << 20);
    }

    private boolean looks() {
      return (++added & LOOK_MASK) == 0;
    }
  }

  @Benchmark
  public long latencyWeft(Latencies latencies) throws Throwable {
    Latencies.ADD.invokeExact(latencies.digest, latencies.nanos());
    return latencies.looks() ? (long) Latencies.P99.invokeExact(latencies.digest) : 0;
  }

  /** Without what it lacks: nothing makes what was long ago weigh less. */
  @Benchmark
  public long latencyHdr(Latencies latencies) {
    latencies.histogram.recordValue(latencies.nanos());
    return latencies.looks() ? latencies.histogram.getValueAtPercentile(99) : 0;
  }

  /** Objects that are changed; one in eight was changed lately. */
  @State(Scope.Thread)
  public static class Changes {
    private static final String DOORKEEPER = "org.weft.osd.store.engine.state.Doorkeeper";
    private static final MethodHandle NEW = KeptMethod.constructor(DOORKEEPER);
    private static final MethodHandle MEETS =
        KeptMethod.of(DOORKEEPER, "meetsAgain", boolean.class, long.class);
    private static final int MAX = 1 << 15;
    private static final double FALSE_SHARE = 0.1;

    private final SplittableRandom random = new SplittableRandom(9);
    private final Cache<Long, Boolean> cache =
        Caffeine.newBuilder().maximumSize(MAX).executor(Runnable::run).build();
    private Object doorkeeper;
    private BloomFilter<Long> filter;
    private int put;
    private long next;

    @Setup
    public void open() throws Throwable {
      doorkeeper = (Object) NEW.invokeExact();
      empty();
    }

    private void empty() {
      filter = BloomFilter.create(Funnels.longFunnel(), MAX, FALSE_SHARE);
      put = 0;
    }

    private long number() {
      return random.nextInt(8) == 0 ? next - random.nextInt(1_000) : ++next;
    }

    private boolean filterMeetsAgain(long number) {
      boolean again = !filter.put(number);
      if (!again && ++put == MAX) {
        empty();
      }
      return again;
    }
  }

  @Benchmark
  public boolean metAgainWeft(Changes changes) throws Throwable {
    return (boolean) Changes.MEETS.invokeExact(changes.doorkeeper, changes.number());
  }

  @Benchmark
  public boolean metAgainGuava(Changes changes) {
    return changes.filterMeetsAgain(changes.number());
  }

  @Benchmark
  public boolean metAgainCaffeine(Changes changes) {
    return changes.cache.asMap().put(changes.number(), Boolean.TRUE) != null;
  }
}
