package org.weft.it.simulation.workload;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.it.simulation.world.World;

/** Asks every few seconds that volumes move, while all else goes on. */
final class Mover {
  private static final int LEAST_PAUSE_MILLIS = 300;
  private static final int MOST_MORE_PAUSE_MILLIS = 6_000;

  private final World world;
  private final RandomGenerator random;
  private boolean ended;

  Mover(World world) {
    this.world = world;
    this.random = world.random("when volumes move");
  }

  void start() {
    long millis = LEAST_PAUSE_MILLIS + random.nextInt(MOST_MORE_PAUSE_MILLIS);
    world
        .time()
        .after(
            TimeUnit.MILLISECONDS.toNanos(millis),
            () -> {
              if (!ended) {
                world.moves().any("/");
                start();
              }
            });
  }

  void end() {
    ended = true;
  }
}
