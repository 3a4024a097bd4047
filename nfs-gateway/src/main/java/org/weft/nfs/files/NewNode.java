package org.weft.nfs.files;

/** A node to be made that is no regular file. There must be none of the name. */
public sealed interface NewNode permits NewNode.Directory, NewNode.Symlink, NewNode.Special {
  AttributeChange attributes();

  record Directory(AttributeChange attributes) implements NewNode {}

  /**
   * A symbolic link.
   *
   * @param target any bytes but none at all; not looked at
   */
  record Symlink(AttributeChange attributes, byte[] target) implements NewNode {}

  /**
   * A device, socket or FIFO.
   *
   * @param type none of the other types
   */
  record Special(AttributeChange attributes, FileType type, Device device) implements NewNode {
    public Special {
      if (type == FileType.REGULAR || type == FileType.DIRECTORY || type == FileType.SYMLINK) {
        throw new IllegalArgumentException(type + " is no special file");
      }
    }
  }
}
