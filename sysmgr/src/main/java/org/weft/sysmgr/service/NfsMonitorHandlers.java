package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.NfsClaim;
import org.weft.protocol.wire.NfsTakeReply;
import org.weft.protocol.wire.NfsTakeRequest;
import org.weft.protocol.wire.NfsWatchReply;
import org.weft.protocol.wire.NfsWatchRequest;
import org.weft.protocol.wire.NfsWatchedRow;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.nfs.NfsMonitor;
import org.weft.sysmgr.configuration.nfs.NfsServed;
import org.weft.sysmgr.configuration.nfs.NfsWatched;
import org.weft.sysmgr.service.intake.ReportLimits;

/**
 * Clients of NFS with locks (P 6.5f), as gateways tell of them. What is answered is durable on a
 * majority of the members.
 */
final class NfsMonitorHandlers {
  private static final int MAX_CHANGES = 1_000;
  private static final int MAX_CLAIMS = 256;

  /** Gateways say which addresses they have every two seconds. */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(6);

  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final Environment environment;
  private final SilentAddresses silent;
  private final TakesUnderWay takes;
  private final NfsForgetting forgetting;

  /** Which gateway says that it has an address, and when it did last: by the address's text. */
  private final Map<String, Heard> heard = new HashMap<>();

  private record Heard(Endpoint gateway, long atNanos) {}

  NfsMonitorHandlers(
      Leadership leadership,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      Environment environment) {
    this.takes = new TakesUnderWay(leadership::term, environment.ticker());
    this.silent = new SilentAddresses(leadership, environment.ticker());
    this.forgetting =
        new NfsForgetting(leadership, proposals, configuration, silent, takes, environment);
    this.leadership = leadership;
    this.proposals = proposals;
    this.configuration = configuration;
    this.environment = environment;
  }

  /** Hosts that no gateway looks after. */
  NfsForgetting forgetting() {
    return forgetting;
  }

  CompletionStage<? extends MessageLite> take(InboundRequest request) throws WeftException {
    leadership.require();
    NfsTakeRequest wanted = request.parse(NfsTakeRequest.parser());
    List<Endpoint> servers = ReportLimits.addresses(wanted.getServersList());
    Endpoint gateway = ReportLimits.addresses(List.of(wanted.getGateway())).get(0);
    String taker = TakesUnderWay.gateway(gateway, wanted.getClaim());
    List<Endpoint> free =
        servers.stream()
            .distinct()
            .filter(server -> takes.mayTake(server, taker))
            .filter(server -> isFreeFor(gateway, wanted.getClaim(), server))
            .toList();
    TakesUnderWay.Begun begun = takes.begin(free, taker);
    CompletionStage<?> known =
        free.isEmpty()
            ? proposals.barrier()
            : proposals.propose(
                new Command.TakeNfsAddresses(
                    wanted.getClaim(), free, environment.clock().nowMillis()));
    return known
        .whenComplete((done, failure) -> takes.end(begun))
        .thenApply(
            done -> {
              NfsTakeReply reply = taken(wanted.getClaim(), servers);
              free.forEach(server -> hear(server, gateway));
              return reply;
            });
  }

  /**
   * Several hosts may have the same address each for itself, such as that of a bridge. Such an
   * address is no other gateway's as long as that gateway says that it has it. One that starts
   * again may take its own. A new leader has not heard of those that are claimed yet: it waits for
   * them as long.
   */
  private boolean isFreeFor(Endpoint gateway, long claim, Endpoint server) {
    Heard last = heard.get(server.toString());
    if (last != null && environment.ticker().nowNanos() - last.atNanos() <= SILENT_NANOS) {
      return last.gateway().equals(gateway);
    }
    NfsMonitor monitor = configuration.current().nfs().monitor();
    return monitor.served(server).isEmpty()
        || monitor.isHeldBy(server, claim)
        || leadership.ledNanos() > SILENT_NANOS;
  }

  private void hear(Endpoint server, Endpoint gateway) {
    long now = environment.ticker().nowNanos();
    heard.values().removeIf(each -> now - each.atNanos() > SILENT_NANOS);
    heard.put(server.toString(), new Heard(gateway, now));
    silent.heard(server);
  }

