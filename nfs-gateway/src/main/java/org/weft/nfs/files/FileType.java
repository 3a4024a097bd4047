package org.weft.nfs.files;

/** What a node is. */
public enum FileType {
  REGULAR,
  DIRECTORY,
  SYMLINK,
  BLOCK_DEVICE,
  CHARACTER_DEVICE,
  SOCKET,
  FIFO
}
