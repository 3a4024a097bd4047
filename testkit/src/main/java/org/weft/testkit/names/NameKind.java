package org.weft.testkit.names;

/** What a name leads to. */
public enum NameKind {
  FILE,
  DIRECTORY,
  SYMLINK
}
