package org.weft.nfs.monitor;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.seam.Environment;

/**
 * Tells hosts with locks that a gateway has started at the address that they call, so that they
 * reclaim. It uses UDP and TCP in turn, with growing pauses. It ends when each host has answered or
 * a quarter of an hour has passed. Confined to the executor of the monitor.
 */
final class RebootNotices {
  private static final Logger LOG = LoggerFactory.getLogger(RebootNotices.class);

  /** As sm-notify of Linux does it. */
  private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(15);

  /**
   * Its locks are kept for less than that: a host that is reached late must get its notice in time.
   */
  private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final Backoff WHILE_KEPT =
      Backoff.spread(TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(3));

  private static final Backoff LATER =
      Backoff.spread(TimeUnit.SECONDS.toNanos(3), TimeUnit.SECONDS.toNanos(60));

  /** More wait for their turn. */
  private static final int MAX_CALLS = 32;

  private record Host(InetAddress server, InetAddress client) {}

  private static final class Telling {
    private final Host host;
    private final int state;
    private final long sinceNanos;
    private Backoff.Delays pauses;
    private boolean isKept = true;
    private boolean datagrams = true;

    private Telling(Host host, int state, long sinceNanos, Backoff.Delays pauses) {
      this.host = host;
      this.state = state;
      this.sinceNanos = sinceNanos;
      this.pauses = pauses;
    }
  }

  private final NoticeCalls calls;
  private final Environment environment;
  private final Executor home;
  private final Map<Host, Telling> tellings = new HashMap<>();
  private final Deque<Telling> ready = new ArrayDeque<>();
  private int underWay;
  private boolean closed;

  RebootNotices(NoticeCalls calls, Environment environment, Executor home) {
    this.calls = calls;
    this.environment = environment;
    this.home = home;
  }

  /** Begins; hosts of several names are notified once. */
  void tell(int state, Collection<MonitoredClient> clients) {
    Set<Host> hosts = new LinkedHashSet<>();
    clients.forEach(each -> hosts.add(new Host(each.server(), each.client())));
    for (Host host : hosts) {
      Telling telling =
          new Telling(
              host, state, environment.ticker().nowNanos(), WHILE_KEPT.begin(environment.random()));
      tellings.put(host, telling);
      ready.add(telling);
    }
    callSome();
  }

  /** The host has not answered yet. */
  boolean isTelling(MonitoredClient client) {
    return tellings.containsKey(new Host(client.server(), client.client()));
  }

  /** The address is another gateway's: that one tells them. */
  void stop(InetAddress server) {
    tellings.keySet().removeIf(host -> host.server().equals(server));
  }

  void close() {
    closed = true;
    tellings.clear();
  }

  private void callSome() {
    while (underWay < MAX_CALLS && !ready.isEmpty()) {
      Telling telling = ready.remove();
      if (isCurrent(telling)) {
        call(telling);
      }
    }
  }

  /** Not answered, and not begun anew with a later state. */
  private boolean isCurrent(Telling telling) {
    return !closed && tellings.get(telling.host) == telling;
  }

  private void call(Telling telling) {
    underWay++;
    var unused =
        calls
            .tell(telling.host.server(), telling.host.client(), telling.state, telling.datagrams)
            .whenCompleteAsync(
                (done, failure) -> {
                  underWay--;
                  if (failure == null) {
                    LOG.info(
                        "{} knows that this gateway has started at {}",
                        telling.host.client().getHostAddress(),
                        telling.host.server().getHostAddress());
                    tellings.remove(telling.host, telling);
                  } else {
                    again(telling, failure);
                  }
                  callSome();
                },
                home);
  }

  private void again(Telling telling, Throwable failure) {
    if (!isCurrent(telling)) {
      return;
    }
    long lastedNanos = environment.ticker().nowNanos() - telling.sinceNanos;
    if (lastedNanos > MAX_NANOS) {
      LOG.warn(
          "{} was not told that this gateway has started at {}, as it does not reply ({}); what its"
              + " programs had locked is not theirs any more",
          telling.host.client().getHostAddress(),
          telling.host.server().getHostAddress(),
          failure.getMessage());
      tellings.remove(telling.host, telling);
      return;
    }
    LOG.debug("{} was not told: {}", telling.host, failure.toString());
    telling.datagrams = !telling.datagrams;
    if (telling.isKept && lastedNanos >= KEPT_NANOS) {
      telling.isKept = false;
      telling.pauses = LATER.begin(environment.random());
    }
    environment
        .scheduler()
        .schedule(
            telling.pauses.nextNanos(),
            home,
            () -> {
              ready.add(telling);
              callSome();
            });
  }
}