  private NfsTakeReply taken(long claim, List<Endpoint> servers) {
    NfsMonitor monitor = configuration.current().nfs().monitor();
    NfsTakeReply.Builder reply = NfsTakeReply.newBuilder();
    for (Endpoint server : servers) {
      if (!monitor.isHeldBy(server, claim)) {
        reply.addLost(server.toMessage());
        continue;
      }
      reply.setState(monitor.served(server).map(NfsServed::state).orElseThrow());
      monitor
          .watched()
          .forEach(
              (each, sinceMillis) -> {
                if (each.server().equals(server)) {
                  reply.addWatched(NfsRows.row(each, sinceMillis));
                }
              });
    }
    return reply.build();
  }

  CompletionStage<? extends MessageLite> watch(InboundRequest request) throws WeftException {
    leadership.require();
    NfsWatchRequest wanted = request.parse(NfsWatchRequest.parser());
    if (wanted.getClaimsCount() > MAX_CLAIMS
        || wanted.getAddedCount() > MAX_CHANGES
        || wanted.getRemovedCount() > MAX_CHANGES) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a gateway tells of %d addresses and %d clients at most at once"
              .formatted(MAX_CLAIMS, MAX_CHANGES));
    }
    SortedMap<String, Long> claims = new TreeMap<>();
    List<Endpoint> servers = new ArrayList<>();
    for (NfsClaim each : wanted.getClaimsList()) {
      Endpoint server = ReportLimits.addresses(List.of(each.getServer())).get(0);
      servers.add(server);
      claims.put(server.toString(), each.getClaim());
    }
    Endpoint gateway = ReportLimits.addresses(List.of(wanted.getGateway())).get(0);
    List<NfsWatched> removed = watched(wanted.getRemovedList());
    List<NfsWatched> added = watched(wanted.getAddedList());
    CompletionStage<?> known =
        removed.isEmpty() && added.isEmpty()
            ? proposals.barrier()
            : proposals.propose(
                new Command.WatchNfsClients(
                    wanted.getNumber(), claims, removed, added, environment.clock().nowMillis()));
    return known.thenApply(
        done -> {
          NfsMonitor monitor = configuration.current().nfs().monitor();
          servers.stream()
              .filter(server -> monitor.isHeldBy(server, claims.get(server.toString())))
              .forEach(server -> hear(server, gateway));
          return told(claims, servers, wanted.getAddedList(), added);
        });
  }

  private NfsWatchReply told(
      SortedMap<String, Long> claims,
      List<Endpoint> servers,
      List<NfsWatchedRow> rows,
      List<NfsWatched> added) {
    NfsMonitor monitor = configuration.current().nfs().monitor();
    NfsWatchReply.Builder reply = NfsWatchReply.newBuilder();
    for (Endpoint server : servers) {
      if (!monitor.isHeldBy(server, claims.get(server.toString()))) {
        reply.addLost(server.toMessage());
      }
    }
    for (int i = 0; i < rows.size(); i++) {
      if (!monitor.watched().containsKey(added.get(i))) {
        reply.addRefused(rows.get(i));
      }
    }
    return reply.build();
  }

  private static List<NfsWatched> watched(List<NfsWatchedRow> rows) throws WeftException {
    List<NfsWatched> watched = new ArrayList<>();
    for (NfsWatchedRow row : rows) {
      String name = row.getName();
      if (name.isEmpty()
          || name.length() > NfsWatched.MAX_NAME_CHARS
          || name.chars().anyMatch(Character::isISOControl)) {
        throw new WeftException(
            ErrorCode.INVALID_ARGUMENT,
            "a client of NFS has a name of 1 to %d characters, none of them a control character"
                .formatted(NfsWatched.MAX_NAME_CHARS));
      }
      watched.add(
          new NfsWatched(
              ReportLimits.addresses(List.of(row.getServer())).get(0),
              ReportLimits.host(row.getClient()),
              name));
    }
    return watched;
  }
}
