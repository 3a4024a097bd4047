package org.weft.sysmgr.configuration.nfs;

/** Which callers of NFS act as nobody. */
public enum NfsSquash {
  /** User and group 0. */
  ROOT(1),
  ALL(2),

  /** None: user 0 is the superuser. */
  NONE(3);

  private final int number;

  NfsSquash(int number) {
    this.number = number;
  }

  /** As it is stored, and in NfsSquash of sysmgr.proto. */
  public int number() {
    return number;
  }

  /**
   * @throws IllegalArgumentException if this release knows none of that number
   */
  public static NfsSquash of(int number) {
    for (NfsSquash each : values()) {
      if (each.number == number) {
        return each;
      }
    }
    throw new IllegalArgumentException("this release knows no squash " + number);
  }
}
