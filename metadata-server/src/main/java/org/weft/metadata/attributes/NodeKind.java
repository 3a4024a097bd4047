package org.weft.metadata.attributes;

import org.weft.protocol.wire.FileKind;

/** What a name leads to. */
public enum NodeKind {
  FILE(FileKind.FILE),
  DIRECTORY(FileKind.DIRECTORY),
  SYMLINK(FileKind.SYMLINK),
  VOLUME(FileKind.VOLUME);

  private static final NodeKind[] KINDS = values();

  private final FileKind message;

  NodeKind(FileKind message) {
    this.message = message;
  }

  public FileKind toMessage() {
    return message;
  }

  /** The number in directory blocks and schemas: 1..4. */
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
