package org.weft.sysmgr.replication.ratis;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog;

/**
 * A member of a replicated log on Ratis. A command is answered after a majority has forced it to
 * disk and this member has applied it. A barrier asks a majority whether this member still leads (P
 * 6.2). Thread-safe.
 */
public final class RatisReplicatedLog implements ReplicatedLog {
  /** More than members, each of which may be asked as often as it may be. */
  private static final int MAX_QUESTIONS = 16 * LeaderConfirmation.MAX_QUESTIONS;

  private static final long IDLE_SECONDS = 60;

  private final RatisOptions options;
  private final RaftServer server;
  private final RaftGroupId groupId;
  private final RatisMachine machine;
  private final ClientId clientId;
  private final RatisMembers members;
  private final MemberConnections connections;
  private final CandidateLooks candidates;
  private final ExecutorService questions;
  private final LeaderConfirmation confirmation;
  private final AtomicLong calls = new AtomicLong();

  private RatisReplicatedLog(
      RatisOptions options,
      RaftServer server,
      RaftGroupId groupId,
      RatisMachine machine,
      ClientId clientId,
      RatisMembers members,
      CandidateLooks candidates) {
    this.options = options;
    this.server = server;
    this.groupId = groupId;
    this.machine = machine;
    this.clientId = clientId;
    this.members = members;
    this.candidates = candidates;
    this.connections =
        new MemberConnections(options.memberId(), members::sight, members::giveUpConnection);
    this.questions =
        new ThreadPoolExecutor(
            0,
            MAX_QUESTIONS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            MemberConnections.named("weft-member-" + options.memberId() + "-terms"));
    this.confirmation =
        new LeaderConfirmation(options.memberId(), members::lead, members::term, questions);
  }

  /**
   * Finds the member's log and snapshots, or makes them, and starts. The machine gets its last
   * snapshot before this returns, later entries when a majority is there.
   *
   * @param random names this run of the member, so that its call numbers are new
   * @throws IOException if the directory cannot be used or the address is taken
   */
  public static RatisReplicatedLog start(
      RatisOptions options, Machine machine, RandomGenerator random) throws IOException {
    RatisExit.forbid();
    requireFree(options.listen());
    RaftGroupId groupId = RaftGroupId.valueOf(options.groupId());
    ClientId clientId = ClientId.valueOf(new UUID(random.nextLong(), random.nextLong()));
    RatisMachine adapter = new RatisMachine(machine, clientId);
    RatisMembers members = new RatisMembers(options, groupId);
    CandidateLooks candidates = new CandidateLooks(options.memberId());
    Parameters parameters = new Parameters();
    candidates.in(parameters);
    GrpcConfigKeys.Server.setServicesCustomizer(parameters, new MembersOnly(members::alone));
    RaftServer server =
        RaftServer.newBuilder()
            .setServerId(RatisMembers.peerId(options.memberId()))
            .setGroup(
                RaftGroup.valueOf(
                    groupId, options.members().stream().map(RatisMembers::peer).toList()))
            .setOption(RaftStorage.StartupOption.RECOVER)
            .setProperties(RatisSettings.of(options))
            .setParameters(parameters)
            .setStateMachine(adapter)
            .build();
    members.of(server);
    try {
      server.start();
    } catch (IOException | RuntimeException e) {
      server.close();
      throw explained(options, e);
    }
    RatisReplicatedLog log =
        new RatisReplicatedLog(options, server, groupId, adapter, clientId, members, candidates);
    log.connections.start();
    return log;
  }

