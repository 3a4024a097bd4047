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
import org.weft.testkit.process.Await;

/**
 * Cookies beside changes. A large directory is listed page by page, each page through either of two
 * gateways, while the gateways are killed. Meanwhile names are made, renamed, replaced and removed,
 * through the gateways and through Weft's own client, which Hadoop's connector calls. A name that
 * is there all the time is listed exactly once, no name twice, and none that never was (RFC 1813
 * 3.3.16; docs/nfs.md).
 */
class ManyNamesClusterTest {
  private static final int SOME = 12_000;
  private static final int MANY = Integer.getInteger("weft.nfs.names", 1_000_000);
  private static final int UNDER_WAY = 256;
  private static final int WALKERS = 2;
  private static final int COMING = 40;
  private static final int MIN_KILLS = 2;
  private static final int SMALL_PAGE = 2_000;
  private static final int LARGE_PAGE = 60_000;
  private static final long WAIT_MINUTES = 60;
  private static final String EXPORT = "/many";
  private static final String NAMES = "names";
  private static final String ASIDE = "aside";
  private static final String DIRECTORY = EXPORT + "/" + NAMES;

  /** Pages at either end of a listing whose times are told. */
  private static final int TOLD_PAGES = 20;

  @TempDir Path data;

  private final AtomicLong moments = new AtomicLong();
  private final AtomicInteger listed = new AtomicInteger();
  private final AtomicInteger killed = new AtomicInteger();
  private final AtomicInteger gone = new AtomicInteger();
  private final Map<Integer, Fleeting> fleeting = new ConcurrentHashMap<>();
  private final Map<Integer, Fleeting> renamed = new ConcurrentHashMap<>();
  private final List<GatewayJvm> gateways = new ArrayList<>();
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
    for (String each : List.of(EXPORT, DIRECTORY, EXPORT + "/" + ASIDE)) {
      cluster.client().files().mkdir(WeftPath.of(each), 0777);
    }
    cluster.exportOpen(EXPORT);
    for (int i = 0; i < 2; i++) {
      gateways.add(GatewayJvm.start(cluster.sysmgr(), cluster.joinToken(), 0));
    }
  }

  @AfterEach
  void stop() throws Exception {
    gateways.forEach(GatewayJvm::kill);
    cluster.close();
  }

  private static WeftPath stable(int number) {
    return WeftPath.of(DIRECTORY + "/s" + number);
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
  @Tag("long")
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
    CompletableFuture<Void> changes = CompletableFuture.runAsync(() -> comeAndGo(names));
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
        "%,d names, %,d pages, gateways killed %d times, %,d names came, %,d after a rename, and %,d"
            + " went%n",
        names, listed.get(), killed.get(), fleeting.size(), renamed.size(), gone.get());
  }

  /** Until enough has happened beside it. */
  private void walkOften(int names, int seed) {
    Walker walker = new Walker(seed);
    do {
      walk(names, walker);
    } while (killed.get() < MIN_KILLS || gone.get() == 0);
  }

  /** A name comes, and the oldest goes: each by one of the hands, and in one of the ways. */
  private void comeAndGo(int names) {
    Random random = new Random(names);
    Walker walker = new Walker(names);
    List<DirectoryHand> hands =
        List.of(
            new DirectoryHand.OfWeft(cluster.client(), EXPORT),
            new DirectoryHand.OfNfs(walker::ask, EXPORT));
    for (int number = 0; !over; number++) {
      DirectoryHand hand = hands.get(random.nextInt(hands.size()));
      come(number, hand, random);
      if (number >= COMING) {
        int oldest = number - COMING;
        Fleeting old = fleeting.get(oldest);
        old.removingFrom = moments.incrementAndGet();
        go("f" + oldest, names, hands.get(random.nextInt(hands.size())), random);
        old.goneFrom = moments.incrementAndGet();
        gone.incrementAndGet();
      }
    }
  }

  private void come(int number, DirectoryHand hand, Random random) {
    Fleeting fresh = new Fleeting();
    fleeting.put(number, fresh);
    String name = "f" + number;
    switch (random.nextInt(3)) {
      case 0 -> {
        fresh.makingFrom = moments.incrementAndGet();
        hand.make(NAMES, name);
      }
      case 1 -> {
        hand.make(ASIDE, name);
        fresh.makingFrom = moments.incrementAndGet();
        hand.rename(ASIDE, name, NAMES, name);
      }
      default -> {
        Fleeting first = new Fleeting();
        first.makingFrom = moments.incrementAndGet();
        renamed.put(number, first);
        hand.make(NAMES, "r" + number);
        first.thereFrom = moments.incrementAndGet();
        first.removingFrom = moments.incrementAndGet();
        fresh.makingFrom = first.removingFrom;
        hand.rename(NAMES, "r" + number, NAMES, name);
        first.goneFrom = moments.incrementAndGet();
      }
    }
    fresh.thereFrom = moments.incrementAndGet();
  }

  /** Names that stay may get another node meanwhile. */
  private static void go(String name, int names, DirectoryHand hand, Random random) {
    switch (random.nextInt(3)) {
      case 0 -> hand.remove(NAMES, name);
      case 1 -> hand.rename(NAMES, name, ASIDE, name);
      default -> hand.rename(NAMES, name, NAMES, "s" + random.nextInt(names));
    }
  }

  /** One after the other: while one starts again, the other one serves. */
  private void killInTurns() {
    while (!over) {
      int place = killed.get() % gateways.size();
      int seen = listed.get();
      Await.until("pages are listed", () -> over || listed.get() > seen + 3);
      if (over) {
        return;
      }
      GatewayJvm victim;
      synchronized (gateways) {
        victim = gateways.get(place);
      }
      victim.kill();
      try {
        GatewayJvm next =
            GatewayJvm.start(cluster.sysmgr(), cluster.joinToken(), victim.address().port());
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
    byte[] export = walker.ask(client -> client.mount(EXPORT)).handle;
    byte[] directory = walker.ask(client -> client.lookup(export, NAMES)).handle;
    Listed found = new Listed(new BitSet(names), new BitSet(), new BitSet());
    List<Long> pageNanos = new ArrayList<>();
    long from = moments.incrementAndGet();
    long cookie = 0;
    boolean end = false;
    while (!end) {
      long behind = cookie;
      boolean plus = walker.random.nextBoolean();
      int bytes = walker.random.nextInt(8) == 0 ? SMALL_PAGE : LARGE_PAGE;
      long askedNanos = System.nanoTime();
      Nfs3Client.Result page =
          walker.ask(
              client ->
                  plus
                      ? client.readDirPlus(directory, behind, bytes, bytes)
                      : client.readDir(directory, behind, 0, bytes));
      pageNanos.add(System.nanoTime() - askedNanos);
      assertEquals(Nfs3Client.OK, page.status, "behind cookie " + behind);
      assertTrue(page.end || !page.entries.isEmpty(), "a page without entries");
      for (Nfs3Client.Entry entry : page.entries) {
        cookie = entry.cookie();
        found.note(entry.name());
      }
      end = page.end;
      listed.incrementAndGet();
    }
    long until = moments.incrementAndGet();
    assertEquals(names, found.staying().cardinality(), () -> "missing: s" + found.firstMissing());
    assertEquals(names, found.staying().length(), "a name that never was is listed");
    checkPassed("f", fleeting, found.passing(), from, until);
    checkPassed("r", renamed, found.renamed(), from, until);
    tell(pageNanos);
  }

  /** Of each listing: what a page took at its beginning and at its end, medians. */
  private static void tell(List<Long> pageNanos) {
    int told = Math.min(TOLD_PAGES, pageNanos.size());
    int pages = pageNanos.size();
    System.out.printf(
        "listed in %,d pages: %.1f ms for each at the beginning, %.1f ms at the end%n",
        pages,
        medianMillis(pageNanos.subList(0, told)),
        medianMillis(pageNanos.subList(pages - told, pages)));
  }

  private static double medianMillis(List<Long> nanos) {
    return nanos.stream().sorted().skip(nanos.size() / 2).findFirst().orElse(0L) / 1e6;
  }

  /** The numbers of the names that one listing told. */
  private record Listed(BitSet staying, BitSet passing, BitSet renamed) {
    void note(String name) {
      if (name.equals(".") || name.equals("..")) {
        return;
      }
      BitSet set =
          switch (name.charAt(0)) {
            case 's' -> staying;
            case 'f' -> passing;
            case 'r' -> renamed;
            default -> throw new AssertionError(name + " never was");
          };
      int number = Integer.parseInt(name.substring(1));
      assertTrue(!set.get(number), () -> name + " is listed twice");
      set.set(number);
    }

    int firstMissing() {
      return staying.nextClearBit(0);
    }
  }

  private static void checkPassed(
      String kind, Map<Integer, Fleeting> all, BitSet told, long from, long until) {
    told.stream()
        .forEach(number -> assertTrue(all.containsKey(number), () -> kind + number + " never was"));
    all.forEach(
        (number, each) -> {
          boolean wasThere =
              each.thereFrom != 0
                  && each.thereFrom < from
                  && (each.removingFrom == 0 || each.removingFrom > until);
          boolean wasNever =
              each.makingFrom == 0
                  || each.makingFrom > until
                  || (each.goneFrom != 0 && each.goneFrom < from);
          assertTrue(!wasThere || told.get(number), () -> kind + number + " is missing");
          assertTrue(!wasNever || !told.get(number), () -> kind + number + " is not there");
        });
  }
}
