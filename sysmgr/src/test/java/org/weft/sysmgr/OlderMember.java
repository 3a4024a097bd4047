package org.weft.sysmgr;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.OpenParts;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.stored.CommandNumbers;
import org.weft.sysmgr.replication.ratis.RatisOptions;
import org.weft.sysmgr.replication.ratis.RatisReplicatedLog;
import org.weft.sysmgr.service.ClusterBirth;
import org.weft.sysmgr.service.OlderRelease;
import org.weft.sysmgr.service.ServicePlace;
import org.weft.sysmgr.service.SysmgrService;
import org.weft.sysmgr.storage.MemberDirectory;

/**
 * A member of the release before the numbers of commands, in the data directory of one that a
 * {@link SysmgrDaemon} has made: it tells no number, and stops at a command that it does not know.
 */
final class OlderMember implements AutoCloseable {
  private final OpenParts parts = new OpenParts();
  private final RatisReplicatedLog log;

  private OlderMember(
      Path data, int id, List<SysmgrMember> members, Environment environment, int snapshotEvery)
      throws Exception {
    String first =
        members.stream()
            .map(each -> each.memberId() + "@" + each.ratis())
            .sorted()
            .collect(Collectors.joining(","));
    MemberDirectory directory = MemberDirectory.open(data, id, "test", first, new UUID(1, 1));
    parts.add(directory);
    OwnedExecutor home = environment.scheduler().newSerialExecutor("older");
    parts.add(home);
    ReplicatedConfiguration configuration = new ReplicatedConfiguration();
    OlderRelease release = new OlderRelease(id, configuration);
    release.understands(CommandNumbers.OLDEST);
    SysmgrMember self = members.get(id - 1);
    RatisOptions options =
        new RatisOptions(
            directory.log(),
            directory.group(),
            id,
            members.stream()
                .map(each -> new Member(each.memberId(), each.rpc(), each.ratis()))
                .toList(),
            self.rpc(),
            self.ratis(),
            snapshotEvery);
    log = RatisReplicatedLog.start(options, release, environment.random());
    parts.add(log);
    List<Endpoint> addresses = members.stream().map(SysmgrMember::rpc).toList();
    SysmgrService service =
        new SysmgrService(
            log,
            configuration,
            environment,
            home,
            new ClusterBirth("test", "root"),
            new ServicePlace(() -> addresses, () -> ""));
    parts.add(service::close);
    ListenOptions served =
        ListenOptions.of(() -> configuration.current().cluster().map(Cluster::id), "older", 0);
    parts.add(
        StageResults.get(
            environment.transport().listen(self.rpc(), served, release.desk(service))));
    service.start();
  }

  /** Starts it, where no process uses the directory. */
  static OlderMember start(
      Path data, int id, List<SysmgrMember> members, Environment environment, int snapshotEvery)
      throws Exception {
    return new OlderMember(data, id, members, environment, snapshotEvery);
  }

  boolean isLeader() {
    return log.isLeader();
  }

  /** Completes when it has stopped. */
  CompletionStage<Void> ended() {
    return log.ended();
  }

  @Override
  public void close() throws IOException {
    parts.close();
  }
}