  /**
   * Ratis says much and little when its port is taken: the usual case is found before it starts.
   *
   * @throws IOException if the address is taken
   */
  public static void requireFree(Endpoint listen) throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(listen.host(), listen.port()));
    } catch (BindException e) {
      throw taken(listen, e);
    }
  }

  /**
   * Members that this one will follow once they add it, at their addresses of now. Ratis keeps the
   * first address that it hears of a member; without this that is what the log says first.
   */
  public void meet(List<Member> others) {
    server.getServerRpc().addRaftPeers(others.stream().map(RatisMembers::peer).toList());
  }

  private static IOException taken(Endpoint listen, Exception cause) {
    return new IOException(
        "port "
            + listen.port()
            + " for the other SysMgr members ("
            + listen
            + ") cannot be listened on: another process has taken it, or the address is not this"
            + " machine's; free it or choose another",
        cause);
  }

  private static IOException explained(RatisOptions options, Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        return taken(options.listen(), failure);
      }
    }
    return failure instanceof IOException io
        ? io
        : new IOException("the replicated log could not be started: " + failure, failure);
  }

  /**
   * Completes when the member has ended, normally if it was closed, with the reason if its disk or
   * its machine failed.
   */
  public CompletionStage<Void> ended() {
    return machine.shutDown();
  }

  @Override
  public CompletionStage<byte[]> propose(byte[] command) {
    if (command.length > RatisSettings.MAX_COMMAND_BYTES / 2) {
      return CompletableFuture.failedFuture(
          new WeftException(
              ErrorCode.INVALID_ARGUMENT, "a command of " + command.length + " bytes is too long"));
    }
    return submit(
            RaftClientRequest.writeRequestType(), Message.valueOf(ByteString.copyFrom(command)))
        .thenApply(reply -> reply.getMessage().getContent().toByteArray());
  }

  @Override
  public CompletionStage<Void> readBarrier() {
    // A member alone answers reads from its commit index, which is too small until it is ready.
    if (!isLeader()) {
      return CompletableFuture.failedFuture(notLeader());
    }
    return confirmation
        .confirm()
        .thenCompose(led -> submit(RaftClientRequest.readRequestType(), Message.EMPTY))
        .thenAccept(reply -> {});
  }

  private CompletableFuture<RaftClientReply> submit(RaftClientRequest.Type type, Message message) {
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(clientId)
            .setServerId(server.getId())
            .setGroupId(groupId)
            .setCallId(calls.incrementAndGet())
            .setType(type)
            .setMessage(message)
            .build();
    CompletableFuture<RaftClientReply> answered = new CompletableFuture<>();
    try {
      var unused =
          server
              .submitClientRequestAsync(request)
              .whenComplete((reply, failure) -> complete(answered, reply, failure));
    } catch (IOException e) {
      answered.completeExceptionally(RatisFailures.explain(e, this::notLeader));
    }
    return answered;
  }

  private void complete(
      CompletableFuture<RaftClientReply> answered, RaftClientReply reply, Throwable failure) {
    if (failure != null) {
      answered.completeExceptionally(RatisFailures.explain(failure, this::notLeader));
    } else if (!reply.isSuccess()) {
      answered.completeExceptionally(RatisFailures.explain(reply.getException(), this::notLeader));
    } else {
      answered.complete(reply);
    }
  }

  private WeftException notLeader() {
    return new WeftException(
        ErrorCode.NOT_LEADER,
        "SysMgr member "
            + options.memberId()
            + " does not lead; "
            + leader()
                .map(address -> "ask " + address)
                .orElseGet(
                    () ->
                        "no leader is known: a majority of the members ("
                            + members().stream()
                                .map(member -> member.rpc().toString())
                                .collect(Collectors.joining(", "))
                            + ") must run and reach each other"));
  }

  @Override
  public boolean isLeader() {
    return members.info().filter(DivisionInfo::isLeaderReady).isPresent();
  }

  /** One that led until it lost its majority knows no leader. */
  @Override
  public Optional<Endpoint> leader() {
    return members.leader().filter(address -> isLeader() || !address.equals(options.rpc()));
  }

  @Override
  public List<Member> members() {
    return members.members();
  }

  @Override
  public List<Progress> progress() {
    return members.progress();
  }

  @Override
  public CompletionStage<Void> replaceMembers(List<Member> before, List<Member> after) {
    if (!isLeader()) {
      return CompletableFuture.failedFuture(notLeader());
    }
    if (!before.equals(members())) {
      return CompletableFuture.failedFuture(
          new WeftException(
              ErrorCode.UNAVAILABLE, "the members are not " + before + " but " + members()));
    }
    SetConfigurationRequest request =
        new SetConfigurationRequest(
            clientId,
            server.getId(),
            groupId,
            calls.incrementAndGet(),
            after.stream().map(RatisMembers::peer).toList());
    CompletableFuture<RaftClientReply> answered = new CompletableFuture<>();
    try {
      var unused =
          server
              .setConfigurationAsync(request)
              .whenComplete((reply, failure) -> complete(answered, reply, failure));
    } catch (IOException e) {
      answered.completeExceptionally(RatisFailures.explain(e, this::notLeader));
    }
    return answered.thenAccept(reply -> {});
  }

  /** Stops: applies what is committed, writes a snapshot, ends Ratis' threads. */
  @Override
  public void close() throws IOException {
    connections.close();
    questions.shutdown();
    try {
      server.close();
    } finally {
      candidates.close();
    }
  }
}
