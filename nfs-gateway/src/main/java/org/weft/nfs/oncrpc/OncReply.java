package org.weft.nfs.oncrpc;

/** The result of a call. Either written or dropped, once. */
@FunctionalInterface
public interface OncReply {
  /** Nothing: void. */
  OncReply NOTHING = out -> {};

  /** Writes it, and gives away the payload it has. Must not block. */
  void write(XdrWriter out);

  /** The client is gone: releases the payload it has. */
  default void drop() {}
}
