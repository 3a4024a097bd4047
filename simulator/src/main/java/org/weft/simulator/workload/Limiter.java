package org.weft.simulator.workload;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.client.WeftPath;
import org.weft.client.WeftQuota;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.world.World;

/** Sets and clears quotas on directories every few seconds, beside all other work. */
public final class Limiter {
  private static final int MIN_PAUSE_MILLIS = 100;
  private static final int MAX_MORE_PAUSE_MILLIS = 4_000;
  private static final int MIN_BYTES = 60_000;
  private static final int MAX_BYTES = 600_000;

  private final World world;
  private final ClientWorkload workload;
  private final RandomGenerator random;
  private ClientNode client;
  private boolean ended;

  public Limiter(World world, ClientWorkload workload) {
    this.world = world;
    this.workload = workload;
    this.random = world.random("quotas");
  }

  /**
   * Before any client writes: so that the limit of all there is holds from the first byte on, and
   * is never exceeded.
   */
  public void start(WorldWait patience) {
    client = world.newClient();
    client.start();
    try {
      patience.await(client.connected());
      long hardBytes = (long) MIN_BYTES + random.nextInt(MAX_BYTES);
      var unused =
          patience.await(
              client
                  .files()
                  .setQuota(
                      workload.at("/"), new WeftQuota.Limits(hardBytes, 0, hardBytes / 2, 0)));
    } catch (WeftException e) {
      throw new IllegalStateException("nothing is wrong yet", e);
    }
    next();
  }

  private void next() {
    long millis = (long) MIN_PAUSE_MILLIS + random.nextInt(MAX_MORE_PAUSE_MILLIS);
    world
        .time()
        .after(
            TimeUnit.MILLISECONDS.toNanos(millis),
            () -> {
              if (!ended) {
                change();
                next();
              }
            });
  }

  /** Whatever comes of it: what holds is found in the end. */
  private void change() {
    String path = workload.paths().directory(random);
    if (path.equals("/")) {
      return;
    }
    WeftPath directory = workload.at(path);
    long hardBytes = 1L + random.nextInt(MAX_BYTES);
    WeftQuota.Limits limits =
        random.nextInt(4) == 0
            ? WeftQuota.Limits.NONE
            : new WeftQuota.Limits(hardBytes, 0, hardBytes / 2, 0);
    var unused = client.files().setQuota(directory, limits);
  }

  public void end() {
    ended = true;
    if (client != null) {
      client.stop();
    }
  }
}
