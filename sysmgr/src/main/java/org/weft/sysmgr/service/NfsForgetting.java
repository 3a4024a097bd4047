package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.NfsForgetReply;
import org.weft.protocol.wire.NfsForgetRequest;
import org.weft.protocol.wire.NfsForgottenHost;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.nfs.NfsMonitor;
import org.weft.sysmgr.configuration.nfs.NfsWatched;

/**
 * Hosts with locks that stay on the list although no gateway looks after them (P 6.5f): the address
 * that they call is no gateway's any more. What they had locked there has lapsed within a minute.
 * They leave the list after a day, or when a person says so, and no earlier when it is full. A
 * gateway that SysMgr does not hear may serve them all the time, and its restart would not be told
 * to them.
 *
 * <p>Members of earlier releases know the entries that this makes. It takes the addresses with a
 * claim that no gateway has, and says with that claim that the hosts have no locks there. A gateway
 * that has an address after all hears that it is lost, takes it anew, and records its hosts anew.
 *
 * <p>Confined to the home executor.
 */
final class NfsForgetting {
  private static final Pattern IP_V4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");

  private static final Logger LOG = LoggerFactory.getLogger(NfsForgetting.class);

  static final long OLD_NANOS = TimeUnit.HOURS.toNanos(24);

  /** Gateways say which addresses they have every two seconds. */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(6);

  private static final long SWEEP_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Gateways ask twice a second. */
  private static final long WISH_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final int MAX_AT_ONCE = 1_000;

  /** Of what is said with a claim that was just made. */
  private static final long FIRST_NUMBER = 1;

  private static final int MAX_WISHES = 100;

  private record Wish(NfsForgottenHost host, long untilNanos) {}

  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final SilentAddresses silent;
  private final TakesUnderWay takes;
  private final Environment environment;
  private final Administrators authority;
  private final Deque<Wish> wishes = new ArrayDeque<>();
  private boolean sweeping;
  private long sweptNanos;

  NfsForgetting(
      Leadership leadership,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      SilentAddresses silent,
      TakesUnderWay takes,
      Environment environment) {
    this.leadership = leadership;
    this.proposals = proposals;
    this.configuration = configuration;
    this.silent = silent;
    this.takes = takes;
    this.environment = environment;
    this.authority = new Administrators(configuration);
    this.sweptNanos = environment.ticker().nowNanos();
  }

