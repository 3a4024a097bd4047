package org.weft.nfs.monitor;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * The status monitor of a gateway (P 6.5f). It claims the addresses at which clients call, at its
 * start and when an address comes to its host. It tells the hosts that have locks by way of these
 * addresses. A host is on SysMgr's durable list before it is given its first lock, and leaves it
 * some time after its last one.
 *
 * <p>{@link #watched}, {@link #serves} and {@link #state} may be called by any thread; all else is
 * of one executor.
 */
public final class ClientMonitor implements Watching, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClientMonitor.class);

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** A host without locks stays on the list for so long. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** The time until notified hosts have reclaimed. */
  private static final long RECLAIM_NANOS = TimeUnit.SECONDS.toNanos(120);

  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** To ask for an address that another gateway has as well. */
  private static final long CONTENDED_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** A host that could not be recorded by then is asked to come later. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int MAX_TAKEN = 16;

  /** Names of one client's address: hosts behind one that translates addresses. */
  static final int MAX_NAMES = 64;

  /** An address at which clients call. */
  private static final class Served {
    private final long claim;
    private volatile int state;
    private long takenNanos;

    /** Another gateway has it, too: its clients are recorded once that one is silent. */
    private boolean contended;

    private Served(long claim) {
      this.claim = claim;
    }
  }

  /** A host that is on the list. */
  private static final class Known {
    private volatile long askedNanos;
  }

  private final MonitorRecords records;
  private final Supplier<Set<InetAddress>> addresses;
  private final Environment environment;
  private final OwnedExecutor home;
  private final RebootNotices notices;
  private final Map<InetAddress, Served> served = new ConcurrentHashMap<>();
  private final Map<MonitoredClient, Known> known = new ConcurrentHashMap<>();
  private final Map<MonitoredClient, CompletableFuture<Verdict>> wanted = new HashMap<>();
  private final PendingChanges pending = new PendingChanges();
  private LockUse use;
  private boolean changing;
  private boolean withoutList;
  private boolean closed;

  /**
   * @param addresses at which clients call now; asked from time to time
   */
  public ClientMonitor(
      MonitorRecords records,
      NoticeCalls calls,
      Supplier<Set<InetAddress>> addresses,
      Environment environment) {
    this.records = records;
    this.addresses = addresses;
    this.environment = environment;
    this.home = environment.scheduler().newSerialExecutor("nfs-monitor");
    this.notices = new RebootNotices(calls, environment, home);
  }

  /**
   * Takes the addresses that there are.
   *
   * @return completes when their new state is durable, or SysMgr keeps no list. Then clients are
   *     being notified
   */
  public CompletableFuture<Void> start(LockUse lockUse) {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    home.execute(
        () -> {
          use = lockUse;
          var unused = takeNew().thenRun(() -> begun.complete(null));
          environment.scheduler().schedule(LOOK_NANOS, home, this::look);
          environment.scheduler().schedule(SWEEP_NANOS, home, this::sweep);
        });
    return begun;
  }

  /** The last known state of an address; 0: it is unknown. */
  public int state(InetAddress server) {
    Served found = served.get(server);
    return found == null ? 0 : found.state;
  }

  @Override
  public boolean serves(InetAddress server) {
    return served.containsKey(server);
  }

  @Override
  public CompletableFuture<Verdict> watched(MonitoredClient client) {
    long now = environment.ticker().nowNanos();
    Known found =
        known.computeIfPresent(
            client,
            (key, each) -> {
              each.askedNanos = now;
              return each;
            });
    if (found != null) {
      return CompletableFuture.completedFuture(Verdict.WATCHED);
    }
    CompletableFuture<Verdict> verdict = new CompletableFuture<>();
    home.execute(() -> want(client, verdict));
    return verdict;
  }

  private void want(MonitoredClient client, CompletableFuture<Verdict> verdict) {
    if (use == null) {
      // It begins in a moment.
      verdict.complete(Verdict.LATER);
      return;
    }
    if (!served.containsKey(client.server())) {
      var unused = takeNew();
    }
    Served server = served.get(client.server());
    if (withoutList || server == null || server.contended) {
      verdict.complete(Verdict.UNWATCHED);
    } else if (known.containsKey(client) || pending.keep(client)) {
      know(client);
      verdict.complete(Verdict.WATCHED);
    } else if (!wanted.containsKey(client) && names(client) >= MAX_NAMES) {
      LOG.warn("{} has locks under {} names, as many as may be", client.client(), MAX_NAMES);
      verdict.complete(Verdict.TOO_MANY);
    } else {
      CompletableFuture<Verdict> recorded =
          wanted.computeIfAbsent(client, key -> new CompletableFuture<>());
      pending.add(client);
      var unused = recorded.thenAccept(verdict::complete);
      environment.scheduler().schedule(PATIENCE_NANOS, home, () -> verdict.complete(Verdict.LATER));
      change();
    }
  }

  private long names(MonitoredClient client) {
    return known.keySet().stream().filter(each -> each.client().equals(client.client())).count()
        + wanted.keySet().stream().filter(each -> each.client().equals(client.client())).count();
  }

  private void know(MonitoredClient client) {
    Known each = new Known();
    each.askedNanos = environment.ticker().nowNanos();
    known.put(client, each);
  }

  // Addresses.

  private void look() {
    if (closed) {
      return;
    }
    Set<InetAddress> here = addresses.get();
    for (InetAddress server : Set.copyOf(served.keySet())) {
      if (!here.contains(server)) {
        LOG.info("{} is not an address of this host any more", server.getHostAddress());
        served.remove(server);
        forget(server, Verdict.LATER);
        use.lost(server);
      }
    }
    var unused = takeNew();
    if (!withoutList) {
      pending.say(claims().keySet());
      change();
    }
    environment.scheduler().schedule(LOOK_NANOS, home, this::look);
  }

  private CompletableFuture<Void> takeNew() {
    List<InetAddress> found = new ArrayList<>(addresses.get());
    found.removeAll(served.keySet());
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (int from = 0; from < found.size(); from += MAX_TAKEN) {
      List<InetAddress> some = found.subList(from, Math.min(from + MAX_TAKEN, found.size()));
      long claim = environment.random().nextLong();
      some.forEach(server -> served.put(server, new Served(claim)));
      CompletableFuture<Void> taken = new CompletableFuture<>();
      take(claim, List.copyOf(some), taken);
      all = CompletableFuture.allOf(all, taken);
    }
    return all;
  }

  private void take(long claim, List<InetAddress> servers, CompletableFuture<Void> taken) {
    if (closed || withoutList) {
      taken.complete(null);
      return;
    }
    var unused =
        records
            .take(claim, servers)
            .whenCompleteAsync(
                (answer, failure) -> {
                  if (failure == null) {
                    taken(claim, servers, answer);
                    taken.complete(null);
                  } else if (hasNoList(failure)) {
                    taken.complete(null);
                  } else {
                    LOG.debug("addresses were not taken yet: {}", failure.toString());
                    environment
                        .scheduler()
                        .schedule(AGAIN_NANOS, home, () -> take(claim, servers, taken));
                  }
                },
                home);
  }

  private void taken(long claim, List<InetAddress> servers, MonitorRecords.Taken answer) {
    for (InetAddress server : servers) {
      Served now = served.get(server);
      if (now == null || now.claim != claim) {
        continue;
      }
      if (answer.lost().contains(server)) {
        contend(server, now);
        continue;
      }
      now.contended = false;
      now.state = answer.state();
      now.takenNanos = environment.ticker().nowNanos();
      List<MonitoredClient> its =
          answer.clients().stream()
              .filter(each -> each.server().equals(server))
              // Notices leave from there, with its interface, which the list does not have.
              .map(each -> new MonitoredClient(server, each.client(), each.name()))
              .toList();
      known.keySet().removeIf(each -> each.server().equals(server));
      its.forEach(this::know);
      LOG.info(
          "state {} begins at {}; {} clients with locks are told",
          answer.state(),
          server.getHostAddress(),
          its.size());
      notices.tell(answer.state(), its);
    }
    var unused = use.inUse().thenAcceptAsync(this::addUnrecorded, home);
  }

  /** Those that have locks of the time when the address was contended. */
  private void addUnrecorded(Set<MonitoredClient> inUse) {
    inUse.stream()
        .filter(each -> !known.containsKey(each) && MonitoredClient.isName(each.name()))
        .filter(each -> claims().containsKey(each.server()))
        .forEach(pending::add);
    change();
  }

  /** An older SysMgr keeps no list: locks are given as before there was one. */
  private boolean hasNoList(Throwable failure) {
    if (WeftException.of(failure).code() != ErrorCode.UNSUPPORTED) {
      return false;
    }
    if (!withoutList) {
      LOG.warn(
          "SysMgr is of a release that keeps no list of clients with locks: when a gateway starts its"
              + " clients are not told to reclaim; run SysMgr's members in this release, and start"
              + " this gateway again");
    }
    withoutList = true;
    wanted.values().forEach(each -> each.complete(Verdict.UNWATCHED));
    wanted.clear();
    pending.clear();
    return true;
  }

  /** Locks are given, and no host is notified, while the other gateway is heard. */
  private void contend(InetAddress server, Served now) {
    if (!now.contended) {
      LOG.warn(
          "another gateway has the address {} as well, or SysMgr was restored from a copy: until that"
              + " is over clients that call this one there are not told when it starts",
          server.getHostAddress());
      now.contended = true;
      forget(server, Verdict.UNWATCHED);
    }
    environment
        .scheduler()
        .schedule(
            CONTENDED_NANOS,
            home,
            () -> {
              if (served.get(server) == now) {
                take(now.claim, List.of(server), new CompletableFuture<>());
              }
            });
  }

  private void forget(InetAddress server, Verdict verdict) {
    notices.stop(server);
    known.keySet().removeIf(each -> each.server().equals(server));
    for (MonitoredClient client : List.copyOf(wanted.keySet())) {
      if (client.server().equals(server)) {
        wanted.remove(client).complete(verdict);
      }
    }
    pending.forget(server);
  }

  // The list.

  private Map<InetAddress, Long> claims() {
    Map<InetAddress, Long> claims = new HashMap<>();
    served.forEach(
        (server, now) -> {
          if (now.state != 0 && !now.contended) {
            claims.put(server, now.claim);
          }
        });
    return claims;
  }

  /** What came together goes together, behind the change that is under way. */
  private void change() {
    if (!changing && !closed) {
      pending.next(claims()).ifPresent(this::send);
    }
  }

  private void send(MonitorRecords.Change change) {
    changing = true;
    var unused =
        records
            .change(change)
            .whenCompleteAsync(
                (answer, failure) -> {
                  if (failure == null) {
                    changing = false;
                    changed(change, answer);
                    change();
                  } else if (hasNoList(failure) || closed) {
                    changing = false;
                    change.added().forEach(each -> decide(each, Verdict.UNWATCHED));
                  } else if (WeftException.of(failure).code() == ErrorCode.INVALID_ARGUMENT) {
                    LOG.error("clients with locks cannot be recorded", failure);
                    changing = false;
                    change.added().forEach(each -> decide(each, Verdict.TOO_MANY));
                    change();
                  } else {
                    LOG.debug("clients with locks were not recorded yet: {}", failure.toString());
                    // The same again: it is not known whether it was recorded.
                    environment.scheduler().schedule(AGAIN_NANOS, home, () -> send(change));
                  }
                },
                home);
  }

  private void changed(MonitorRecords.Change change, MonitorRecords.Changed answer) {
    for (InetAddress server : answer.lost()) {
      Served now = served.get(server);
      if (now != null && change.claims().get(server) == now.claim) {
        contend(server, now);
      }
    }
    for (MonitoredClient client : change.added()) {
      Served now = served.get(client.server());
      boolean isSame =
          now != null
              && change.claims().get(client.server()) == now.claim
              && !answer.lost().contains(client.server());
      if (!isSame) {
        decide(client, Verdict.UNWATCHED);
      } else if (answer.refused().contains(client)) {
        LOG.warn(
            "{} at {} gets no lock: as many clients have some as may be",
            client.name(),
            client.client().getHostAddress());
        decide(client, Verdict.TOO_MANY);
      } else {
        know(client);
        decide(client, Verdict.WATCHED);
      }
    }
  }

  private void decide(MonitoredClient client, Verdict verdict) {
    CompletableFuture<Verdict> waits = wanted.remove(client);
    if (waits != null) {
      waits.complete(verdict);
    }
  }

  private void sweep() {
    if (closed) {
      return;
    }
    var unused = use.inUse().thenAcceptAsync(this::forgetOthers, home);
    environment.scheduler().schedule(SWEEP_NANOS, home, this::sweep);
  }

  private void forgetOthers(Set<MonitoredClient> inUse) {
    long now = environment.ticker().nowNanos();
    for (MonitoredClient client : known.keySet()) {
      Served server = served.get(client.server());
      if (server == null
          || inUse.contains(client)
          || notices.isTelling(client)
          || now - server.takenNanos < RECLAIM_NANOS) {
        continue;
      }
      known.computeIfPresent(
          client,
          (key, each) -> {
            if (now - each.askedNanos < IDLE_NANOS) {
              return each;
            }
            pending.remove(key);
            return null;
          });
    }
    change();
  }

  /** No host is notified any more; the list stays as it is. */
  @Override
  public void close() {
    home.execute(
        () -> {
          closed = true;
          notices.close();
          wanted.values().forEach(each -> each.complete(Verdict.LATER));
          wanted.clear();
        });
    home.close();
  }
}
