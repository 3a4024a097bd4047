package org.weft.cli.manager;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.CompletionStage;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.client.cluster.PlacementAdmin;
import org.weft.protocol.wire.DrainManagerRequest;

/** What draining a manager and undraining it have in common. */
abstract class DrainAction extends ManagerAction {
  private final boolean undrain;

  DrainAction(boolean undrain) {
    super("drain");
    this.undrain = undrain;
  }

  @Override
  final CompletionStage<?> ask(PlacementAdmin admin, ClusterOptions by, int managerId) {
    return admin.drain(
        DrainManagerRequest.newBuilder()
            .setUser(by.userName())
            .addAllGroups(by.groups())
            .setManagerId(managerId)
            .setUndrain(undrain)
            .build());
  }

  @Override
  final void add(ObjectNode object) {
    object.put("draining", !undrain);
  }

  @Override
  final String sentence(int managerId) {
    return undrain
        ? "manager-" + managerId + " may have volumes again."
        : "manager-" + managerId + " serves no volume, and gets no new ones.";
  }
}
