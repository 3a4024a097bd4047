package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.WeftPath;
import org.weft.nfs.model.Nfs3Client;
import org.weft.protocol.rpc.Endpoint;

/**
 * Cookies beside changes: a large directory is listed page by page, each page through either of two
 * gateways, while names come and go and the gateways are killed. A name that is there all the time
 * is listed exactly once, and no name twice (RFC 1813 3.3.16; docs/nfs.md).
 */
class ManyNamesTest {
  private static final int SOME = 12_000;
  private static final int MANY = Integer.getInteger("weft.nfs.names", 1_000_000);
  private static final int UNDER_WAY = 256;
  private static final int WALKERS = 2;
  private static final int COMING = 40;
  private static final int LEAST_KILLS = 2;
  private static final int SMALL_PAGE = 2_000;
  private static final int LARGE_PAGE = 60_000;
  private static final long WAIT_MINUTES = 60;
  private static final String DIRECTORY = "/many";

  @TempDir Path data;

  private final AtomicLong moments = new AtomicLong();
  private final AtomicInteger listed = new AtomicInteger();
  private final AtomicInteger killed = new AtomicInteger();
  private final AtomicInteger gone = new AtomicInteger();
  private final Map<Integer, Fleeting> fleeting = new ConcurrentHashMap<>();
  private final List<GatewayProcess> gateways = new ArrayList<>();
  private TestCluster cluster;
  private volatile boolean over;

  /** When a name came and went; 0: not yet. Each is used once. */
  private static final class Fleeting {
    volatile long makingFrom;
    volatile long thereFrom;
    volatile long removingFrom;
    volatile long goneFrom;
  }

  @BeforeEach
  void start() throws Exception {
    cluster = new TestCluster(data);
    cluster.client().files().mkdir(WeftPath.of(DIRECTORY), 0777);
    cluster.exportOpen(DIRECTORY);
    for (int i = 0; i < 2; i++) {
      gateways.add(GatewayProcess.start(cluster.sysmgr(), cluster.joinToken(), 0));
    }
  }

  @AfterEach
  void stop() throws Exception {
    gateways.forEach(GatewayProcess::kill);
    cluster.close();
  }

  private static WeftPath stable(int number) {
    return WeftPath.of(DIRECTORY + "/s" + number);
  }

  private static WeftPath passing(int number) {
    return WeftPath.of(DIRECTORY + "/f" + number);
  }

