package org.weft.it.simulation.world;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.cluster.VolumeAdmin;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.CreateVolumeRequest;
import org.weft.protocol.wire.VolumeOperation;
import org.weft.testkit.sim.SimProcess;

/** Who makes volumes, on a machine of his own. */
final class Operator {
  private static final String NAME = "operator";
  private static final long SEED = 1;
  private static final int CALL_MILLIS = 5_000;
  private static final int MOST_MILLIS = 30_000;

  private final SimProcess process;
  private final ClusterPlace place;

  Operator(Setting setting, ClusterPlace place) {
    this.process = new SimProcess(setting.time(), setting.wire(), NAME, SEED);
    this.place = place;
  }

  /** Completes when the volume can be used. */
  CompletableFuture<VolumeOperation> createVolume(String path, int mostParity) {
    Environment environment = process.environment();
    OwnedExecutor home = environment.scheduler().newSerialExecutor(NAME);
    ClusterViewOptions options =
        new ClusterViewOptions(
            place.sysmgrs(), Optional.empty(), NAME, CALL_MILLIS, MOST_MILLIS, CALL_MILLIS, false);
    return ClusterView.open(options, environment, home)
        .thenCompose(
            view ->
                new VolumeAdmin(view, environment, home, MOST_MILLIS)
                    .create(
                        CreateVolumeRequest.newBuilder()
                            .setUser(World.SUPERUSER)
                            .setPath(path)
                            .setMaxParity(mostParity)
                            .build()));
  }

  void leave() {
    process.kill();
  }
}
