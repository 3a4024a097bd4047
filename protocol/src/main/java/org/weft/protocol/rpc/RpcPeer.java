package org.weft.protocol.rpc;

import com.google.protobuf.MessageLite;

/** A client's connection as the server sees it. Thread-safe; equal only to itself. */
public interface RpcPeer {
  PeerInfo info();

  boolean control();

  /**
   * How many percent of its time an OSD gives to requests of this connection while clients use it.
   * Zero means that they are a client's, or those of a manager of an earlier release.
   */
  default int backgroundPercent() {
    return 0;
  }

  /**
   * Where the connection comes from: a host's address, or the user of a process of this machine, as
   * the kernel names it. Clients of one such place are counted together.
   */
  default String host() {
    return info().address().host();
  }

  /** Sends a message that was not asked for; dropped if the connection has ended. */
  void push(Opcode opcode, MessageLite body);

  /** Ends the connection. */
  void close();
}
