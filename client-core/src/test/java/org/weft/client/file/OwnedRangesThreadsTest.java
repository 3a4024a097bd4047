package org.weft.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.retry.Backoff;

/**
 * Clients of several threads each share one file (P 6.5): no two of them are in the same stripe at
 * once unless both read, and what one wrote no other writes over. The simulator has one thread, and
 * sees no step between two others of the same client.
 *
 * <p>Each stripe holds a number. To write a stripe is to read the number and to put one that is
 * larger by one, as an update of its parity would; a client gathers some of its writes, and adds
 * them when the stripe goes back. A number that two clients add to at once is too small at the end.
 */
class OwnedRangesThreadsTest {
  private static final long STRIPE = 10;
  private static final int STRIPES = 8;
  private static final int CLIENTS = 3;
  private static final int THREADS_OF_CLIENT = 3;
  private static final int OPERATIONS_OF_THREAD = 200 * Integer.getInteger("weft.times", 1);
  private static final int MAX = 4;

  /** So long is a stripe's number read and not written yet. */
  private static final int SPINS = 100;

  private static final long DEADLINE_SECONDS = 120;

  /** Carries what the manager does, and replies and recalls, in any order. */
  private final ExecutorService network = Executors.newFixedThreadPool(4);

  private final ExecutorService callers = Executors.newFixedThreadPool(CLIENTS * THREADS_OF_CLIENT);

  private final AtomicLongArray file = new AtomicLongArray(STRIPES);
  private final AtomicLongArray written = new AtomicLongArray(STRIPES);
  private final Queue<String> violations = new ConcurrentLinkedQueue<>();

  @AfterEach
  void shutDown() {
    callers.shutdownNow();
    network.shutdownNow();
  }

  private static IntStream stripesOf(ByteRange range) {
    long end = Math.min(range.to(), STRIPES * STRIPE);
    return IntStream.range((int) (range.from() / STRIPE), (int) ((end + STRIPE - 1) / STRIPE));
  }

  /**
   * Gives ranges away first come, first served, and sees to it that what comes back is not used.
   */
  private final class Manager {
    private record Want(Client client, ByteRange range, RangeUse use) {
      boolean excludes(Want other) {
        return client != other.client && use.excludes(other.use) && range.overlaps(other.range);
      }
    }

    private final SplittableRandom random;

    // Guarded by this.
    private final Map<Client, OwnedStripes> owned = new LinkedHashMap<>();
    private final Set<Want> line = new LinkedHashSet<>();

    Manager(SplittableRandom random) {
      this.random = random;
    }

    private OwnedStripes of(Client client) {
      return owned.getOrDefault(client, OwnedStripes.NONE);
    }

    synchronized OwnedRanges.Given acquire(Want want) throws WeftException {
      if (random.nextInt(40) == 0) {
        throw new WeftException(ErrorCode.FENCED, "another writer has died");
      }
      List<Client> owners =
          owned.keySet().stream()
              .filter(each -> each != want.client() && of(each).excludes(want.range(), want.use()))
              .toList();
      boolean waits =
          line.stream().takeWhile(each -> !each.equals(want)).anyMatch(each -> each.excludes(want));
      if (!owners.isEmpty() || waits) {
        line.add(want);
        owners.forEach(each -> network.execute(() -> each.ranges.recall(want.range())));
        throw new WeftException(ErrorCode.BUSY, "others own it, or wait for it");
      }
      boolean alone =
          line.isEmpty()
              && owned.keySet().stream()
                  .allMatch(each -> each == want.client() || of(each).isEmpty());
      OwnedStripes all = of(want.client()).plus(alone ? ByteRange.ALL : want.range(), want.use());
      owned.put(want.client(), all);
      line.removeIf(each -> each.client() == want.client() && all.covers(each.range(), each.use()));
      ByteRange given = all.ownedFor(want.use()).around(want.range().from()).orElseThrow();
      return new OwnedRanges.Given(given, Optional.of(want.use()));
    }

    synchronized void release(Client client, ByteRange range) {
      stripesOf(range)
          .filter(stripe -> client.inUse.get(stripe) > 0)
          .forEach(stripe -> violations.add("stripe " + stripe + " comes back and is used"));
      owned.put(client, of(client).minus(range));
    }

    synchronized void requireOwned(Client client, ByteRange range, RangeUse use) {
      if (!of(client).covers(range, use)) {
        violations.add(range + " is used, and owned is " + of(client));
      }
    }
  }

  private final class Client implements OwnedRanges.Source {
    private final Manager manager;
    private final OwnedRanges ranges = new OwnedRanges(this, STRIPE);
    private final AtomicLongArray inUse = new AtomicLongArray(STRIPES);
    private final AtomicLongArray gathered = new AtomicLongArray(STRIPES);

