package org.weft.nfs.files;

/** What of a write is on stable storage when it is answered. */
public enum Stability {
  /** Perhaps nothing: the caller keeps the bytes until a commit. */
  UNSTABLE,

  /** The bytes, and what it takes to read them again. */
  DATA,

  /** The bytes and all attributes. */
  FILE
}
