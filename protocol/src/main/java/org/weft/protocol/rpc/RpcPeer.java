package org.weft.protocol.rpc;

import com.google.protobuf.MessageLite;

/** A client's connection as the server sees it. Thread-safe; equal only to itself. */
public interface RpcPeer {
  PeerInfo info();

  boolean control();

  /** Sends a message that nobody asked for; dropped if the connection has ended. */
  void push(Opcode opcode, MessageLite body);

  /** Ends the connection. */
  void close();
}