    /** As calls of one client take turns on a stripe. */
    private final List<Object> turns =
        IntStream.range(0, STRIPES).mapToObj(i -> new Object()).toList();

    Client(Manager manager) {
      this.manager = manager;
    }

    /** On another thread, and answered from there. */
    private <T> CompletableFuture<T> sent(Callable<T> request) {
      CompletableFuture<T> reply = new CompletableFuture<>();
      network.execute(
          () -> {
            T body;
            try {
              body = request.call();
            } catch (Exception e) {
              network.execute(() -> reply.completeExceptionally(e));
              return;
            }
            network.execute(() -> reply.complete(body));
          });
      return reply;
    }

    @Override
    public CompletableFuture<OwnedRanges.Given> acquire(ByteRange range, RangeUse use) {
      return sent(() -> manager.acquire(new Manager.Want(this, range, use)));
    }

    /** Bytes are encoded on the thread that gives the range back, and sent by another. */
    @Override
    public CompletableFuture<Void> settle(ByteRanges leaving) {
      leaving.list().stream().flatMapToInt(range -> stripesOf(range)).forEach(this::addGathered);
      return sent(() -> null);
    }

    private void addGathered(int stripe) {
      synchronized (turns.get(stripe)) {
        add(stripe, gathered.getAndSet(stripe, 0));
      }
    }

    @Override
    public CompletableFuture<Void> release(ByteRange range) {
      return sent(
          () -> {
            manager.release(this, range);
            return null;
          });
    }

    @Override
    public boolean renewGrant(WeftException why) {
      return true;
    }

    @Override
    public Backoff.Delays patience() {
      return Backoff.exact(1, 1).begin(new SplittableRandom(1));
    }

    @Override
    public void later(long delayNanos, Runnable task) {
      network.execute(task);
    }

    @Override
    public long nowNanos() {
      return 0;
    }

    /** In some of the stripes, whole operations of a thread one after another. */
    void operate(SplittableRandom random) throws Exception {
      for (int each = 0; each < OPERATIONS_OF_THREAD && violations.isEmpty(); each++) {
        int first = random.nextInt(STRIPES);
        int end = Math.min(STRIPES, first + 1 + random.nextInt(MAX));
        RangeUse use = random.nextInt(3) == 0 ? RangeUse.READING : RangeUse.WRITING;
        operate(new ByteRange(first * STRIPE, end * STRIPE), use, random.nextBoolean());
      }
    }

    private void operate(ByteRange range, RangeUse use, boolean gathers) throws Exception {
      ranges.own(range, use).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      stripesOf(range).forEach(inUse::incrementAndGet);
      manager.requireOwned(this, range, use);
      stripesOf(range).forEach(stripe -> touch(stripe, use, gathers));
      manager.requireOwned(this, range, use);
      stripesOf(range).forEach(inUse::decrementAndGet);
      ranges.done(range);
    }

    private void touch(int stripe, RangeUse use, boolean gathers) {
      synchronized (turns.get(stripe)) {
        if (use == RangeUse.READING) {
          add(stripe, 0);
          return;
        }
        written.incrementAndGet(stripe);
        if (gathers) {
          gathered.incrementAndGet(stripe);
        } else {
          add(stripe, 1);
        }
      }
    }

    /** None but this client changes the number meanwhile. */
    private void add(int stripe, long more) {
      long before = file.get(stripe);
      for (int spin = 0; spin < SPINS; spin++) {
        Thread.onSpinWait();
      }
      long now = more == 0 ? file.get(stripe) : file.getAndSet(stripe, before + more);
      if (now != before) {
        violations.add("stripe " + stripe + " was changed by another client meanwhile");
      }
    }

    void close() throws Exception {
      ByteRange all = new ByteRange(0, STRIPES * STRIPE);
      ranges.own(all, RangeUse.WRITING).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      stripesOf(all).forEach(this::addGathered);
      ranges.done(all);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {96_269_001, 96_269_002, 96_269_003})
  void noStripeIsUsedByTwoClientsAtOnce(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Manager manager = new Manager(random.split());
    List<Client> clients = new ArrayList<>();
    List<Future<Void>> running = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      clients.add(new Client(manager));
    }
    for (Client client : clients) {
      for (int thread = 0; thread < THREADS_OF_CLIENT; thread++) {
        SplittableRandom own = random.split();
        running.add(
            callers.submit(
                () -> {
                  client.operate(own);
                  return null;
                }));
      }
    }
    for (Future<Void> each : running) {
      each.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
    assertEquals(List.of(), List.copyOf(violations));
    for (Client client : clients) {
      client.close();
      assertTrue(client.ranges.isSound());
    }
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      assertEquals(written.get(stripe), file.get(stripe), "writes of stripe " + stripe);
    }
  }
}
