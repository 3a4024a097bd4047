package org.weft.osd.membership;

/**
 * What this OSD knows of its quarantine (P 5.8).
 *
 * @param number of the last one; 0: there was none
 * @param active it lasts: clients are refused
 */
record QuarantineKnown(long number, boolean active) {
  static final QuarantineKnown NONE = new QuarantineKnown(0, false);

  /**
   * After SysMgr has said this. An answer may be old: no quarantine begins twice, and none ends
   * that is newer than what the answer speaks of.
   */
  QuarantineKnown heard(long otherNumber, boolean otherActive) {
    boolean newer = otherNumber > number;
    boolean ended = otherNumber == number && !otherActive;
    return newer || ended ? new QuarantineKnown(otherNumber, otherActive) : this;
  }
}
