package org.weft.simulator.node;

/** A machine: a boot id, a disk, a wall clock. Faults stay until {@link #repair}. */
public interface Machine {
  String name();

  /**
   * The power goes and comes back: the process ends without a notice, and a part of the unsynced
   * bytes survives. The node is to be started again.
   */
  void losePower();

  /** Keeps a copy of what an OSD has on the disk now. */
  void copyDisk();

  /** Ends the process; the disk is as it was when it was copied. */
  void restoreDisk();

  /** The disk is replaced by an empty one; ends the process like a loss of power. */
  void loseDisk();

  /** Flips a bit of a stored block that is drawn; false if nothing is stored. */
  boolean rot();

  /** Each task that may touch the disk waits for up to that time; 0: as fast as ever. */
  void slowDisk(long mostNanos);

  /** Whatever an OSD is to make durable from now on waits until that time is over. */
  void hangSyncs(long nanos);

  /** The disk allocates no more space, except from the managers' reserve. */
  void fullDisk(boolean full);

  /** The same, and of what is kept for managers there is enough for so many batches. */
  void fullDisk(long urgentBatches);

  /** As many of a thousand writing disk operations fail. */
  void failDisk(int perMille);

  /**
   * Nothing can be written to the disk from now on, and the process goes on.
   *
   * @param foldersToo no file can be made either
   */
  void failWrites(boolean foldersToo);

  /** The wall clock jumps, forth or back. */
  void jumpClock(long millis);

  /** Ends slowness, fullness and failures of the disk; what was lost or rotten stays so. */
  void repair();
}
