package org.weft.sysmgr.configuration;

import java.util.List;
import org.weft.protocol.layout.FaultDomain;
import org.weft.sysmgr.bladeset.BladeSet;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Partition;
import org.weft.sysmgr.configuration.volume.Volume;

/** Makes the cluster: its id and token, the default BladeSet, the root volume and its first key. */
final class FormatRule {
  private static final int FIRST_KEY_VERSION = 1;

  private FormatRule() {}

  static Decision decide(Configuration state, Command.Format command) {
    if (state.cluster().isPresent()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.cluster(
        new Cluster(
            command.clusterId(),
            command.clusterName(),
            command.joinToken(),
            command.superuser(),
            command.nowMillis()));
    draft.bladeSets.put(
        Configuration.DEFAULT_BLADE_SET,
        BladeSet.of(Configuration.DEFAULT_BLADE_SET, FaultDomain.Wish.AUTO));
    draft.volumes.put(Volume.ROOT, Volume.root(Configuration.DEFAULT_BLADE_SET));
    List<Partition.Key> keys = List.of(new Partition.Key(FIRST_KEY_VERSION, command.rootKey()));
    draft.partitions.put(Volume.ROOT, new Partition(Volume.ROOT, keys, 0));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }
}
