package org.weft.simulator.world;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.client.cluster.BalanceAdmin;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.cluster.MemberAdmin;
import org.weft.client.cluster.PlacementAdmin;
import org.weft.client.cluster.RepairAdmin;
import org.weft.client.cluster.VolumeAdmin;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.BalanceAction;
import org.weft.protocol.wire.BalanceRequest;
import org.weft.protocol.wire.ChangeBladeSetRequest;
import org.weft.protocol.wire.CreateVolumeRequest;
import org.weft.protocol.wire.DeleteVolumeRequest;
import org.weft.protocol.wire.DrainManagerRequest;
import org.weft.protocol.wire.DrainOsdRequest;
import org.weft.protocol.wire.MemberChange;
import org.weft.protocol.wire.MoveVolumeRequest;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.PauseRepairsReply;
import org.weft.protocol.wire.PauseRepairsRequest;
import org.weft.protocol.wire.RecoverVolumeRequest;
import org.weft.protocol.wire.RemoveOsdRequest;
import org.weft.protocol.wire.VolumeOperation;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClusterPlace;
import org.weft.testkit.sim.SimProcess;

/** Makes volumes, on a machine of its own. */
final class Operator {
  private static final String NAME = "operator";
  private static final long SEED = 1;
  private static final int CALL_MILLIS = 5_000;
  private static final int MAX_MILLIS = 30_000;

  private final SimProcess process;
  private final ClusterPlace place;

  Operator(SimContext setting, ClusterPlace place) {
    this(setting, place, SEED);
  }

  /**
   * One of several.
   *
   * @param seed another one for each, so that the requests of one operator differ from those of
   *     others
   */
  Operator(SimContext setting, ClusterPlace place, long seed) {
    this.process = new SimProcess(setting.time(), setting.wire(), NAME, seed);
    this.place = place;
  }

  /** Completes when the volume can be used. */
  CompletableFuture<VolumeOperation> createVolume(String path, int mostParity) {
    return createVolume(path, mostParity, "");
  }

  /** The same, in a BladeSet; empty: the default one. */
  CompletableFuture<VolumeOperation> createVolume(String path, int mostParity, String bladeSet) {
    return admin()
        .thenCompose(
            admin ->
                admin.create(
                    CreateVolumeRequest.newBuilder()
                        .setUser(WorldOptions.SUPERUSER)
                        .setPath(path)
                        .setMaxParity(mostParity)
                        .setBladeSet(bladeSet)
                        .build()));
  }

  /** Completes when the volume is gone. */
  CompletableFuture<VolumeOperation> deleteVolume(String path) {
    return admin()
        .thenCompose(
            admin ->
                admin.delete(
                    DeleteVolumeRequest.newBuilder()
                        .setUser(WorldOptions.SUPERUSER)
                        .setPath(path)
                        .build()));
  }

  /** Completes when that manager is the primary of the volume. */
  CompletableFuture<Void> moveVolume(String path, int manager) {
    return placement()
        .thenCompose(
            admin ->
                admin.move(
                    MoveVolumeRequest.newBuilder()
                        .setUser(WorldOptions.SUPERUSER)
                        .setPath(path)
                        .setManagerId(manager)
                        .build()));
  }

  /** Completes when it is recorded that the volume is to be recovered from its OSDs. */
  CompletableFuture<Void> recoverVolume(String path) {
    return placement()
        .thenCompose(
            admin ->
                admin.recover(
                    RecoverVolumeRequest.newBuilder()
                        .setUser(WorldOptions.SUPERUSER)
                        .setPath(path)
                        .build()));
  }

  /** Completes when that manager has no volume, or may have volumes again. */
  CompletableFuture<Void> drain(int manager, boolean undrain) {
    return placement()
        .thenCompose(
            admin ->
                admin.drain(
                    DrainManagerRequest.newBuilder()
                        .setUser(WorldOptions.SUPERUSER)
                        .setManagerId(manager)
                        .setUndrain(undrain)
                        .build()));
  }

  /** Completes when it is recorded that the OSD is drained, or is not. */
  CompletableFuture<Void> drainOsd(int osd, boolean undrain) {
    return placement()
        .thenCompose(
            admin ->
                admin.drainOsd(
                    DrainOsdRequest.newBuilder()
                        .setUser(WorldOptions.SUPERUSER)
                        .setOsdId(osd)
                        .setUndrain(undrain)
                        .build()));
  }

