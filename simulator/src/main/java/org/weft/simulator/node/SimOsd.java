package org.weft.simulator.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.weft.osd.OsdAssembly;
import org.weft.osd.OsdOptions;
import org.weft.osd.check.CheckListener;
import org.weft.osd.check.CheckReport;
import org.weft.osd.check.StoreCheck;
import org.weft.osd.command.turn.BackgroundFigures;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.engine.OsdfsStore;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.base.Violation;
import org.weft.testkit.sim.SimProcess;
import org.weft.testkit.storage.MemoryKeyValueStore;
import org.weft.testkit.storage.MemorySegmentDirectory;

/** An OSD: the production store and service on the disk of a simulated machine. */
public final class SimOsd extends ProcessNode implements SimulatedOsd {
  private static final long JOIN_MILLIS = 30_000;
  private static final long SETTLE_NANOS = 50_000_000;
  private static final long SCRUB_MILLIS = 20_000;
  private static final int MIN_OSDS_WITH_RACKS = 10;
  private static final int OSDS_OF_RACK = 3;
  private static final int RESERVE_BLOCKS = 16;
  private static final long SEGMENT_BYTES = 1L << 20;
  private static final long GROW_BYTES = 1L << 18;

  private final ClusterPlace cluster;
  private final int number;
  private final Endpoint address;
  private final StoreOptions storeOptions;
  private ObjectStore store;
  private OsdAssembly assembly;
  private boolean serving;
  private int knownId;

  public SimOsd(SimContext setting, int number, ClusterPlace cluster) {
    super(setting, "osd-" + number);
    this.number = number;
    this.cluster = cluster;
    this.address = ClusterPlace.at(name(), ClusterPlace.OSD_PORT + number);
    StoreOptions usual =
        new StoreOptions(
            setting.options().osdCapacityBytes(),
            (long) RESERVE_BLOCKS * StoreOptions.BLOCK_BYTES,
            SEGMENT_BYTES,
            GROW_BYTES,
            setting.options().checkpointMillis(),
            setting.options().durability());
    this.storeOptions = setting.options().forgetful() ? usual.withObjectCacheBytes(0) : usual;
  }

  /** Worlds of many OSDs have racks of three. */
  private String rack() {
    return setting().options().osds() < MIN_OSDS_WITH_RACKS
        ? ""
        : "rack-" + (number - 1) / OSDS_OF_RACK;
  }

  @Override
  void run(SimProcess started) {
    Environment environment = started.environment();
    ObjectStore opened;
    try {
      opened =
          OsdfsStore.open(
              storeOptions,
              disk().tables(),
              disk().segments(),
              environment.scheduler(),
              environment.random(),
              environment.bootIdentity());
    } catch (WeftException e) {
      if (started.isAlive() && disk().isSound()) {
        throw new Violation(name() + " cannot open its store: " + e, e);
      }
      exitAndRestart(started, e.toString());
      return;
    }
    if (!started.isAlive()) {
      return;
    }
    store = opened;
    OsdOptions options =
        new OsdOptions(
                Path.of(name()),
                address,
                address,
                cluster.sysmgrs(),
                cluster.joinToken().get(),
                name(),
                OptionalLong.of(storeOptions.capacityBytes()),
                1,
                storeOptions.durability())
            .withJoinTimeoutMillis(JOIN_MILLIS)
            .withScrubPeriodMillis(SCRUB_MILLIS)
            .withPlace(rack(), "");
    assembly =
        new OsdAssembly(
            options, storeOptions.capacityBytes(), opened, OptionalLong::empty, environment);
    var unusedToo = assembly.deposed().thenAccept(why -> exitAndRestart(started, why.getMessage()));
    var unused =
        assembly
            .begin()
            .whenComplete(
                (nothing, failure) -> {
                  if (process() != started) {
                    return;
                  }
                  if (failure == null) {
                    serving = true;
                    note("serves as OSD " + osdId() + ", start " + opened.identity().incarnation());
                  } else {
                    exitAndRestart(started, WeftException.of(failure).toString());
                  }
                });
  }

  @Override
  void gone() {
    var unused = osdId();
    store = null;
    assembly = null;
    serving = false;
  }

  @Override
  void stop(SimProcess asked) {
    if (assembly == null) {
      exit(asked, "stopped before it ran");
      return;
    }
    note("is asked to stop");
    ObjectStore closing = store;
    var unused =
        assembly
            .leave()
            .whenComplete((left, ignored) -> later(asked, () -> finish(asked, closing)));
  }

  private void finish(SimProcess asked, ObjectStore closing) {
    var unused =
        closing
            .checkpointNow()
            .whenComplete(
                (number, ignored) ->
                    later(
                        asked,
                        () -> {
                          closing.close();
                          exit(asked, "stopped");
                        }));
  }

  private void later(SimProcess of, Runnable step) {
    setting().time().after(SETTLE_NANOS, () -> of.run(step));
  }

  @Override
  public int osdId() {
    if (store != null) {
      knownId = store.identity().osd().map(OsdId::value).orElse(0);
    }
    return knownId;
  }

  @Override
  public boolean isServing() {
    return serving;
  }

  @Override
  public boolean isBroken() {
    return store != null && !store.status().problems().isEmpty();
  }

  @Override
  public ObjectStore store() {
    if (store == null) {
      throw new IllegalStateException(name() + " does not run");
    }
    return store;
  }

  @Override
  public BackgroundFigures background() {
    if (assembly == null) {
      throw new IllegalStateException(name() + " does not run");
    }
    return assembly.background();
  }

  @Override
  public MemoryKeyValueStore tables() {
    return disk().tables();
  }

  @Override
  public MemorySegmentDirectory segments() {
    return disk().segments();
  }

  @Override
  public CheckReport check() {
    kill();
    try {
      return StoreCheck.run(tables(), segments(), true, CheckListener.NONE);
    } catch (IOException e) {
      throw new Violation(name() + " holds a store that cannot be checked: " + e, e);
    }
  }
}
