package org.weft.sysmgr.service;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Network;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.ChangeNfsExportRequest;
import org.weft.protocol.wire.ChangeNfsGroupsRequest;
import org.weft.protocol.wire.ChangeNfsIdRequest;
import org.weft.protocol.wire.GetNfsReply;
import org.weft.protocol.wire.GetNfsRequest;
import org.weft.protocol.wire.NfsGatewayReply;
import org.weft.protocol.wire.NfsGatewayRequest;
import org.weft.protocol.wire.NfsGatewayRow;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.nfs.NfsSquash;
import org.weft.sysmgr.configuration.nfs.NfsTable;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.liveness.HeardGateways;
import org.weft.sysmgr.service.intake.ReportLimits;

/**
 * What NFS gateways serve. CHANGE_NFS_EXPORT, _ID and _GROUPS are what people ask for, answered
 * when it is recorded. NFS_GATEWAY is signed with the join token. By it gateways hear of the
 * exports and say that they are there. It alone shows the key of the handles. GET_NFS shows the
 * rest to any client.
 */
final class NfsHandlers {
  private static final int MAX_CLIENT_RANGES = 64;
  private static final int MAX_NAME_BYTES = 255;
  private static final int MAX_CLIENT_ROWS = 256;
  private static final int MAX_PROBLEMS = 16;
  private static final int MAX_LOCK_ROWS = 1_000;

  /** Gateways tell of locks for so long after they were asked for. */
  private static final long LOCKS_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final HeardGateways<NfsGatewayRow> gateways;
  private final Environment environment;
  private final Administrators authority;
  private final NfsForgetting forgetting;

  /** Locks are told until then; empty: no command has asked. */
  private OptionalLong locksUntilNanos = OptionalLong.empty();

  NfsHandlers(
      Leadership leadership,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeardGateways<NfsGatewayRow> gateways,
      NfsForgetting forgetting,
      Environment environment) {
    this.forgetting = forgetting;
    this.leadership = leadership;
    this.proposals = proposals;
    this.configuration = configuration;
    this.gateways = gateways;
    this.environment = environment;
    this.authority = new Administrators(configuration);
  }

  CompletionStage<? extends MessageLite> changeExport(InboundRequest request) throws WeftException {
    leadership.require();
    ChangeNfsExportRequest wanted = request.parse(ChangeNfsExportRequest.parser());
    authority.require("change exports", wanted.getUser(), wanted.getGroupsList());
    requirePrintable("the path of an export", wanted.getPath());
    return switch (wanted.getChange()) {
      case ADD_EXPORT -> proposals.record(put(wanted, true));
      case SET_EXPORT -> proposals.record(put(wanted, false));
      case REMOVE_EXPORT -> proposals.record(new Command.RemoveNfsExport(wanted.getPath()));
      case NFS_EXPORT_CHANGE_UNSPECIFIED, UNRECOGNIZED ->
          throw new WeftException(
              ErrorCode.UNSUPPORTED, "this release knows no such change of an export");
    };
  }

  private Command put(ChangeNfsExportRequest wanted, boolean isNew) throws WeftException {
    byte[] key = new byte[NfsTable.KEY_BYTES];
    environment.random().nextBytes(key);
    return new Command.PutNfsExport(
        wanted.getPath(),
        isNew,
        clients(wanted.getClientsList()),
        wanted.hasReadOnly() ? Optional.of(wanted.getReadOnly()) : Optional.empty(),
        squash(wanted),
        wanted.hasInsecure() ? Optional.of(wanted.getInsecure()) : Optional.empty(),
        wanted.hasManageGids() ? Optional.of(wanted.getManageGids()) : Optional.empty(),
        Secret.of(key));
  }

