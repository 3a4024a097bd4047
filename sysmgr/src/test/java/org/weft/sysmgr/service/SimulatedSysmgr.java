package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.AcquireVolumesRequest;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.GetStatusRequest;
import org.weft.protocol.wire.GetTableReply;
import org.weft.protocol.wire.GetTableRequest;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.JoinRequest;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.testkit.replication.FakeReplication;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** SysMgr's members in one thread on virtual time, over the log in memory, and calls to them. */
final class SimulatedSysmgr {
  static final int CALL_MILLIS = 10_000;

  final VirtualTime time;
  final FakeReplication replication = new FakeReplication();
  final List<ReplicatedConfiguration> configurations = new ArrayList<>();

  /** Of the members in their order; this release, as long as a test says nothing else. */
  final List<OlderRelease> releases = new ArrayList<>();

  private final VirtualWire wire;
  private final List<RpcConnection> connections = new ArrayList<>();

  SimulatedSysmgr(long seed, int members) {
    time = new VirtualTime(seed);
    wire = new VirtualWire(time, seed);
    List<Endpoint> addresses = new ArrayList<>();
    for (int id = 1; id <= members; id++) {
      addresses.add(new Endpoint("127.0.0.1", 7300 + id));
    }
    for (int id = 1; id <= members; id++) {
      open(seed, id, addresses);
    }
    replication.elect(1);
  }

  private void open(long seed, int id, List<Endpoint> addresses) {
    Environment environment =
        new Environment(time, time, time, new SplittableRandom(seed + id), wire, () -> "boot");
    ReplicatedConfiguration configuration = new ReplicatedConfiguration();
    configurations.add(configuration);
    Endpoint own = addresses.get(id - 1);
    OlderRelease release = new OlderRelease(id, configuration);
    releases.add(release);
    ReplicatedLog log = replication.open(id, own, release, time.newSerialExecutor("log-" + id));
    SysmgrService service =
        new SysmgrService(
            log,
            configuration,
            environment,
            time.newSerialExecutor("sysmgr-" + id),
            new ClusterBirth("test", "root"),
            new ServicePlace(() -> addresses, () -> ""));
    ListenOptions served =
        ListenOptions.of(
            () -> configuration.current().cluster().map(cluster -> cluster.id()), "sysmgr", 0);
    time.await(wire.listen(own, served, release.desk(service)).toCompletableFuture());
    service.start();
    connections.add(
        time.await(
            wire.connect(own, ConnectOptions.to(Optional.empty(), "test")).toCompletableFuture()));
  }

  Configuration state(int member) {
    return configurations.get(member - 1).current();
  }

  void awaitCluster() {
    time.runUntil("there is a cluster", () -> state(1).cluster().isPresent());
    seconds(0.5);
  }

  void seconds(double count) {
    time.pass((long) (count * TimeUnit.SECONDS.toNanos(1)));
  }

  byte[] secret() {
    return JoinSecret.of(state(1).cluster().orElseThrow().joinToken().bytes());
  }

  CompletableFuture<RpcReply> ask(int member, Opcode opcode, MessageLite body, byte[] secret) {
    return connections
        .get(member - 1)
        .call(new RpcRequest(opcode, body, Payload.EMPTY, CALL_MILLIS, secret));
  }

  <T> T call(int member, Opcode opcode, MessageLite body, Parser<T> parser) throws WeftException {
    try {
      return time.await(ask(member, opcode, body, secret())).parse(parser);
    } catch (CompletionException e) {
      throw WeftException.of(e);
    }
  }

  /** What the call fails with; an assertion error if it does not, or with another code. */
  String failure(ErrorCode code, CompletableFuture<RpcReply> call) {
    time.runUntil("the call is answered", call::isDone);
    try {
      call.join();
    } catch (CompletionException e) {
      WeftException failure = WeftException.of(e);
      if (failure.code() == code) {
        return failure.getMessage();
      }
      throw new AssertionError("expected " + code + ", got " + failure, e);
    }
    throw new AssertionError("expected " + code + ", got an answer");
  }

  static JoinRequest.Builder join(String identity, int port, long incarnation) {
    return JoinRequest.newBuilder()
        .setIdentity(identity)
        .addAddresses(AddressMessage.newBuilder().setHost("127.0.0.1").setPort(port))
        .setHost("host-" + identity)
        .setIncarnation(incarnation)
        .setCapacityBytes(1 << 30);
  }

  JoinReply joinOsd(int member, String identity, int port, long incarnation) throws WeftException {
    return call(
        member, Opcode.JOIN_OSD, join(identity, port, incarnation).build(), JoinReply.parser());
  }

  JoinReply joinManager(int member, String identity, int port) throws WeftException {
    return call(member, Opcode.JOIN_MANAGER, join(identity, port, 0).build(), JoinReply.parser());
  }

  HeartbeatReply beat(int member, HeartbeatRequest.Builder beat) throws WeftException {
    return call(member, Opcode.HEARTBEAT, beat.build(), HeartbeatReply.parser());
  }

  static AcquireVolumesRequest acquisition(int manager, long nonce) {
    return AcquireVolumesRequest.newBuilder().setManagerId(manager).setNonce(nonce).build();
  }

  AcquireVolumesReply acquire(int member, int manager, long nonce) throws WeftException {
    return call(
        member, Opcode.ACQUIRE_VOLUMES, acquisition(manager, nonce), AcquireVolumesReply.parser());
  }

  ClusterTable table(int member) throws WeftException {
    return call(
            member, Opcode.GET_TABLE, GetTableRequest.getDefaultInstance(), GetTableReply.parser())
        .getTable();
  }

  ClusterStatus status(int member) throws WeftException {
    return call(
        member, Opcode.GET_STATUS, GetStatusRequest.getDefaultInstance(), ClusterStatus.parser());
  }
}
