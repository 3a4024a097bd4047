package org.weft.it.simulation.world;

import java.util.concurrent.TimeUnit;

/** How long a trivial world takes: {@code WorldSpeed FIRST COUNT}. */
final class WorldSpeed {
  private WorldSpeed() {}

  public static void main(String[] args) {
    long first = Long.parseLong(args[0]);
    long count = Long.parseLong(args[1]);
    long begin = System.nanoTime();
    long events = 0;
    long steps = 0;
    for (long seed = first; seed < first + count; seed++) {
      long start = System.nanoTime();
      World world = World.create(WorldOptions.of(seed));
      TrivialWorkload.run(world);
      events += world.trace().events();
      steps += world.time().steps();
      if (count <= 20 || seed % 50 == 0) {
        System.out.printf(
            "seed %d: %.1f ms, %d events, %d steps, %.1f virtual s, hash %016x%n",
            seed,
            (System.nanoTime() - start) / 1e6,
            world.trace().events(),
            world.time().steps(),
            world.time().nowNanos() / 1e9,
            world.trace().hash());
      }
    }
    double millis = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begin) / 1e3;
    System.out.printf(
        "%d worlds, %.2f ms each, %d events, %d steps each%n",
        count, millis / count, events / count, steps / count);
  }
}
