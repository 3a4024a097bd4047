package org.weft.cli.quickstart;

/** A cluster on this machine that was started and can be stopped. */
interface LocalCluster {
  /** Looks after the daemons; called about once a second. Says on its own what changed. */
  void supervise() throws Exception;

  /**
   * Refuses to go on with the first start of a cluster that cannot succeed: a daemon that its root
   * volume waits for has ended. Later starts do with what there is.
   *
   * @throws org.weft.cli.output.CommandFailure with its name and what it said last
   */
  void requireRunning() throws Exception;

  /** Stops everything cleanly; the data stays. */
  void stop() throws Exception;
}
