package org.weft.metadata.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.DirectoryPage;
import org.weft.metadata.directory.NamedEntry;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.cache.TailReplay;
import org.weft.metadata.objects.flush.FlushOwner;
import org.weft.metadata.objects.flush.Flusher;
import org.weft.metadata.objects.flush.RoundFlusher;
import org.weft.metadata.objects.load.OsdObjectLoader;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;

/** One life of a manager over a journal in memory, from replay to its death. */
final class ManagerLife implements FlushOwner {
  private static final CacheLimits SMALL = new CacheLimits(30, 8 << 10, 12, 400, 64, 200, 1 << 20);

  /** A journal that outlives managers: what was appended is durable a little later. */
  static final class Journal {
    final History history = new History();
    Lsn durable = Lsn.ZERO;
    Lsn droppedBelow = Lsn.ZERO;
  }

  private final VirtualTime time;
  private final Random random;
  private final Executor thread;
  private final Journal journal;
  private final boolean[] alive = {true};
  final MetadataCache cache = new MetadataCache(3, SMALL);
  private final ObjectLoader loader;
  final Flusher flusher;
  private Lsn last;
  boolean serving;
  WeftException fenced;

  ManagerLife(VirtualTime time, Random random, PortOsds osds, Journal journal, long epoch) {
    this.time = time;
    this.random = random;
    this.thread = time.newSerialExecutor("volume");
    this.journal = journal;
    this.last = Lsn.of(epoch, 0);
    OsdPort port = osds.port(alive);
    loader = new OsdObjectLoader(port, osds, time);
    JournalContents contents =
        new JournalContents(
            journal.history.laggingBefore(journal.droppedBelow),
            journal.history.from(journal.droppedBelow),
            journal.durable);
    Environment environment = new Environment(time, time, time, random, null, null);
    flusher = new RoundFlusher(cache, port, loader, osds, this, environment, this::execute);
    flusher.begin();
    flusher.recordDurable(journal.durable);
    replay(new TailReplay(cache, contents));
  }

  /** Tasks of a dead manager do not run. */
  private void execute(Runnable task) {
    thread.execute(
        () -> {
          if (alive[0]) {
            task.run();
          }
        });
  }

  private void replay(TailReplay replay) {
    Loadable<Boolean> step = replay.run();
    if (!step.isReady()) {
      load(step.missing(), failure -> replay(replay), () -> replay(replay));
    } else if (step.value()) {
      serving = true;
    } else {
      later(50, () -> replay(replay));
    }
  }

  private void later(long millis, Runnable task) {
    after(millis, () -> execute(task));
  }

  private void after(long millis, Runnable task) {
    var unused = time.after(TimeUnit.MILLISECONDS.toNanos(millis), task);
  }

  private void load(
      List<Missing> missing, java.util.function.Consumer<WeftException> failed, Runnable next) {
    var unused =
        loader
            .load(missing)
            .whenComplete(
                (found, failure) -> {
                  if (failure != null) {
                    later(300, () -> failed.accept(WeftException.of(failure)));
                  } else {
                    cache.loaded(found);
                    next.run();
                  }
                });
  }

  /** The process is gone; of the records that are not durable some may be there all the same. */
  void die() {
    alive[0] = false;
    serving = false;
    List<JournalRecord> open =
        new ArrayList<>(journal.history.from(new Lsn(journal.durable.value() + 1)));
    int kept = open.isEmpty() ? 0 : random.nextInt(open.size() + 1);
    if (kept > 0) {
      journal.durable = open.get(kept - 1).lsn();
    }
    journal.history.truncate(journal.durable);
  }

  void append(List<Effect> effects) {
    JournalRecord record = new JournalRecord(last.next(), effects);
    last = record.lsn();
    journal.history.append(record);
    assertTrue(cache.apply(record).isReady());
    after(
        1 + random.nextInt(4),
        () -> {
          if (alive[0]) {
            journal.durable = max(journal.durable, record.lsn());
            execute(() -> flusher.recordDurable(journal.durable));
          }
        });
  }