  private static Optional<List<String>> clients(List<String> ranges) throws WeftException {
    if (ranges.size() > MAX_CLIENT_RANGES) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "an export names up to "
              + MAX_CLIENT_RANGES
              + " addresses and ranges, got "
              + ranges.size());
    }
    List<String> checked = new ArrayList<>();
    for (String range : ranges) {
      try {
        checked.add(Network.parse(range).toString());
      } catch (IllegalArgumentException e) {
        throw new WeftException(ErrorCode.INVALID_ARGUMENT, "clients: " + e.getMessage(), e);
      }
    }
    return checked.isEmpty() ? Optional.empty() : Optional.of(checked);
  }

  private static Optional<NfsSquash> squash(ChangeNfsExportRequest wanted) throws WeftException {
    return switch (wanted.getSquash()) {
      case NFS_SQUASH_UNSPECIFIED -> Optional.empty();
      case SQUASH_ROOT -> Optional.of(NfsSquash.ROOT);
      case SQUASH_ALL -> Optional.of(NfsSquash.ALL);
      case SQUASH_NONE -> Optional.of(NfsSquash.NONE);
      case UNRECOGNIZED ->
          throw new WeftException(ErrorCode.UNSUPPORTED, "this release knows no such squash");
    };
  }

  CompletionStage<? extends MessageLite> changeId(InboundRequest request) throws WeftException {
    leadership.require();
    ChangeNfsIdRequest wanted = request.parse(ChangeNfsIdRequest.parser());
    authority.require("change numbers of users", wanted.getUser(), wanted.getGroupsList());
    String name = wanted.getId().getName();
    requireName(name);
    return proposals.record(
        new Command.PutNfsId(
            wanted.getId().getGroup(), Integer.toUnsignedLong(wanted.getId().getNumber()), name));
  }

  CompletionStage<? extends MessageLite> changeGroups(InboundRequest request) throws WeftException {
    leadership.require();
    ChangeNfsGroupsRequest wanted = request.parse(ChangeNfsGroupsRequest.parser());
    authority.require("change groups of users", wanted.getUser(), wanted.getGroupsList());
    requireName(wanted.getMember());
    List<String> groups = List.copyOf(new LinkedHashSet<>(wanted.getOfList()));
    for (String group : groups) {
      requireName(group);
    }
    if (wanted.getMember().isEmpty() || groups.contains("")) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "a name has at least one character");
    }
    return proposals.record(new Command.PutNfsGroups(wanted.getMember(), groups));
  }

  private static void requireName(String name) throws WeftException {
    requirePrintable("a name", name);
    if (name.indexOf('/') >= 0) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "a name must not contain '/'");
    }
    if (name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "a name has at most " + MAX_NAME_BYTES + " bytes");
    }
  }

  private static void requirePrintable(String what, String text) throws WeftException {
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, what + " must not contain a control character");
    }
  }

  CompletionStage<? extends MessageLite> gateway(InboundRequest request) throws WeftException {
    NfsGatewayRequest told = request.parse(NfsGatewayRequest.parser());
    Endpoint address = ReportLimits.addresses(List.of(told.getAddress())).get(0);
    String host = ReportLimits.host(told.getHost());
    if (told.getLeaving()) {
      gateways.left(address.toString());
    } else {
      gateways.heard(address.toString(), row(told, host), environment.ticker().nowNanos());
    }
    Configuration state = configuration.current();
    NfsGatewayReply.Builder reply =
        NfsGatewayReply.newBuilder()
            .setLocksWanted(locksAreWanted())
            .addAllForgotten(forgetting.wishes());
    if (told.getKnownVersion() != state.nfs().version()) {
      Cluster cluster = state.cluster().orElseThrow();
      reply
          .setTable(NfsRows.table(state.nfs()))
          .setHandleKey(
              state
                  .nfs()
                  .handleKey()
                  .map(key -> ByteString.copyFrom(key.bytes()))
                  .orElse(ByteString.EMPTY))
          .setClusterId(cluster.id().value())
          .setSuperuser(cluster.superuser());
    }
    return CompletableFuture.completedFuture(reply.build());
  }

  private boolean locksAreWanted() {
    return locksUntilNanos.isPresent()
        && environment.ticker().nowNanos() - locksUntilNanos.getAsLong() < 0;
  }

  private static NfsGatewayRow row(NfsGatewayRequest told, String host) {
    NfsGatewayRow.Builder row =
        NfsGatewayRow.newBuilder()
            .setAddress(told.getAddress())
            .setHost(host)
            .setInForce(told.getInForce())
            .setCalls(told.getCalls())
            .setManagerId(told.getManagerId())
            .setLocksTold(told.getLocksTold())
            .setLocksTotal(told.getLocksTotal());
    told.getLocksList().stream().limit(MAX_LOCK_ROWS).forEach(row::addLocks);
    told.getClientsList().stream().limit(MAX_CLIENT_ROWS).forEach(row::addClients);
    told.getProblemsList().stream()
        .limit(MAX_PROBLEMS)
        .map(ReportLimits::sentence)
        .forEach(row::addProblems);
    return row.build();
  }

  CompletionStage<? extends MessageLite> show(InboundRequest request) throws WeftException {
    leadership.require();
    boolean locks = request.parse(GetNfsRequest.parser()).getLocks();
    if (locks) {
      locksUntilNanos = OptionalLong.of(environment.ticker().nowNanos() + LOCKS_NANOS);
    }
    return proposals
        .barrier()
        .thenApply(
            done ->
                GetNfsReply.newBuilder()
                    .setTable(NfsRows.table(configuration.current().nfs()))
                    .addAllGateways(
                        NfsRows.gateways(
                            gateways,
                            environment.ticker().nowNanos(),
                            locks,
                            configuration.current()))
                    .addAllWatched(
                        locks
                            ? List.of()
                            : NfsRows.watched(configuration.current().nfs().monitor()))
                    .build());
  }
}
