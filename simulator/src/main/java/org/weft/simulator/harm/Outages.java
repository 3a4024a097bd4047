package org.weft.simulator.harm;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.simulator.node.SimNode;
import org.weft.simulator.workload.ClientWorker;
import org.weft.simulator.world.World;

/**
 * Harm that is over after a while: processes that are killed and started again, and whatever else
 * is repaired later. Nothing is repaired any more once all harm has ended.
 */
final class Outages {
  private static final int SHORT_MILLIS = 2_000;
  private static final int LONG_MILLIS = 14_000;

  private final World world;
  private final RandomGenerator random;
  private final boolean gentle;
  private boolean over;

  /**
   * @param gentle no outage is long enough for a node to be given up
   */
  Outages(World world, RandomGenerator random, boolean gentle) {
    this.world = world;
    this.random = random;
    this.gentle = gentle;
  }

  /** What is wrong now stays so. */
  void end() {
    over = true;
  }

  boolean areOver() {
    return over;
  }

  /** Writes a line of the trace. */
  void note(String what) {
    world.trace().note("saboteur", () -> what);
  }

  /** How long a fault lasts, in nanoseconds: most are over soon. */
  long lasting() {
    int most = gentle || random.nextInt(3) != 0 ? SHORT_MILLIS : LONG_MILLIS;
    return TimeUnit.MILLISECONDS.toNanos(random.nextInt(most));
  }

  void afterwards(Runnable repair) {
    afterwards(lasting(), repair);
  }

  void afterwards(long nanos, Runnable repair) {
    world
        .time()
        .after(
            nanos,
            () -> {
              if (!over) {
                repair.run();
              }
            });
  }

  void startAgain(SimNode node) {
    afterwards(
        () -> {
          if (!node.isRunning()) {
            note("start " + node.name());
          }
          node.start();
        });
  }

  /** False if it does not run. */
  boolean kill(SimNode node) {
    if (!node.isRunning()) {
      return false;
    }
    note("kill " + node.name());
    node.kill();
    startAgain(node);
    return true;
  }

  /** False if it is not connected. */
  boolean kill(ClientWorker worker) {
    if (!worker.isConnected()) {
      return false;
    }
    note("kill " + worker.node().name());
    worker.kill();
    afterwards(
        () -> {
          if (!worker.node().isRunning()) {
            worker.start();
          }
        });
    return true;
  }

  void resume(SimNode node) {
    if (node.isPaused()) {
      note("resume " + node.name());
      node.resume();
    }
  }
}
