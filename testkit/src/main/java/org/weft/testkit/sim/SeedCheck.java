package org.weft.testkit.sim;

/**
 * A check of one module that runs on any seed, and that the simulator runs on many. The tests of
 * the module name it in {@code META-INF/services}, and the simulator finds it on its class path.
 */
public interface SeedCheck {
  /** What is wrong if the check fails, as a clause. */
  String rule();

  /**
   * Runs the check on the calling thread.
   *
   * @throws Exception if the seed shows something wrong; an {@link AssertionError} says the same
   */
  void run(long seed) throws Exception;
}
