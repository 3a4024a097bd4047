package org.weft.metadata.serving.client;

import com.google.protobuf.MessageLite;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcPeer;

/**
 * The connection on which each session gets pushes, never behind data (P 6.5): the control
 * connection on which it was renewed last. Thread-safe; never blocks. Of each volume it keeps about
 * as many sessions as are open there; see {@link #retain}.
 */
public final class ControlConnections {
  private final Map<PartitionId, Map<SessionId, RpcPeer>> peers = new ConcurrentHashMap<>();
  private final SessionPeers all = new SessionPeers();

  /** A request of the session came by the connection, whether that is for control or not. */
  public void heard(PartitionId volume, SessionId session, RpcPeer peer) {
    all.heard(volume, session, peer);
  }

  /** Sessions of the volume all of whose connections have ended, in ascending order. */
  Set<SessionId> disconnected(PartitionId volume) {
    return all.disconnected(volume);
  }

  /** The session was renewed on a control connection. */
  public void bind(PartitionId volume, SessionId session, RpcPeer peer) {
    peers.computeIfAbsent(volume, each -> new ConcurrentHashMap<>()).put(session, peer);
  }

  /** The connection has ended. */
  public void ended(RpcPeer peer) {
    peers.values().forEach(bound -> bound.values().removeIf(peer::equals));
    all.ended(peer);
  }

  /**
   * Forgets the sessions of a volume that have ended, if there are more here than are open: a
   * connection may outlive any number of sessions. To be called now and then.
   *
   * @param openCount how many sessions of the volume are open
   * @param isOpen true for one of these
   */
  public void retain(PartitionId volume, long openCount, Predicate<SessionId> isOpen) {
    Map<SessionId, RpcPeer> bound = peers.get(volume);
    if (bound != null && bound.size() > openCount) {
      bound.keySet().removeIf(isOpen.negate());
    }
    all.retain(volume, openCount, isOpen);
  }

  /** The volume is not served here any more: all its sessions are forgotten. */
  public void forget(PartitionId volume) {
    peers.remove(volume);
    all.retain(volume, -1, session -> false);
  }

  /** How many sessions have spoken by some connection, of all volumes together. */
  int heardSize() {
    return all.size();
  }

  /** How many volumes have sessions here. */
  int volumes() {
    return peers.size();
  }

  /** How many sessions have a connection, of all volumes together. */
  int size() {
    return peers.values().stream().mapToInt(Map::size).sum();
  }

  /** Lost if the session has no control connection now. */
  void push(PartitionId volume, SessionId session, Opcode opcode, MessageLite message) {
    RpcPeer peer = peers.getOrDefault(volume, Map.of()).get(session);
    if (peer != null) {
      peer.push(opcode, message);
    }
  }
}
