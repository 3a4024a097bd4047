package org.weft.simulator.node;

import java.util.SplittableRandom;
import org.weft.simulator.base.SimContext;
import org.weft.testkit.sim.SimProcess;
import org.weft.testkit.sim.VirtualTime;

/** A machine with one node on it. */
public final class SimMachine implements Machine {
  private static final long MAX_TICKER_OFFSET_NANOS = 1L << 50;

  private final SimContext setting;
  private final String name;
  private final SplittableRandom random;
  private final SimDisk disk;
  private final long tickerOffsetNanos;
  private ProcessNode node;
  private long clockOffsetMillis;
  private long slowNanos;
  private long hangingUntilNanos = Long.MIN_VALUE;
  private int boots = 1;
  private int processes;

  SimMachine(SimContext setting, String name) {
    this.setting = setting;
    this.name = name;
    this.random = setting.random(name);
    this.disk = new SimDisk(random.split());
    this.tickerOffsetNanos = random.nextLong(MAX_TICKER_OFFSET_NANOS);
  }

  /** A machine that gets a disk with what is on it. */
  SimMachine(SimContext setting, String name, SimDisk disk) {
    this.setting = setting;
    this.name = name;
    this.random = setting.random(name);
    this.disk = disk;
    this.tickerOffsetNanos = random.nextLong(MAX_TICKER_OFFSET_NANOS);
  }

  /** Whose process the machine's troubles end. */
  void carries(ProcessNode carried) {
    node = carried;
  }

  SimDisk disk() {
    return disk;
  }

  /** A new process. */
  SimProcess newProcess() {
    VirtualTime time = setting.time();
    processes++;
    String bootId = name + "-boot-" + boots;
    return new SimProcess(
        time,
        setting.wire(),
        new SimProcess.Surroundings(
            name,
            () -> time.nowMillis() + clockOffsetMillis,
            () -> time.nowNanos() + tickerOffsetNanos,
            () -> bootId,
            this::slowness),
        setting.random(name + "/" + processes));
  }

  private long slowness(String executor) {
    if (executor.startsWith("osd-sync-") && setting.time().nowNanos() < hangingUntilNanos) {
      return hangingUntilNanos - setting.time().nowNanos();
    }
    boolean onDisk = executor.startsWith("osd-") || executor.startsWith("journal-");
    return slowNanos > 0 && onDisk ? random.nextLong(slowNanos) : 0;
  }

  @Override
  public String name() {
    return name;
  }

  private void note(String what) {
    setting.trace().note(name, () -> what);
  }

  @Override
  public void losePower() {
    note("LOSES POWER");
    node.vanish();
    disk.powerLost();
    node.powerLost();
    boots++;
  }

  @Override
  public void loseDisk() {
    note("LOSES ITS DISK");
    node.vanish();
    disk.lose();
    node.diskLost();
    boots++;
  }

  @Override
  public void copyDisk() {
    note("its disk is copied");
    disk.copy();
  }

  @Override
  public void restoreDisk() {
    note("ITS DISK IS RESTORED FROM THE COPY");
    node.vanish();
    disk.restore();
  }

  @Override
  public boolean rot() {
    boolean rotten = disk.rot();
    note(rotten ? "A BIT ROTS" : "nothing to rot");
    return rotten;
  }

  @Override
  public void slowDisk(long mostNanos) {
    note("disk slow by up to " + mostNanos / 1_000 + " us");
    slowNanos = mostNanos;
  }

  @Override
  public void hangSyncs(long nanos) {
    note("syncs hang for " + nanos / 1_000_000 + " ms");
    hangingUntilNanos = setting.time().nowNanos() + nanos;
  }

  @Override
  public void fullDisk(boolean full) {
    note(full ? "disk is full" : "disk has room");
    disk.full(full);
  }

  @Override
  public void fullDisk(long urgentBatches) {
    note("disk is full but for " + urgentBatches + " batches of managers");
    disk.full(urgentBatches);
  }

  @Override
  public void failDisk(int perMille) {
    note("disk fails " + perMille + " of 1000 writes");
    disk.failPerMille(perMille);
  }

  @Override
  public void failWrites(boolean foldersToo) {
    note("disk takes no writes any more" + (foldersToo ? ", and no new files" : ""));
    disk.failWrites(foldersToo);
  }

  @Override
  public void jumpClock(long millis) {
    note("clock jumps by " + millis + " ms");
    clockOffsetMillis += millis;
  }

  @Override
  public void repair() {
    slowNanos = 0;
    hangingUntilNanos = Long.MIN_VALUE;
    disk.repair();
  }
}
