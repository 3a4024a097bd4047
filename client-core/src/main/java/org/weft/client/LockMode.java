package org.weft.client;

/** How a range is locked. */
public enum LockMode {
  /** Others may have it shared, too. */
  SHARED,
  /** Others may have none of it. */
  EXCLUSIVE;

  static LockMode of(boolean exclusive) {
    return exclusive ? EXCLUSIVE : SHARED;
  }

  boolean isExclusive() {
    return this == EXCLUSIVE;
  }
}
