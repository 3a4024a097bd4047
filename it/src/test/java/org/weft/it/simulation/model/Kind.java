package org.weft.it.simulation.model;

/** What a name leads to. */
public enum Kind {
  FILE,
  DIRECTORY,
  SYMLINK
}
