package org.weft.metadata.directory;

import org.weft.protocol.id.ObjectId;

/**
 * The blocks of one directory as far as they are in memory. Blocks are {@link DirectoryBlock#BYTES}
 * long and never changed in place, so that a caller may keep those that it got.
 */
public interface BlockView {
  ObjectId directory();

  /** The block, or null if it is not in memory. */
  byte[] read(int number);

  /** Replaces a block, or adds it. */
  void write(int number, byte[] block);
}