  /** Links: names with a node each, and no bytes. */
  private void fill(int names) throws Exception {
    Semaphore room = new Semaphore(UNDER_WAY);
    List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < names && failures.isEmpty(); i++) {
      room.acquire();
      var unused =
          cluster
              .client()
              .fileSystem()
              .symlink("t", stable(i))
              .whenComplete(
                  (made, failure) -> {
                    if (failure != null) {
                      failures.add(failure);
                    }
                    room.release();
                  });
    }
    room.acquire(UNDER_WAY);
    assertEquals(List.of(), failures);
  }

  @Test
  void eachNameThatStaysIsListedOnce() throws Exception {
    walkBesideChanges(SOME);
  }

  @Test
  @Tag("long")
  void eachNameOfAMillionThatStaysIsListedOnce() throws Exception {
    walkBesideChanges(MANY);
  }

  private void walkBesideChanges(int names) throws Exception {
    fill(names);
    CompletableFuture<Void> changes = CompletableFuture.runAsync(this::comeAndGo);
    CompletableFuture<Void> kills = CompletableFuture.runAsync(this::killInTurns);
    List<CompletableFuture<Void>> walkers = new ArrayList<>();
    for (int walker = 0; walker < WALKERS; walker++) {
      int seed = walker;
      walkers.add(CompletableFuture.runAsync(() -> walkOften(names, seed)));
    }
    try {
      CompletableFuture.allOf(walkers.toArray(CompletableFuture[]::new))
          .get(WAIT_MINUTES, TimeUnit.MINUTES);
    } finally {
      over = true;
    }
    changes.get(WAIT_MINUTES, TimeUnit.MINUTES);
    kills.get(WAIT_MINUTES, TimeUnit.MINUTES);
    System.out.printf(
        "%,d names, %,d pages, gateways killed %d times, %,d names came and %,d went%n",
        names, listed.get(), killed.get(), fleeting.size(), gone.get());
  }

  /** Until enough has happened beside it. */
  private void walkOften(int names, int seed) {
    Walker walker = new Walker(seed);
    do {
      walk(names, walker);
    } while (killed.get() < LEAST_KILLS || gone.get() == 0);
  }

  /** Some hundreds of names come, and the oldest goes. */
  private void comeAndGo() {
    for (int number = 0; !over; number++) {
      Fleeting fresh = new Fleeting();
      fleeting.put(number, fresh);
      fresh.makingFrom = moments.incrementAndGet();
      cluster.client().fileSystem().symlink("t", passing(number)).join();
      fresh.thereFrom = moments.incrementAndGet();
      if (number >= COMING) {
        Fleeting old = fleeting.get(number - COMING);
        old.removingFrom = moments.incrementAndGet();
        cluster.client().fileSystem().unlink(passing(number - COMING)).join();
        old.goneFrom = moments.incrementAndGet();
        gone.incrementAndGet();
      }
    }
  }

  /** One after the other: while one starts again, the other one serves. */
  private void killInTurns() {
    while (!over) {
      int place = killed.get() % gateways.size();
      int seen = listed.get();
      TestCluster.await("pages are listed", () -> over || listed.get() > seen + 3);
      if (over) {
        return;
      }
      GatewayProcess victim;
      synchronized (gateways) {
        victim = gateways.get(place);
      }
      victim.kill();
      try {
        GatewayProcess next =
            GatewayProcess.start(cluster.sysmgr(), cluster.joinToken(), victim.address().port());
        synchronized (gateways) {
          gateways.set(place, next);
        }
        killed.incrementAndGet();
      } catch (java.io.IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }

  /** A client that has both gateways, and asks the other one where one is gone. */
  private final class Walker {
    private final Random random;
    private final Map<Endpoint, Nfs3Client> clients = new HashMap<>();

    Walker(int seed) {
      random = new Random(seed);
    }

    private Endpoint any() {
      synchronized (gateways) {
        return gateways.get(random.nextInt(gateways.size())).address();
      }
    }

    Nfs3Client.Result ask(Function<Nfs3Client, Nfs3Client.Result> call) {
      long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
      while (true) {
        Endpoint at = any();
        try {
          Nfs3Client.Result result =
              call.apply(clients.computeIfAbsent(at, each -> cluster.connect(each, 0, 0)));
          if (result.status != Nfs3Client.JUKEBOX) {
            return result;
          }
        } catch (RuntimeException | AssertionError e) {
          // It was killed: the next page comes from the other one, or from it when it is back.
          clients.remove(at);
          if (System.nanoTime() - deadlineNanos > 0) {
            throw e;
          }
        }
      }
    }
  }

  private void walk(int names, Walker walker) {
    byte[] directory = walker.ask(client -> client.mount(DIRECTORY)).handle;
    BitSet found = new BitSet(names);
    BitSet passed = new BitSet();
    long from = moments.incrementAndGet();
    long cookie = 0;
    boolean end = false;
    while (!end) {
      long behind = cookie;
      boolean plus = walker.random.nextBoolean();
      int bytes = walker.random.nextInt(8) == 0 ? SMALL_PAGE : LARGE_PAGE;
      Nfs3Client.Result page =
          walker.ask(
              client ->
                  plus
                      ? client.readDirPlus(directory, behind, bytes, bytes)
                      : client.readDir(directory, behind, 0, bytes));
      assertEquals(Nfs3Client.OK, page.status, "behind cookie " + behind);
      assertTrue(page.end || !page.entries.isEmpty(), "a page without entries");
      for (Nfs3Client.Entry entry : page.entries) {
        cookie = entry.cookie();
        note(entry.name(), found, passed);
      }
      end = page.end;
      listed.incrementAndGet();
    }
    long until = moments.incrementAndGet();
    assertEquals(names, found.cardinality(), () -> "missing: s" + found.nextClearBit(0));
    checkPassed(passed, from, until);
  }

  private static void note(String name, BitSet found, BitSet passed) {
    if (name.equals(".") || name.equals("..")) {
      return;
    }
    BitSet set = name.charAt(0) == 's' ? found : passed;
    int number = Integer.parseInt(name.substring(1));
    assertTrue(!set.get(number), () -> name + " is listed twice");
    set.set(number);
  }

  private void checkPassed(BitSet passed, long from, long until) {
    fleeting.forEach(
        (number, each) -> {
          boolean wasThere =
              each.thereFrom != 0
                  && each.thereFrom < from
                  && (each.removingFrom == 0 || each.removingFrom > until);
          boolean wasNever =
              each.makingFrom > until || (each.goneFrom != 0 && each.goneFrom < from);
          assertTrue(!wasThere || passed.get(number), () -> "f" + number + " is missing");
          assertTrue(!wasNever || !passed.get(number), () -> "f" + number + " is not there");
        });
  }
}
