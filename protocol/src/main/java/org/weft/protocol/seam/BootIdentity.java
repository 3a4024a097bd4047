package org.weft.protocol.seam;

import java.nio.file.Path;

/**
 * Tells one life of a machine's page cache from another: an unclean stop that the page cache
 * outlived lost nothing (P 5.9). The page cache goes with the kernel, and with the file system that
 * is mounted.
 */
@FunctionalInterface
public interface BootIdentity {
  /** The same string for as long as the machine's kernel runs; another after each boot. */
  String bootId();

  /**
   * The same string for as long as the file system of a directory stays mounted, wherever and how
   * often; another after it was mounted anew. Empty where that cannot be told.
   */
  default String mountId(Path directory) {
    return "";
  }

  /**
   * The same string for a directory and its moves within one file system; another for a copy of it.
   * Empty where that cannot be told.
   */
  default String folderId(Path directory) {
    return "";
  }
}