  /** A person says that a host is gone for good. */
  CompletionStage<? extends MessageLite> forget(InboundRequest request) throws WeftException {
    leadership.require();
    NfsForgetRequest wanted = request.parse(NfsForgetRequest.parser());
    authority.require("forget hosts with locks", wanted.getUser(), wanted.getGroupsList());
    String host = wanted.getHost();
    if (host.isEmpty()
        || host.length() > NfsWatched.MAX_NAME_CHARS
        || host.chars().anyMatch(Character::isISOControl)) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a host is named by its address, or by 1 to %d characters"
              .formatted(NfsWatched.MAX_NAME_CHARS));
    }
    List<NfsWatched> its = rowsOf(host);
    List<String> clients = its.stream().map(NfsWatched::client).distinct().toList();
    if (clients.size() > 1) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "%d hosts call themselves %s, such as %s and %s: name one by its address"
              .formatted(clients.size(), host, clients.get(0), clients.get(1)));
    }
    if (its.isEmpty() && !isAddress(host)) {
      throw new WeftException(
          ErrorCode.NOT_FOUND,
          "no host that calls itself %s is recorded as having locks: name it by its address"
              .formatted(host));
    }
    String client = its.isEmpty() ? host : clients.get(0);
    String name = isAddress(host) ? "" : host;
    List<NfsWatched> left =
        its.stream().filter(each -> isLeft(each.server(), SILENT_NANOS)).toList();
    if (its.stream().anyMatch(each -> takes.isForgetting(each.server()))) {
      throw new WeftException(
          ErrorCode.OVERLOADED,
          "hosts of the same address are being forgotten at this moment; try again");
    }
    dropOldWishes();
    if (wishes.size() >= MAX_WISHES) {
      throw new WeftException(
          ErrorCode.OVERLOADED,
          "gateways are being told of %d hosts; try again in half a minute".formatted(MAX_WISHES));
    }
    // Also where no row is: a gateway may have given it locks without one.
    wishes.add(
        new Wish(
            NfsForgottenHost.newBuilder()
                .setWish(environment.random().nextLong())
                .setHost(client)
                .setName(name)
                .build(),
            environment.ticker().nowNanos() + WISH_NANOS));
    return forgotten(left)
        .thenApply(
            done -> {
              // A gateway may have taken the address between the two records.
              int removed =
                  (int)
                      left.stream().filter(each -> !monitor().watched().containsKey(each)).count();
              return NfsForgetReply.newBuilder()
                  .setRemoved(removed)
                  .setTold(its.size() - removed)
                  .build();
            });
  }

  /** By its address, or else by how it names itself: a name says nothing of addresses. */
  private List<NfsWatched> rowsOf(String host) {
    boolean address = isAddress(host);
    return monitor().watched().keySet().stream()
        .filter(each -> (address ? each.client() : each.name()).equals(host))
        .limit(MAX_AT_ONCE)
        .toList();
  }

  private static boolean isAddress(String host) {
    return host.indexOf(':') >= 0 || IP_V4.matcher(host).matches();
  }

  /** What gateways are to be told now. */
  List<NfsForgottenHost> wishes() {
    dropOldWishes();
    return wishes.stream().map(Wish::host).toList();
  }

  private void dropOldWishes() {
    long now = environment.ticker().nowNanos();
    while (!wishes.isEmpty() && now - wishes.getFirst().untilNanos() >= 0) {
      wishes.removeFirst();
    }
  }

  /** To be called now and then, while this member leads. */
  void tick() {
    long now = environment.ticker().nowNanos();
    if (sweeping || now - sweptNanos < SWEEP_NANOS) {
      return;
    }
    sweptNanos = now;
    List<NfsWatched> old = silentFor(OLD_NANOS, MAX_AT_ONCE);
    if (!old.isEmpty()) {
      sweeping = true;
      var unused =
          forgotten(old)
              .whenComplete(
                  (done, failure) -> {
                    sweeping = false;
                    if (failure != null) {
                      LOG.debug("hosts with locks were not forgotten yet", failure);
                    }
                  });
    }
  }

  private NfsMonitor monitor() {
    return configuration.current().nfs().monitor();
  }

  /** Those that were recorded first, of addresses that no gateway has had for so long. */
  private List<NfsWatched> silentFor(long nanos, int most) {
    return monitor().watched().entrySet().stream()
        .filter(each -> isLeft(each.getKey().server(), nanos))
        .sorted(Map.Entry.comparingByValue())
        .limit(most)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** No gateway has it, and none is taking it. */
  private boolean isLeft(Endpoint server, long nanos) {
    return silent.isSilent(server, nanos) && takes.isFree(server);
  }

  private CompletionStage<?> forgotten(List<NfsWatched> rows) {
    if (rows.isEmpty()) {
      return proposals.barrier();
    }
    LOG.info("{} hosts with locks are forgotten: no gateway has the addresses", rows.size());
    long claim = environment.random().nextLong();
    List<Endpoint> servers = rows.stream().map(NfsWatched::server).distinct().toList();
    TakesUnderWay.Begun begun = takes.begin(servers, takes.forgetting());
    return proposals
        .propose(new Command.TakeNfsAddresses(claim, servers, environment.clock().nowMillis()))
        .thenCompose(taken -> withoutLocks(rows, claim))
        .whenComplete((done, failure) -> takes.end(begun));
  }

  /**
   * Void for an address that a gateway has taken since; one that was heard since keeps its rows.
   */
  private CompletionStage<?> withoutLocks(List<NfsWatched> rows, long claim) {
    List<NfsWatched> left =
        rows.stream().filter(each -> silent.isSilent(each.server(), SILENT_NANOS)).toList();
    SortedMap<String, Long> claims = new TreeMap<>();
    left.forEach(each -> claims.put(each.server().toString(), claim));
    return left.isEmpty()
        ? proposals.barrier()
        : proposals.propose(
            new Command.WatchNfsClients(
                FIRST_NUMBER, claims, left, List.of(), environment.clock().nowMillis()));
  }
}
