package org.weft.simulator.model;

/** What a name leads to. */
public enum Kind {
  FILE,
  DIRECTORY,
  SYMLINK
}
