package org.weft.bench.micro;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/**
 * A manager's clean attribute pages beside a cache of a library: one is looked up, and brought in
 * if it is not there. Files are wanted as often as their rank says (Zipf); a tenth of them fits in.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KeptAttributesBenchmark {
  private static final String TABLE = "org.weft.metadata.objects.cache.AttributeTable";
  private static final MethodHandle NEW = KeptMethod.constructor(TABLE, int.class, long.class);
  private static final MethodHandle FIND =
      KeptMethod.of(TABLE, "find", KeptMethod.type(TABLE + "$Slot"), ObjectId.class);
  private static final MethodHandle LOADED =
      KeptMethod.of(TABLE, "loaded", void.class, Attributes.class, Lsn.class, int.class);
  private static final MethodHandle GENERATION = KeptMethod.of(TABLE, "generation", int.class);

  private static final int FILES = 100_000;
  private static final int FIT = FILES / 10;
  private static final int WANTED = 1 << 20;
  private static final Lsn LOADED_AT = Lsn.of(1, 1);

  private final Attributes[] pages = new Attributes[FILES];
  private final int[] wanted = new int[WANTED];
  private Object table;
  private Cache<ObjectId, Attributes> cache;
  private int turn;

  /** What was found, of all that was looked up. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Hits {
    public long hits;
    public long looks;

    @Setup(Level.Iteration)
    public void begin() {
      hits = 0;
      looks = 0;
    }
  }

  @Setup
  public void fill() throws Throwable {
    for (int file = 0; file < FILES; file++) {
      StorageMap map = StorageMap.of(Layout.of(1, 1), List.of(new OsdId(1), new OsdId(2)));
      pages[file] =
          Attributes.create(new ObjectId(70_000 + file), NodeKind.FILE, map)
              .owner("user")
              .group("group")
              .build();
    }
    double[] upTo = new double[FILES];
    double sum = 0;
    for (int file = 0; file < FILES; file++) {
      sum += 1.0 / (file + 1);
      upTo[file] = sum;
    }
    SplittableRandom random = new SplittableRandom(3);
    for (int index = 0; index < WANTED; index++) {
      int found = Arrays.binarySearch(upTo, random.nextDouble() * sum);
      wanted[index] = Math.min(FILES - 1, found < 0 ? -found - 1 : found);
    }
    table = (Object) NEW.invokeExact(FIT, 0L);
    cache =
        Caffeine.newBuilder()
            .maximumWeight(FIT)
            .weigher((ObjectId object, Attributes page) -> 1 + page.extraBytes() / 1_024)
            .executor(Runnable::run)
            .build();
  }

  private Attributes next() {
    return pages[wanted[turn++ & WANTED - 1]];
  }

  @Benchmark
  public Object attributesWeft(Hits hits) throws Throwable {
    Attributes page = next();
    Object slot = (Object) FIND.invokeExact(table, page.object());
    hits.looks++;
    if (slot == null) {
      LOADED.invokeExact(table, page, LOADED_AT, (int) GENERATION.invokeExact(table));
    } else {
      hits.hits++;
    }
    return slot;
  }

  @Benchmark
  public Attributes attributesCaffeine(Hits hits) {
    Attributes page = next();
    Attributes found = cache.getIfPresent(page.object());
    hits.looks++;
    if (found == null) {
      cache.put(page.object(), page);
    } else {
      hits.hits++;
    }
    return found;
  }
}
