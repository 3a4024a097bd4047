package org.weft.simulator.node;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.OneCall;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.EnlistMemberReply;
import org.weft.protocol.wire.EnlistMemberRequest;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.base.WorldOptions;
import org.weft.sysmgr.FirstStart;
import org.weft.sysmgr.MemberDesk;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.stored.CommandNumbers;
import org.weft.sysmgr.service.ClusterBirth;
import org.weft.sysmgr.service.ServicePlace;
import org.weft.sysmgr.service.SysmgrService;
import org.weft.testkit.raft.RaftDisk;
import org.weft.testkit.raft.RaftMember;
import org.weft.testkit.sim.SimProcess;

/**
 * A member of SysMgr over a log of its own, as {@code SysmgrDaemon} puts it together: the
 * production's first start, desk, service and machine. Its disk may be lost. Then the machine is of
 * no use until the member was removed and the process is started to join.
 */
public final class VotingSysmgr extends SysmgrProcessNode {
  private static final int LOG_PORT = 100;
  private static final int CALL_MILLIS = 3_000;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final int number;
  private final ClusterPlace cluster;
  private final Quorum quorum;
  private final Endpoint own;
  private Optional<MemberDisk> kept = Optional.empty();
  private boolean joins;
  private boolean refused;
  private ReplicatedConfiguration configuration = new ReplicatedConfiguration();
  private Optional<RaftMember> log = Optional.empty();

  public VotingSysmgr(SimContext setting, int number, ClusterPlace cluster, Quorum quorum) {
    super(setting, number);
    this.number = number;
    this.cluster = cluster;
    this.quorum = quorum;
    this.own = cluster.sysmgrs().get(number - 1);
    quorum.add(this);
  }

  static Member member(int id, Endpoint rpc) {
    return new Member(id, rpc, new Endpoint(rpc.host(), rpc.port() + LOG_PORT));
  }

  /** Which member its disk is of; empty: it is none. */
  public OptionalInt memberId() {
    return kept.map(disk -> OptionalInt.of(disk.memberId())).orElse(OptionalInt.empty());
  }

  /** An operator starts it with an empty directory, to join. */
  public void startToJoin() {
    kill();
    kept = Optional.empty();
    joins = true;
    refused = false;
    start();
  }

  @Override
  public void start() {
    if (!refused) {
      super.start();
    }
  }

  @Override
  void run(SimProcess started) {
    Environment environment = started.environment();
    OwnedExecutor home = environment.scheduler().newSerialExecutor("sysmgr");
    configuration = new ReplicatedConfiguration();
    if (kept.isEmpty() && joins) {
      enlist(started, home, 0);
      return;
    }
    if (kept.isEmpty()) {
      String instance = Long.toHexString(environment.random().nextLong());
      kept = Optional.of(MemberDisk.first(number, instance, new RaftDisk(quorum.first())));
    }
    begin(started, home, kept.get());
  }

  private void begin(SimProcess started, OwnedExecutor home, MemberDisk disk) {
    Environment environment = started.environment();
    List<Endpoint> others =
        cluster.sysmgrs().stream().filter(each -> !disk.joined() && !each.equals(own)).toList();
    FirstStart first = new FirstStart(environment, home, others, disk.memberId(), disk.instance());
    MemberDesk desk = new MemberDesk(disk);
    ReplicatedConfiguration machine = configuration;
    ListenOptions served =
        ListenOptions.of(
            () -> machine.current().cluster().map(Cluster::id), "sysmgr-" + disk.memberId(), 0);
    var unused = environment.transport().listen(own, served, desk);
    if (disk.isReady()) {
      open(environment, home, first, desk, disk);
      return;
    }
    var unusedToo =
        first
            .allNew()
            .whenComplete(
                (seen, failure) -> {
                  if (failure == null) {
                    disk.madeReady(seen);
                    open(environment, home, first, desk, disk);
                  } else {
                    refused = true;
                    exit(started, WeftException.of(failure).getMessage());
                  }
                });
  }

  private void open(
      Environment environment,
      OwnedExecutor home,
      FirstStart first,
      MemberDesk desk,
      MemberDisk disk) {
    quorum.runs(disk.memberId(), name());
    RaftMember opened =
        RaftMember.open(
            member(disk.memberId(), own),
            disk.log(),
            configuration,
            environment,
            quorum.wire(),
            quorum.snapshotEvery());
    log = Optional.of(opened);
    SysmgrService service =
        new SysmgrService(
            opened,
            configuration,
            environment,
            home,
            new ClusterBirth(
                "simulated", WorldOptions.SUPERUSER, first::allReady, Optional.empty()),
            new ServicePlace(
                () -> opened.members().stream().map(Member::rpc).toList(), () -> "", "log"));
    service.whenReady(known -> disk.clusterKnown(known.id()));
    desk.open(service);
    service.start();
  }

  /** As {@code Enlistment}, which blocks. */
  private void enlist(SimProcess started, OwnedExecutor home, int turn) {
    Environment environment = started.environment();
    Member wanted = member(1, own);
    EnlistMemberRequest body =
        EnlistMemberRequest.newBuilder()
            .setRpc(wanted.rpc().toMessage())
            .setLog(wanted.log().toMessage())
            .setCommands(CommandNumbers.NEWEST)
            .build();
    RpcRequest request =
        RpcRequest.proven(
            Opcode.ENLIST_MEMBER, body, CALL_MILLIS, JoinSecret.of(cluster.joinToken().get()));
    Endpoint asked = cluster.sysmgrs().get(turn % cluster.sysmgrs().size());
    var unused =
        OneCall.ask(environment.transport(), asked, "sysmgr", CALL_MILLIS, request)
            .whenCompleteAsync(
                (reply, failure) -> {
                  try {
                    if (failure != null) {
                      throw WeftException.of(failure);
                    }
                    enlisted(started, home, reply.parse(EnlistMemberReply.parser()));
                  } catch (WeftException e) {
                    note("is not enlisted yet: " + e.getMessage());
                    environment
                        .scheduler()
                        .schedule(PAUSE_NANOS, home, () -> enlist(started, home, turn + 1));
                  }
                },
                home);
  }

  private void enlisted(SimProcess started, OwnedExecutor home, EnlistMemberReply reply) {
    note("is enlisted as member " + reply.getMemberId());
    kept = Optional.of(MemberDisk.joined(reply.getMemberId(), new RaftDisk(List.of())));
    begin(started, home, kept.get());
  }

  /** Asks the others for their votes. */
  @Override
  public void takeLead() {
    if (isRunning() && !isPaused()) {
      note("asks for votes");
      log.ifPresent(RaftMember::campaign);
    }
  }

  @Override
  public void compact() {
    if (isRunning() && !isPaused()) {
      note("takes a snapshot");
      log.ifPresent(RaftMember::snapshot);
    }
  }

  @Override
  void gone() {
    log.ifPresent(RaftMember::close);
    log = Optional.empty();
  }

  @Override
  void powerLost() {
    kept.ifPresent(disk -> disk.log().losePower());
  }

  /** Started as before, it would be a first member whose directory is new. */
  @Override
  void diskLost() {
    kept = Optional.empty();
    joins = false;
  }

  @Override
  public boolean isLeader() {
    return isRunning() && log.map(RaftMember::isLeader).orElse(false);
  }

  @Override
  public Configuration configuration() {
    return configuration.current();
  }
}
