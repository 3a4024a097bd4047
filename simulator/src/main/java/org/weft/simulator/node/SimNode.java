package org.weft.simulator.node;

/**
 * A daemon or client on a machine of its own. All calls return at once; what they set off happens
 * as virtual time passes.
 */
public interface SimNode {
  /** As in "osd-3", "manager-1", "sysmgr-1", "client-2"; the machine's name too. */
  String name();

  Machine machine();

  /** There is a process, paused or not. */
  boolean isRunning();

  boolean isPaused();

  /** The process runs, and will not serve again before it is started anew: its disk failed it. */
  boolean isBroken();

  /**
   * Starts the process on what its disk holds. It starts at once if there is no process, and after
   * its end if the process was asked to stop. Otherwise nothing happens.
   */
  void start();

  /** {@code kill -9}; nothing if there is no process. */
  void kill();

  /** {@code kill -9} inside a step: before the disk operation of that number from now, from 1. */
  void killAtDiskOperation(int count);

  /** SIGSTOP: no thread of the process runs, and messages to it wait. */
  void pause();

  /** SIGCONT. */
  void resume();

  /** A clean stop, as far as it gets before it is killed; clients just end. */
  void stop();
}
