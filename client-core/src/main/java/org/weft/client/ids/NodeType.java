package org.weft.client.ids;

/** What a node is. */
public enum NodeType {
  FILE,
  DIRECTORY,
  SYMLINK,
  FIFO,
  SOCKET,
  CHARACTER_DEVICE,
  BLOCK_DEVICE
}
