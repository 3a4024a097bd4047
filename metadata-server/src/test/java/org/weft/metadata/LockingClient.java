package org.weft.metadata;

import java.util.List;
import java.util.Optional;
import org.weft.client.ClientOptions;
import org.weft.client.LockOwner;
import org.weft.client.LockedFile;
import org.weft.client.WeftClient;
import org.weft.client.WeftPath;
import org.weft.client.volume.KeepLocks;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.SimProcess;

/** A client in a process of its own that locks ranges of files, and may not hear what is pushed. */
final class LockingClient {
  private final ManagerWorld world;
  private final SimProcess process;
  private final WeftClient client;
  private boolean deaf;

  LockingClient(ManagerWorld world, Optional<KeepLocks> keeping) {
    this.world = world;
    this.process = world.newProcess();
    Environment inner = process.environment();
    Environment outer = FilteredPushes.in(inner, () -> !deaf, connection -> {});
    ClientOptions.Builder options =
        ClientOptions.builder(
                List.of(world.sysmgr.address()),
                "weft",
                inner.scheduler().newPool("callbacks", 2, 10_000))
            .groups(List.of("supergroup"))
            .clientName("locker");
    keeping.ifPresent(kept -> options.keepLocks(kept.millis(), kept.key().toByteArray()));
    this.client = world.time.await(WeftClient.connect(options.build(), outer));
  }

  WeftClient client() {
    return client;
  }

  LockedFile open(String path, LockOwner owner) {
    return world.time.await(client.locks().open(WeftPath.of(path), owner));
  }

  /** Nothing that is pushed reaches it from now on. */
  void deafen() {
    deaf = true;
  }

  void kill() {
    process.kill();
  }

  void pause() {
    process.pause();
  }

  void resume() {
    process.resume();
  }
}
