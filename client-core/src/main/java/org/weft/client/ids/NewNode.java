package org.weft.client.ids;

import com.google.protobuf.ByteString;

/** A node to be made that is no regular file. There must be nothing of its name. */
public sealed interface NewNode permits NewNode.Directory, NewNode.Symlink, NewNode.Special {
  AttributesWish attributes();

  record Directory(AttributesWish attributes) implements NewNode {}

  /**
   * A symbolic link.
   *
   * @param target 1 to 4,095 bytes without NUL; clients that follow it read it as UTF-8
   */
  record Symlink(AttributesWish attributes, ByteString target) implements NewNode {}

  /**
   * A FIFO, socket or device: attributes alone, kept for clients that know what to do with it.
   *
   * @param type one of these
   * @param major of a device, unsigned
   * @param minor of a device, unsigned
   */
  record Special(AttributesWish attributes, NodeType type, int major, int minor)
      implements NewNode {
    public Special {
      if (type == NodeType.FILE || type == NodeType.DIRECTORY || type == NodeType.SYMLINK) {
        throw new IllegalArgumentException(type + " is no special file");
      }
    }
  }
}
