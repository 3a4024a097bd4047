package org.weft.simulator.workload;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.world.World;

/** Lets virtual time pass until something has happened, but not for ever. */
public final class WorldWait {
  private static final long STEP_MILLIS = 10;

  private final World world;
  private final long mostMillis;

  public WorldWait(World world, long mostMillis) {
    this.world = world;
    this.mostMillis = mostMillis;
  }

  /** False if it does not happen. */
  public boolean until(BooleanSupplier condition) {
    for (long waited = 0; !condition.getAsBoolean(); waited += STEP_MILLIS) {
      if (waited >= mostMillis) {
        return false;
      }
      world.pass(STEP_MILLIS);
    }
    return true;
  }

  /** What the future completes with; DEADLINE_EXCEEDED if it does not. */
  public <T> T await(CompletableFuture<T> future) throws WeftException {
    if (!until(future::isDone)) {
      throw new WeftException(
          ErrorCode.DEADLINE_EXCEEDED, "no answer within " + mostMillis + " virtual ms");
    }
    try {
      return future.join();
    } catch (RuntimeException e) {
      throw WeftException.of(e);
    }
  }
}