  /** Completes when the BladeSets are so. */
  CompletableFuture<Void> changeBladeSet(ChangeBladeSetRequest.Builder wanted) {
    return placement()
        .thenCompose(admin -> admin.changeBladeSet(wanted.setUser(WorldOptions.SUPERUSER).build()));
  }

  /** Completes when it is recorded that a balance starts, rests, goes on or ends. */
  CompletableFuture<Void> balance(String bladeSet, BalanceAction action, int bandPpm) {
    OwnedExecutor home = process.environment().scheduler().newSerialExecutor(NAME);
    return view(home)
        .thenCompose(
            view ->
                new BalanceAdmin(view)
                    .change(
                        BalanceRequest.newBuilder()
                            .setUser(WorldOptions.SUPERUSER)
                            .setBladeSet(bladeSet)
                            .setAction(action)
                            .setBandPpm(bandPpm)
                            .build()));
  }

  /** Completes when it is recorded that rebuilds pause for an hour, or go on. */
  CompletableFuture<PauseRepairsReply> pauseRepairs(boolean resume) {
    OwnedExecutor home = process.environment().scheduler().newSerialExecutor(NAME);
    return view(home)
        .thenCompose(
            view ->
                new RepairAdmin(view)
                    .change(
                        PauseRepairsRequest.newBuilder()
                            .setUser(WorldOptions.SUPERUSER)
                            .setResume(resume)
                            .setReason("a switch")
                            .setForMillis(TimeUnit.HOURS.toMillis(1))
                            .build()));
  }

  /** Completes when it is recorded that the OSD does not come back. */
  CompletableFuture<Void> removeOsd(int osd) {
    return placement()
        .thenCompose(
            admin ->
                admin.remove(
                    RemoveOsdRequest.newBuilder()
                        .setUser(WorldOptions.SUPERUSER)
                        .setOsdId(osd)
                        .build()));
  }

  /** Completes when the member votes no more, or does. */
  CompletableFuture<MemberChange> changeMember(int member, boolean removal) {
    OwnedExecutor home = process.environment().scheduler().newSerialExecutor(NAME);
    return view(home)
        .thenCompose(
            view -> {
              MemberAdmin admin =
                  new MemberAdmin(
                      view, process.environment(), home, MAX_MILLIS, place.joinToken().get());
              return removal ? admin.remove(member) : admin.add(member);
            });
  }

  /** Removes the OSDs of the table that are none of these. */
  CompletableFuture<Void> removeAllBut(Set<Integer> there) {
    OwnedExecutor home = process.environment().scheduler().newSerialExecutor(NAME);
    return view(home)
        .thenCompose(
            view -> {
              PlacementAdmin admin =
                  new PlacementAdmin(view, process.environment(), home, MAX_MILLIS);
              CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
              for (OsdRow row : view.table().getOsdsList()) {
                if (!row.getRemoved() && !there.contains(row.getOsdId())) {
                  RemoveOsdRequest lost =
                      RemoveOsdRequest.newBuilder()
                          .setUser(WorldOptions.SUPERUSER)
                          .setOsdId(row.getOsdId())
                          .setForce(true)
                          .build();
                  done = done.thenCompose(nothing -> admin.remove(lost));
                }
              }
              return done;
            });
  }

  private CompletableFuture<PlacementAdmin> placement() {
    OwnedExecutor home = process.environment().scheduler().newSerialExecutor(NAME);
    return view(home)
        .thenApply(view -> new PlacementAdmin(view, process.environment(), home, MAX_MILLIS));
  }

  private CompletableFuture<VolumeAdmin> admin() {
    OwnedExecutor home = process.environment().scheduler().newSerialExecutor(NAME);
    return view(home)
        .thenApply(view -> new VolumeAdmin(view, process.environment(), home, MAX_MILLIS));
  }

  private CompletableFuture<ClusterView> view(OwnedExecutor home) {
    ClusterViewOptions options =
        new ClusterViewOptions(
            place.sysmgrs(), Optional.empty(), NAME, CALL_MILLIS, MAX_MILLIS, CALL_MILLIS, false);
    return ClusterView.open(options, process.environment(), home);
  }

  void leave() {
    process.kill();
  }
}
