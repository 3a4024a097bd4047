package org.weft.simulator.workload;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.simulator.world.World;

/** Asks every few seconds for moves of volumes, beside all other work. */
public final class Mover {
  private static final int MIN_PAUSE_MILLIS = 300;
  private static final int MAX_MORE_PAUSE_MILLIS = 6_000;

  private final World world;
  private final RandomGenerator random;
  private boolean ended;

  public Mover(World world) {
    this.world = world;
    this.random = world.random("when volumes move");
  }

  public void start() {
    long millis = (long) MIN_PAUSE_MILLIS + random.nextInt(MAX_MORE_PAUSE_MILLIS);
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

  public void end() {
    ended = true;
  }
}
