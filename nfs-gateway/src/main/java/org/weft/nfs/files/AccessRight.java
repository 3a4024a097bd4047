package org.weft.nfs.files;

/** What a caller may want to do with a node. */
public enum AccessRight {
  /** Read a file, list a directory. */
  READ,

  /** Look a name up. */
  LOOK_UP,

  /** Change bytes that are there; change entries of a directory. */
  MODIFY,

  /** Add bytes or entries. */
  EXTEND,

  /** Remove entries of a directory. */
  DELETE,

  /** Run a file. */
  EXECUTE
}
