package org.weft.cli.quickstart;

/** A cluster on this machine that was started and can be stopped. */
interface LocalCluster {
  /** Looks after the daemons; called about once a second. Says on its own what changed. */
  void supervise() throws Exception;

  /** Stops everything cleanly; the data stays. */
  void stop() throws Exception;
}
