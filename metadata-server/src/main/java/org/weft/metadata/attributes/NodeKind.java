package org.weft.metadata.attributes;

import org.weft.protocol.wire.FileKind;

/** What a name leads to. */
public enum NodeKind {
  FILE(FileKind.FILE),
  DIRECTORY(FileKind.DIRECTORY),
  SYMLINK(FileKind.SYMLINK),
  VOLUME(FileKind.VOLUME),
  FIFO(FileKind.FIFO),
  SOCKET(FileKind.SOCKET),
  CHARACTER_DEVICE(FileKind.CHARACTER_DEVICE),
  BLOCK_DEVICE(FileKind.BLOCK_DEVICE);

  private static final NodeKind[] KINDS = values();

  private final FileKind message;

  NodeKind(FileKind message) {
    this.message = message;
  }

  /** Attributes alone: neither bytes nor entries, and nowhere to lead to. */
  public boolean isSpecial() {
    return switch (this) {
      case FIFO, SOCKET, CHARACTER_DEVICE, BLOCK_DEVICE -> true;
      case FILE, DIRECTORY, SYMLINK, VOLUME -> false;
    };
  }

  public FileKind toMessage() {
    return message;
  }

  /** The number in directory blocks and schemas: 1..8. */
  public int number() {
    return message.getNumber();
  }

  /** The kind of that message; an unknown one is an {@link IllegalArgumentException}. */
  public static NodeKind fromMessage(FileKind message) {
    for (NodeKind kind : KINDS) {
      if (kind.message == message) {
        return kind;
      }
    }
    throw new IllegalArgumentException("no kind of node is " + message);
  }

  public static boolean isNumber(int number) {
    return number >= 1 && number <= KINDS.length;
  }

  /** The kind of that number; an unknown one is an {@link IllegalArgumentException}. */
  public static NodeKind of(int number) {
    for (NodeKind kind : KINDS) {
      if (kind.number() == number) {
        return kind;
      }
    }
    throw new IllegalArgumentException("no kind of node has number " + number);
  }
}
