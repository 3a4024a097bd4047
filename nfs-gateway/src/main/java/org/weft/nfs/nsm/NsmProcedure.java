package org.weft.nfs.nsm;

/** Procedures by their numbers, C702 section 11.3. */
public enum NsmProcedure {
  NULL(0),
  STAT(1),
  MON(2),
  UNMON(3),
  UNMON_ALL(4),
  SIMU_CRASH(5),
  NOTIFY(6);

  public static final int PROGRAM = 100_024;
  public static final int VERSION = 1;

  private final int number;

  NsmProcedure(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }
}