  private static Lsn max(Lsn left, Lsn right) {
    return left.compareTo(right) > 0 ? left : right;
  }

  Lsn nextLsn() {
    return last.next();
  }

  @Override
  public void journal(List<LiveEffect> effects) {
    // The machine may be busy: not at once.
    int millis = random.nextInt(4) == 0 ? random.nextInt(400) : random.nextInt(20);
    later(millis, () -> append(new ArrayList<>(effects)));
  }

  @Override
  public void droppableBelow(Lsn lsn) {
    assertTrue(lsn.compareTo(journal.droppedBelow) >= 0);
    assertTrue(
        lsn.value() - 1 <= journal.durable.value(), "dropped " + lsn + " before it was durable");
    journal.droppedBelow = lsn;
  }

  @Override
  public void crowded(ObjectId object) {
    throw new AssertionError("crowded: " + object);
  }

  @Override
  public void fenced(WeftException refusal) {
    fenced = refusal;
  }

  /** Decides and appends; what is decided is asked anew after each load. */
  void operate(Supplier<List<Effect>> decide) {
    operate(decide, 10);
  }

  private void operate(Supplier<List<Effect>> decide, int loads) {
    if (!serving || !cache.hasRoom() || loads == 0) {
      return;
    }
    List<Effect> effects = decide.get();
    if (effects.isEmpty()) {
      return;
    }
    Loadable<List<Effect>> prepared = cache.prepare(effects);
    if (prepared.isReady()) {
      append(prepared.value());
    } else {
      load(prepared.missing(), failure -> {}, () -> operate(decide, loads - 1));
    }
  }

  /** Looks a name up and compares with what the records say. */
  void checkLookup(ObjectId directory, String name, int loads) {
    if (!serving || loads == 0 || !journal.history.now.directories.containsKey(directory)) {
      return;
    }
    Loadable<Optional<DirectoryEntry>> found =
        cache.attributes(directory, List.of()).then(known -> cache.lookup(directory, name));
    if (found.isReady()) {
      assertEquals(
          Optional.ofNullable(journal.history.now.directories.get(directory).get(name)),
          found.value(),
          "name " + name + " of " + directory);
    } else {
      load(found.missing(), failure -> {}, () -> checkLookup(directory, name, loads - 1));
    }
  }

  void checkAttributes(ObjectId object, int loads) {
    Attributes expected = journal.history.now.attributes.get(object);
    if (!serving || loads == 0 || expected == null) {
      return;
    }
    Loadable<Optional<Attributes>> found =
        cache.attributes(object, expected.map().attributeHolders(3));
    if (!found.isReady()) {
      load(found.missing(), failure -> {}, () -> checkAttributes(object, loads - 1));
    } else if (found.value().isPresent()) {
      assertEquals(expected, found.value().get());
    }
  }

  /** Lists a directory from the first to the last page; completes with false if it could not. */
  CompletionStage<Boolean> checkListing(ObjectId directory) {
    var result = new java.util.concurrent.CompletableFuture<Boolean>();
    list(directory, 0, new ArrayList<>(), result);
    return result;
  }

  private void list(
      ObjectId directory,
      long cookie,
      List<NamedEntry> sofar,
      java.util.concurrent.CompletableFuture<Boolean> result) {
    Loadable<DirectoryPage> page =
        cache.attributes(directory, List.of()).then(known -> cache.readdir(directory, cookie, 30));
    if (!page.isReady()) {
      load(
          page.missing(),
          failure -> list(directory, cookie, sofar, result),
          () -> list(directory, cookie, sofar, result));
      return;
    }
    sofar.addAll(page.value().entries());
    if (!page.value().end()) {
      list(directory, sofar.get(sofar.size() - 1).cookie(), sofar, result);
      return;
    }
    var listed = new java.util.TreeMap<String, DirectoryEntry>();
    sofar.forEach(entry -> listed.put(entry.name(), entry.entry()));
    assertEquals(journal.history.now.directories.get(directory), listed);
    result.complete(true);
  }
}
