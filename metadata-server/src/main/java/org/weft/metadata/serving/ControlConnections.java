package org.weft.metadata.serving;

import com.google.protobuf.MessageLite;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcPeer;

/**
 * The connection on which each session hears what nobody asked for, never behind data (P 6.5): the
 * control connection on which it was renewed last. Thread-safe; never blocks. Bounded by the number
 * of connections.
 */
public final class ControlConnections {
  private record Key(PartitionId volume, SessionId session) {}

  private final Map<Key, RpcPeer> peers = new ConcurrentHashMap<>();

  /** The session was renewed on a control connection. */
  public void bind(PartitionId volume, SessionId session, RpcPeer peer) {
    peers.put(new Key(volume, session), peer);
  }

  /** The connection has ended. */
  public void ended(RpcPeer peer) {
    peers.values().removeIf(peer::equals);
  }

  /** Lost if the session has no control connection now. */
  void push(PartitionId volume, SessionId session, Opcode opcode, MessageLite message) {
    RpcPeer peer = peers.get(new Key(volume, session));
    if (peer != null) {
      peer.push(opcode, message);
    }
  }
}
