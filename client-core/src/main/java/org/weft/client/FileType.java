package org.weft.client;

/** What a path leads to. */
public enum FileType {
  FILE,
  DIRECTORY,
  SYMLINK
}
