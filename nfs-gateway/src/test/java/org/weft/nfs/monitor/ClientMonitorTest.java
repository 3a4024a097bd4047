package org.weft.nfs.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;

/** Rule 6.5f: which clients are on the list, and which are told, on virtual time. */
class ClientMonitorTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final InetAddress here = address(1);
  private final InetAddress moved = address(2);
  private final MonitoredClient a = client(11, "a");
  private final VirtualTime time = new VirtualTime(95_720_000);
  private final FakeRecords records = new FakeRecords();
  private final FakeUse use = new FakeUse();
  private final Set<InetAddress> addresses = new LinkedHashSet<>(List.of(here));
  private final List<String> told = new ArrayList<>();
  private int silent;
  private ClientMonitor monitor;

  private static InetAddress address(int last) {
    try {
      return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private MonitoredClient client(int last, String name) {
    return new MonitoredClient(address(1), address(last), name);
  }

  /** The list as SysMgr keeps it; does nothing while it is away. */
  private static final class FakeRecords implements MonitorRecords {
    private final Set<MonitoredClient> list = new LinkedHashSet<>();
    private final Set<InetAddress> others = new HashSet<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private WeftException failure;
    private boolean away;
    private int state = 99;
    private int changes;
    private final Map<InetAddress, Integer> said = new HashMap<>();

    private <T> CompletableFuture<T> answered(java.util.function.Supplier<T> work) {
      CompletableFuture<T> answer = new CompletableFuture<>();
      Runnable later =
          () -> {
            if (failure != null) {
              answer.completeExceptionally(failure);
            } else {
              complete(answer, work);
            }
          };
      if (away) {
        waiting.add(later);
      } else {
        later.run();
      }
      return answer;
    }

    private static <T> void complete(
        CompletableFuture<T> answer, java.util.function.Supplier<T> work) {
      try {
        answer.complete(work.get());
      } catch (CompletionException e) {
        answer.completeExceptionally(e);
      }
    }

    void comesBack() {
      away = false;
      waiting.forEach(Runnable::run);
      waiting.clear();
    }

    @Override
    public CompletableFuture<Taken> take(long claim, List<InetAddress> servers) {
      return answered(
          () -> {
            state += 2;
            return new Taken(
                state,
                list.stream().filter(each -> servers.contains(each.server())).toList(),
                lost(servers));
          });
    }

    @Override
    public CompletableFuture<Changed> change(Change change) {
      return answered(
          () -> {
            changes++;
            if (change.claims().size() > PendingChanges.MAX_CLAIMS) {
              throw new CompletionException(
                  new WeftException(ErrorCode.INVALID_ARGUMENT, "as SysMgr refuses it"));
            }
            change.claims().keySet().forEach(each -> said.merge(each, 1, Integer::sum));
            change.removed().forEach(list::remove);
            list.addAll(change.added());
            return new Changed(lost(change.claims().keySet()), Set.of());
          });
    }

    private Set<InetAddress> lost(java.util.Collection<InetAddress> of) {
      Set<InetAddress> lost = new HashSet<>(of);
      lost.retainAll(others);
      return lost;
    }
  }

  private static final class FakeUse implements LockUse {
    private final Set<MonitoredClient> holders = new HashSet<>();
    private final List<InetAddress> lost = new ArrayList<>();

    @Override
    public CompletableFuture<Set<MonitoredClient>> inUse() {
      return CompletableFuture.completedFuture(Set.copyOf(holders));
    }

    @Override
    public void lost(InetAddress server) {
      lost.add(server);
    }
  }

  @BeforeEach
  void make() {
    Environment environment = new Environment(time, time, time, new Random(1), null, null);
    monitor =
        new ClientMonitor(
            records,
            (server, client, state, datagrams) -> {
              told.add(client.getHostAddress() + " " + state + (datagrams ? " by UDP" : " by TCP"));
              return silent-- > 0
                  ? CompletableFuture.failedFuture(new IOException("silence"))
                  : CompletableFuture.completedFuture(null);
            },
            () -> addresses,
            environment);
  }

  private void start() {
    time.await(monitor.start(use));
  }

  @Test
  void aClientIsRecordedBeforeItHasALock() {
    start();
    records.away = true;
    CompletableFuture<Watching.Verdict> verdict = monitor.watched(a);
    time.pass(SECOND);
    assertFalse(verdict.isDone(), "it would be forgotten after a crash");
    records.comesBack();
    assertEquals(Watching.Verdict.WATCHED, time.await(verdict));
    assertEquals(Set.of(a), records.list);
    int before = records.changes;
    assertEquals(Watching.Verdict.WATCHED, monitor.watched(a).join(), "at once");
    assertEquals(before, records.changes);
  }

  @Test
  void aClientThatCannotBeRecordedAsksLater() {
    start();
    records.away = true;
    assertEquals(Watching.Verdict.LATER, time.await(monitor.watched(a)));
    records.comesBack();
    assertEquals(Watching.Verdict.WATCHED, time.await(monitor.watched(a)));
  }

  @Test
  void oneChangeCarriesManyClients() {
    start();
    records.away = true;
    List<CompletableFuture<Watching.Verdict>> verdicts = new ArrayList<>();
    for (int i = 1; i <= 40; i++) {
      verdicts.add(monitor.watched(client(i, "host")));
    }
    time.pass(SECOND);
    int before = records.changes;
    records.comesBack();
    verdicts.forEach(each -> assertEquals(Watching.Verdict.WATCHED, time.await(each)));
    assertEquals(40, records.list.size());
    assertTrue(records.changes - before <= 3, records.changes - before + " changes");
  }

  @Test
  void listedHostsAreNotifiedUntilTheyAnswer() {
    records.list.add(a);
    records.list.add(client(11, "the same host"));
    silent = 2;
    start();
    time.runUntil("told", () -> told.size() == 3);
    assertEquals(
        List.of("10.0.0.11 101 by UDP", "10.0.0.11 101 by TCP", "10.0.0.11 101 by UDP"), told);
    time.pass(100 * SECOND);
    assertEquals(3, told.size(), "once it has answered");
    assertEquals(101, monitor.state(here));
  }

  /** A network that has just learned where the address is: its locks are kept for 45 s. */
  @ParameterizedTest
  @ValueSource(ints = {5, 10, 20, 30, 40})
  void clientReachedLateIsNotifiedWhileItsLocksAreKept(int seconds) {
    records.list.add(a);
    silent = Integer.MAX_VALUE;
    start();
    time.pass(seconds * SECOND);
    int before = told.size();
    silent = 0;
    time.pass(3 * SECOND);
    assertEquals(before + 1, told.size());
  }

  @Test
  void aClientThatDoesNotAnswerIsGivenUp() {
    records.list.add(a);
    silent = Integer.MAX_VALUE;
    start();
    time.pass(TimeUnit.MINUTES.toNanos(17));
    int tries = told.size();
    assertTrue(tries > 10 && tries < 60, tries + " tries");
    time.pass(TimeUnit.MINUTES.toNanos(5));
    assertEquals(tries, told.size());
    assertEquals(Set.of(), records.list, "it has no lock any more");
  }

  @Test
  void aClientWithoutLocksLeavesTheListSomeTimeLater() {
    start();
    time.await(monitor.watched(a));
    use.holders.add(a);
    time.pass(600 * SECOND);
    assertEquals(Set.of(a), records.list);
    use.holders.clear();
    time.pass(100 * SECOND);
    assertEquals(Set.of(), records.list);
    assertEquals(Watching.Verdict.WATCHED, time.await(monitor.watched(a)));
    assertEquals(Set.of(a), records.list);
  }

  @Test
  void notifiedClientStaysListedWhileItReclaims() {
    records.list.add(a);
    start();
    time.pass(100 * SECOND);
    assertEquals(Set.of(a), records.list);
    time.pass(100 * SECOND);
    assertEquals(Set.of(), records.list);
  }

  @Test
  void addressThatComesToThisHostIsClaimedAndItsClientsNotified() {
    MonitoredClient there = new MonitoredClient(moved, address(12), "b");
    records.list.add(there);
    start();
    assertEquals(List.of(), told);
    assertEquals(Watching.Verdict.UNWATCHED, time.await(monitor.watched(there)));
    addresses.add(moved);
    time.runUntil("told", () -> !told.isEmpty());
    assertEquals(List.of("10.0.0.12 103 by UDP"), told);
    assertTrue(monitor.serves(moved));
    addresses.remove(moved);
    time.runUntil("lost", () -> !use.lost.isEmpty());
    assertEquals(List.of(moved), use.lost);
    assertEquals(Set.of(there), records.list, "for the gateway that has the address then");
  }

  /** Such as the address of a bridge, which each host has for itself. */
  @Test
  void sharedAddressIsServedWithoutTheList() {
    records.others.add(here);
    start();
    assertEquals(Watching.Verdict.UNWATCHED, time.await(monitor.watched(a)));
    use.holders.add(a);
    time.pass(100 * SECOND);
    assertEquals(List.of(), use.lost, "its locks stay");
    assertEquals(Set.of(), records.list);
    records.others.clear();
    time.runUntil("recorded once the other one is silent", () -> records.list.contains(a));
    assertEquals(Watching.Verdict.WATCHED, time.await(monitor.watched(a)));
  }

  @Test
  void addressClaimedElsewhereStaysServed() {
    start();
    time.await(monitor.watched(a));
    use.holders.add(a);
    records.others.add(here);
    time.pass(10 * SECOND);
    assertTrue(monitor.serves(here));
    assertEquals(Watching.Verdict.UNWATCHED, time.await(monitor.watched(a)));
    assertEquals(List.of(), use.lost);
    assertEquals(Set.of(a), records.list);
  }

  @Test
  void anOlderSysMgrKeepsNoList() {
    records.failure = new WeftException(ErrorCode.UNSUPPORTED, "no such opcode");
    start();
    assertEquals(Watching.Verdict.UNWATCHED, time.await(monitor.watched(a)));
  }

  /** As many as SysMgr takes in one change, and more: those of services, which a node has all. */
  @Test
  void aHostMayHaveMoreAddressesThanOneChangeNames() throws IOException {
    for (int i = 0; i < 2 * PendingChanges.MAX_CLAIMS + 10; i++) {
      addresses.add(
          InetAddress.getByAddress(new byte[] {10, 1, (byte) (i >> Byte.SIZE), (byte) i}));
    }
    start();
    assertEquals(Watching.Verdict.WATCHED, time.await(monitor.watched(a)));
    List<CompletableFuture<Watching.Verdict>> verdicts =
        addresses.stream()
            .map(server -> monitor.watched(new MonitoredClient(server, address(11), server + "")))
            .limit(ClientMonitor.MAX_NAMES - 1)
            .toList();
    verdicts.forEach(each -> assertEquals(Watching.Verdict.WATCHED, time.await(each)));
    records.said.clear();
    time.pass(5 * SECOND);
    assertEquals(addresses, records.said.keySet(), "each is said before another may take it");
  }

  @Test
  void namesOfOneAddressAreBounded() {
    start();
    for (int i = 0; i < ClientMonitor.MAX_NAMES; i++) {
      assertEquals(Watching.Verdict.WATCHED, time.await(monitor.watched(client(11, "n" + i))));
    }
    assertEquals(Watching.Verdict.TOO_MANY, time.await(monitor.watched(client(11, "more"))));
    assertEquals(Watching.Verdict.WATCHED, time.await(monitor.watched(client(12, "more"))));
  }
}
