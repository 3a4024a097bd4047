package org.weft.client.ids;

/** Says how much of a write is on stable storage when it is answered. */
public enum WriteStability {
  /** Perhaps nothing, before a commit. */
  UNSTABLE,

  /** The bytes, their length, and all attributes. */
  STABLE
}
