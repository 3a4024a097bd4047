package org.weft.nfs.locks.procedure;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.weft.nfs.locks.LockPeer;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.oncrpc.RpcCredential;

/**
 * Calls of the asynchronous forms whose results have not left yet. There are few of one client and
 * of all, so that clients that are not reached hold little memory and no work without end. A client
 * begins no more than an eighth of the places that are left then. The last places are for clients
 * that have none. It takes some fifty unreachable clients to leave none (P 6.5f.12). Thread-safe.
 */
final class UnansweredMessages {
  static final int MAX = 2_048;
  static final int MAX_OF_CLIENT = 128;

  /** One client has at most one of so many parts of the places that are left. */
  private static final int SHARES = 8;

  /**
   * Identifies a call.
   *
   * @param reserved it came from a port that only the client's superuser can use
   * @param arguments with the client's cookie
   */
  record Message(
      LockPeer peer,
      boolean reserved,
      int procedure,
      RpcCredential credential,
      NlmMessage arguments) {}

  /** Guarded by this, as the count. */
  private final Map<InetAddress, Set<Message>> byClient = new HashMap<>();

  private int count;

  /** False if the same is under way, or too many are: then it must not be carried out. */
  synchronized boolean begin(Message message) {
    InetAddress client = message.peer().client();
    Set<Message> its = byClient.getOrDefault(client, Set.of());
    int most = Math.min(MAX_OF_CLIENT, (MAX - count) / SHARES);
    if (its.size() >= most || its.contains(message)) {
      return false;
    }
    byClient.computeIfAbsent(client, each -> new HashSet<>()).add(message);
    count++;
    return true;
  }

  /** One that was begun. */
  synchronized void end(Message message) {
    InetAddress client = message.peer().client();
    Set<Message> its = byClient.get(client);
    if (!its.remove(message)) {
      throw new IllegalStateException("not under way: " + message);
    }
    count--;
    if (its.isEmpty()) {
      byClient.remove(client);
    }
  }

  synchronized int count() {
    return count;
  }
}
