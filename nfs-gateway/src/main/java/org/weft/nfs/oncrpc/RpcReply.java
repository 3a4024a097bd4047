package org.weft.nfs.oncrpc;

/** The result of a call. Either written or dropped, once. */
@FunctionalInterface
public interface RpcReply {
  /** Nothing: void. */
  RpcReply NOTHING = out -> {};

  /** Writes it, and gives away the payload it has. Must not block. */
  void write(XdrWriter out);

  /** There is nobody to send it to any more: releases the payload it has. */
  default void drop() {}
}
