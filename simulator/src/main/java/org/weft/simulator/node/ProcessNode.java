package org.weft.simulator.node;

import java.util.concurrent.TimeUnit;
import org.weft.simulator.base.SimContext;
import org.weft.testkit.sim.SimProcess;

/** A node, as far as it is a process on a machine. */
public abstract class ProcessNode implements SimNode {
  private static final long RESTART_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final SimContext setting;
  private final SimMachine machine;
  private SimProcess process;
  private SimProcess stopping;

  /** A moment after it has ended by itself. */
  private boolean startsAgain;

  private int life;

  ProcessNode(SimContext setting, String name) {
    this.setting = setting;
    this.machine = new SimMachine(setting, name);
    machine.carries(this);
  }

  /** On a machine whose disk was another one's. */
  ProcessNode(SimContext setting, String name, SimDisk disk) {
    this.setting = setting;
    this.machine = new SimMachine(setting, name, disk);
    machine.carries(this);
  }

  SimContext setting() {
    return setting;
  }

  SimDisk disk() {
    return machine.disk();
  }

  SimProcess process() {
    return process;
  }

  void note(String what) {
    setting.trace().note(name(), () -> what);
  }

  /** Begins what the process does, in its first step. */
  abstract void run(SimProcess started);

  /** Asks the process to end in good order; it does so with {@link #exit}, at once or later. */
  abstract void stop(SimProcess asked);

  /** The process is gone: what belonged to it is to be forgotten. */
  abstract void gone();

  /** The machine has lost its power: what was not synced is gone. */
  void powerLost() {}

  /** The machine has another disk, with nothing on it. */
  void diskLost() {}

  @Override
  public String name() {
    return machine.name();
  }

  @Override
  public SimMachine machine() {
    return machine;
  }

  @Override
  public boolean isRunning() {
    return process != null;
  }

  @Override
  public boolean isPaused() {
    return process != null && process.isPaused();
  }

  /** Counts processes. */
  public int life() {
    return life;
  }

  /** To start what is still stopping is to start it once it has stopped, as a supervisor would. */
  @Override
  public void start() {
    if (process != null) {
      startsAgain = process == stopping;
      return;
    }
    startsAgain = false;
    life++;
    note("starts");
    SimProcess started = machine.newProcess();
    process = started;
    run(started);
  }

  @Override
  public void stop() {
    if (process != null) {
      stopping = process;
      stop(process);
    }
  }

  @Override
  public void kill() {
    startsAgain = false;
    if (process != null) {
      note("is KILLED");
      SimProcess dying = process;
      process = null;
      dying.kill();
      diskAfterDeath();
      gone();
    }
  }

  /** What the process leaves on its disk; nothing is the same for those that still use it. */
  void diskAfterDeath() {
    disk().processDied();
  }

  /** The machine is gone under it; the disk is the caller's affair. */
  void vanish() {
    startsAgain = false;
    if (process != null) {
      SimProcess dying = process;
      process = null;
      dying.vanish();
      gone();
    }
  }

  @Override
  public void killAtDiskOperation(int count) {
    SimProcess doomed = process;
    if (doomed != null) {
      disk()
          .killAt(
              count,
              () -> {
                if (process == doomed) {
                  kill();
                }
              });
    }
  }

  @Override
  public void pause() {
    if (process != null && !process.isPaused()) {
      note("is STOPPED");
      process.pause();
    }
  }

  @Override
  public void resume() {
    if (process != null && process.isPaused()) {
      note("continues");
      process.resume();
    }
  }

  /** Ends the process in the way of {@code kill}, if it is still that one. */
  void exit(SimProcess leaving, String why) {
    if (process == leaving) {
      note("exits: " + why);
      process = null;
      leaving.kill();
      diskAfterDeath();
      gone();
      if (startsAgain) {
        setting.time().after(RESTART_NANOS, this::start);
      }
    }
  }

  /** As a supervisor of services would: a moment later. */
  void exitAndRestart(SimProcess leaving, String why) {
    if (process == leaving) {
      startsAgain = true;
      exit(leaving, why);
    }
  }
}
