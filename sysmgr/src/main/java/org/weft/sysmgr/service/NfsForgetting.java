package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.NfsForgetReply;
import org.weft.protocol.wire.NfsForgetRequest;
import org.weft.protocol.wire.NfsForgottenHost;
import org.weft.sysmgr.configuration.Command;
import org.weft.sysmgr.configuration.NfsMonitor;
import org.weft.sysmgr.configuration.NfsWatched;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;

/**
 * Hosts with locks that stay on the list although no gateway looks after them (P 6.5f): the address
 * that they call is no gateway's any more. What they had locked there has lapsed within a minute.
 * They leave the list after a day; earlier when it is full, or when a person says so. Confined to
 * the home executor.
 */
final class NfsForgetting {
  private static final Logger LOG = LoggerFactory.getLogger(NfsForgetting.class);

  static final long OLD_NANOS = TimeUnit.HOURS.toNanos(24);

  /** As long as a gateway tells its clients that it has started. */
  private static final long FULL_NANOS = TimeUnit.MINUTES.toNanos(15);

  /** Gateways say which addresses they have every two seconds. */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(6);

  private static final long SWEEP_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Gateways ask twice a second. */
  private static final long WISH_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final int MOST_AT_ONCE = 1_000;
  private static final int MOST_WISHES = 100;

  private record Wish(NfsForgottenHost host, long untilNanos) {}

  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final SilentAddresses silent;
  private final Environment environment;
  private final Authority authority;
  private final Deque<Wish> wishes = new ArrayDeque<>();
  private boolean sweeping;
  private long sweptNanos;

  NfsForgetting(
      Leadership leadership,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      SilentAddresses silent,
      Environment environment) {
    this.leadership = leadership;
    this.proposals = proposals;
    this.configuration = configuration;
    this.silent = silent;
    this.environment = environment;
    this.authority = new Authority(configuration);
    this.sweptNanos = environment.ticker().nowNanos();
  }

  /** A person says that a host is gone for good. */
  CompletionStage<? extends MessageLite> forget(InboundRequest request) throws RpcException {
    leadership.require();
    NfsForgetRequest wanted = request.parse(NfsForgetRequest.parser());
    authority.require("forget hosts with locks", wanted.getUser(), wanted.getGroupsList());
    String host = wanted.getHost();
    if (host.isEmpty()
        || host.length() > NfsWatched.MOST_NAME_CHARS
        || host.chars().anyMatch(Character::isISOControl)) {
      throw new RpcException(
          ErrorCode.INVALID_ARGUMENT,
          "a host is named by its address, or by 1 to %d characters"
              .formatted(NfsWatched.MOST_NAME_CHARS));
    }
    List<NfsWatched> its =
        monitor().watched().keySet().stream()
            .filter(each -> each.client().equals(host) || each.name().equals(host))
            .limit(MOST_AT_ONCE)
            .toList();
    List<NfsWatched> left =
        its.stream().filter(each -> silent.isSilent(each.server(), SILENT_NANOS)).toList();
    dropOldWishes();
    if (wishes.size() >= MOST_WISHES) {
      throw new RpcException(
          ErrorCode.OVERLOADED,
          "gateways are being told of %d hosts; try again in half a minute".formatted(MOST_WISHES));
    }
    // Also where no row is: a gateway may have given it locks without one.
    wishes.add(
        new Wish(
            NfsForgottenHost.newBuilder()
                .setWish(environment.random().nextLong())
                .setHost(host)
                .build(),
            environment.ticker().nowNanos() + WISH_NANOS));
    return forgotten(left)
        .thenApply(
            done ->
                NfsForgetReply.newBuilder()
                    .setRemoved(left.size())
                    .setTold(its.size() - left.size())
                    .build());
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

  /**
   * Makes room for so many more, if there is none and some of those that are there will not be
   * missed: the oldest go.
   */
  CompletionStage<?> makeRoom(int more) {
    int over = monitor().watched().size() + more - NfsMonitor.MOST_WATCHED;
    return over <= 0
        ? CompletableFuture.completedFuture(null)
        : forgotten(silentFor(FULL_NANOS, Math.min(over, MOST_AT_ONCE)));
  }

  /** To be called now and then, while this member leads. */
  void tick() {
    long now = environment.ticker().nowNanos();
    if (sweeping || now - sweptNanos < SWEEP_NANOS) {
      return;
    }
    sweptNanos = now;
    List<NfsWatched> old = silentFor(OLD_NANOS, MOST_AT_ONCE);
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
    Predicate<NfsWatched> isLeft = each -> silent.isSilent(each.server(), nanos);
    return monitor().watched().entrySet().stream()
        .filter(each -> isLeft.test(each.getKey()))
        .sorted(Map.Entry.comparingByValue())
        .limit(most)
        .map(Map.Entry::getKey)
        .toList();
  }

  private CompletionStage<?> forgotten(List<NfsWatched> rows) {
    if (rows.isEmpty()) {
      return proposals.barrier();
    }
    LOG.info("{} hosts with locks are forgotten: no gateway has the addresses", rows.size());
    return proposals.propose(new Command.ForgetNfsClients(rows));
  }
}
