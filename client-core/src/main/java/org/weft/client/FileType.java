package org.weft.client;

/** What a path leads to. */
public enum FileType {
  FILE,
  DIRECTORY,
  SYMLINK,

  /** A FIFO, socket or device, made through a gateway: attributes alone, which cannot be opened. */
  SPECIAL
}
