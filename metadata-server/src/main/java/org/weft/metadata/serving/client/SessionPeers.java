package org.weft.metadata.serving.client;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.rpc.RpcPeer;

/**
 * By which connections each session has called this manager, and which sessions have none left. The
 * kernel closes the connections of a process that dies at once. So this is a hint that a client is
 * gone, and nothing unsafe may rest on it (P 6.5). A session of which no connection was seen is not
 * among those, for instance after the manager's start.
 *
 * <p>Thread-safe; never blocks for long. Bounded: of one connection no more than {@link
 * #MAX_SESSIONS_OF_PEER} sessions are noted, and {@link #retain} forgets those that have ended.
 */
final class SessionPeers {
  static final int MAX_SESSIONS_OF_PEER = 1_000;

  /** A session of a volume. */
  private record Key(PartitionId volume, SessionId session) {}

  /** Read without the lock, changed under it. */
  private final Map<RpcPeer, Set<Key>> spoken = new ConcurrentHashMap<>();

  // Guarded by this.
  private final Map<Key, Set<RpcPeer>> open = new HashMap<>();
  private final Set<Key> disconnected = new HashSet<>();

  /** A request of the session came by the connection; before the request is executed. */
  void heard(PartitionId volume, SessionId session, RpcPeer peer) {
    Key key = new Key(volume, session);
    Set<Key> known = spoken.get(peer);
    if (known == null || !known.contains(key)) {
      add(key, peer);
    }
  }

  private synchronized void add(Key key, RpcPeer peer) {
    Set<Key> known = spoken.computeIfAbsent(peer, each -> ConcurrentHashMap.newKeySet());
    // Also past the bound: a session that sends requests is not gone; its lease decides that.
    disconnected.remove(key);
    if (known.size() < MAX_SESSIONS_OF_PEER && known.add(key)) {
      open.computeIfAbsent(key, each -> new HashSet<>()).add(peer);
    }
  }

  /** The connection has ended; no request comes by it any more. */
  synchronized void ended(RpcPeer peer) {
    Set<Key> keys = spoken.remove(peer);
    if (keys == null) {
      return;
    }
    for (Key key : keys) {
      Set<RpcPeer> left = open.getOrDefault(key, new HashSet<>());
      left.remove(peer);
      if (left.isEmpty()) {
        open.remove(key);
        disconnected.add(key);
      }
    }
  }

  /** Sessions of the volume all of whose connections have ended, in ascending order. */
  synchronized TreeSet<SessionId> disconnected(PartitionId volume) {
    TreeSet<SessionId> sessions = new TreeSet<>();
    for (Key key : disconnected) {
      if (key.volume().equals(volume)) {
        sessions.add(key.session());
      }
    }
    return sessions;
  }

  /** Sessions of which connections are noted, or that have none left, of all volumes. */
  synchronized int size() {
    return open.size() + disconnected.size();
  }

  /**
   * Forgets sessions of the volume that have ended, if there may be some.
   *
   * @param openCount how many sessions of the volume are open; less than none: look in any case
   */
  synchronized void retain(PartitionId volume, long openCount, Predicate<SessionId> isOpen) {
    Predicate<Key> isOver = key -> key.volume().equals(volume) && !isOpen.test(key.session());
    disconnected.removeIf(isOver);
    if (open.size() > openCount) {
      open.keySet().removeIf(isOver);
      spoken.values().forEach(keys -> keys.removeIf(isOver));
    }
  }
}
