package org.weft.nfs.exports;

/** Which callers act as the anonymous user. */
public enum Squash {
  /** User and group 0. */
  ROOT,

  /** All. */
  ALL,

  /** None; user 0 is the superuser. */
  NONE
}
