package org.weft.simulator.gateway;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.simulator.workload.Histories;
import org.weft.simulator.world.World;

/**
 * A scene with gateways of NFS: its time, its chance, and the lives of the gateways.
 *
 * @param <G> its gateways
 */
abstract class SceneOfGateways<G extends GatewayProcess> implements SideScene {
  private final World world;
  private final Histories histories;
  private final RandomGenerator random;
  private final List<G> gateways = new ArrayList<>();
  private boolean over;
  private boolean left;
  private long endNanos = Long.MAX_VALUE;

  /**
   * @param chance names what is drawn here
   */
  SceneOfGateways(World world, Histories histories, String chance) {
    this.world = world;
    this.histories = histories;
    this.random = world.random(chance);
  }

  static InetAddress address(int... parts) {
    byte[] bytes = new byte[parts.length];
    for (int i = 0; i < parts.length; i++) {
      bytes[i] = (byte) parts[i];
    }
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  final World world() {
    return world;
  }

  final Histories histories() {
    return histories;
  }

  final RandomGenerator random() {
    return random;
  }

  final List<G> gateways() {
    return gateways;
  }

  final List<G> serving() {
    return gateways.stream().filter(GatewayProcess::isServing).toList();
  }

  final long nanos() {
    return world.time().nowNanos();
  }

  final long millis(long from, long to) {
    return TimeUnit.MILLISECONDS.toNanos(from + random.nextLong(to - from + 1));
  }

  final long seconds(long from, long to) {
    return millis(1_000 * from, 1_000 * to);
  }

  final void note(String actor, String what) {
    histories.note(actor, () -> what);
  }

  final void later(long nanos, Runnable task) {
    world
        .time()
        .after(
            nanos,
            () -> {
              try {
                task.run();
              } catch (RuntimeException | Error e) {
                histories.found("something threw", e + " at " + e.getStackTrace()[0]);
              }
            });
  }

  /** It ends after so long. */
  final void endAfter(long seconds) {
    endNanos = nanos() + TimeUnit.SECONDS.toNanos(seconds);
  }

  /** What is begun may depend on its end: to be called again and again. */
  final void lookAtTheTime() {
    over |= nanos() >= endNanos;
  }

  /** Its processes have ended for good. */
  final boolean hasLeft() {
    return left;
  }

  final void restart(G gateway) {
    if (!left) {
      gateway.startIfEnded();
    }
  }

  @Override
  public void end() {
    over = true;
  }

  @Override
  public final boolean isOver() {
    return over;
  }

  @Override
  public final void heal() {
    for (G gateway : gateways) {
      gateway.goOn();
      restart(gateway);
    }
  }

  @Override
  public void leave() {
    left = true;
    gateways.forEach(GatewayProcess::stop);
  }
}
