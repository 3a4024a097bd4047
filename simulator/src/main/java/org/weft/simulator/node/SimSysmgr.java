package org.weft.simulator.node;

import java.util.List;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.base.WorldOptions;
import org.weft.sysmgr.MemberDesk;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.service.ClusterBirth;
import org.weft.sysmgr.service.ServicePlace;
import org.weft.sysmgr.service.SysmgrService;
import org.weft.testkit.raft.RaftDisk;
import org.weft.testkit.sim.SimProcess;

/** A member of SysMgr: the production service and machine over a log in memory. */
public final class SimSysmgr extends SysmgrProcessNode {
  private final int memberId;
  private final ClusterPlace cluster;
  private final Elections elections;
  private ReplicatedConfiguration configuration = new ReplicatedConfiguration();
  private ReplicatedLog log;

  public SimSysmgr(SimContext setting, int memberId, ClusterPlace cluster, Elections elections) {
    super(setting, memberId);
    this.memberId = memberId;
    this.cluster = cluster;
    this.elections = elections;
    elections.takesPart(this);
  }

  int memberId() {
    return memberId;
  }

  @Override
  void run(SimProcess started) {
    Environment environment = started.environment();
    Endpoint own = cluster.sysmgrs().get(memberId - 1);
    ReplicatedConfiguration machine = new ReplicatedConfiguration();
    configuration = machine;
    log =
        elections
            .replication()
            .open(memberId, own, machine, environment.scheduler().newSerialExecutor("log"));
    SysmgrService service =
        new SysmgrService(
            log,
            machine,
            environment,
            environment.scheduler().newSerialExecutor("sysmgr"),
            new ClusterBirth("simulated", WorldOptions.SUPERUSER),
            new ServicePlace(cluster::sysmgrs, () -> ""));
    ListenOptions served =
        ListenOptions.of(
            () -> machine.current().cluster().map(Cluster::id), "sysmgr-" + memberId, 0);
    MemberDesk desk = new MemberDesk(MemberDisk.joined(memberId, new RaftDisk(List.of())));
    desk.open(service);
    var unused = environment.transport().listen(own, served, desk);
    service.start();
    elections.linksChanged();
  }

  @Override
  void gone() {
    try {
      log.close();
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
    elections.changed();
  }

  @Override
  public void pause() {
    boolean pausing = isRunning() && !isPaused();
    super.pause();
    if (pausing) {
      elections.replication().cut(memberId);
      elections.changed();
    }
  }

  @Override
  public void resume() {
    boolean resuming = isPaused();
    super.resume();
    if (resuming) {
      elections.linksChanged();
    }
  }

  @Override
  public void takeLead() {
    elections.elect(this);
  }

  @Override
  public void compact() {
    elections.compact(this);
  }

  @Override
  public boolean isLeader() {
    return isRunning() && log.isLeader();
  }

  @Override
  public Configuration configuration() {
    return configuration.current();
  }
}
