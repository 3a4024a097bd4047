package org.weft.metadata.serving.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.testkit.rpc.FakePeer;

/** A session is without connections when the last of those it spoke by has ended. */
class SessionPeersTest {
  private static final PartitionId VOLUME = new PartitionId(1);
  private static final SessionId SESSION = new SessionId(5);

  private final SessionPeers peers = new SessionPeers();
  private final RpcPeer first = FakePeer.client();
  private final RpcPeer second = FakePeer.client();

  private void assertDisconnected(SessionId... sessions) {
    assertEquals(Set.of(sessions), peers.disconnected(VOLUME));
  }

  @Test
  void theLastConnectionCounts() {
    peers.heard(VOLUME, SESSION, first);
    peers.heard(VOLUME, SESSION, second);
    peers.heard(VOLUME, SESSION, second);
    assertDisconnected();
    peers.ended(first);
    assertDisconnected();
    peers.ended(second);
    assertDisconnected(SESSION);
  }

  @Test
  void returningSessionHasAConnection() {
    peers.heard(VOLUME, SESSION, first);
    peers.ended(first);
    peers.heard(VOLUME, SESSION, second);
    assertDisconnected();
  }

  @Test
  void sessionReturningOnASharedConnectionCounts() {
    peers.heard(VOLUME, SESSION, first);
    peers.ended(first);
    for (int i = 0; i < SessionPeers.MAX_SESSIONS_OF_PEER; i++) {
      peers.heard(VOLUME, new SessionId(100 + i), second);
    }
    peers.heard(VOLUME, SESSION, second);
    assertDisconnected();
  }

  /** The end of the old connection may be heard of after the first word on the new one. */
  @Test
  void aNewConnectionBeforeTheEndOfTheOldOneCounts() {
    peers.heard(VOLUME, SESSION, first);
    peers.heard(VOLUME, SESSION, second);
    peers.ended(first);
    assertDisconnected();
  }

  @Test
  void sessionsOfOtherVolumesAreOthers() {
    PartitionId other = new PartitionId(2);
    peers.heard(VOLUME, SESSION, first);
    peers.heard(other, SESSION, second);
    peers.ended(first);
    assertDisconnected(SESSION);
    assertEquals(Set.of(), peers.disconnected(other));
  }

  @Test
  void connectionsWithoutSessionsDoNotCount() {
    peers.ended(first);
    assertDisconnected();
  }

  @Test
  void sessionsThatEndedAreForgotten() {
    SessionId second = new SessionId(6);
    peers.heard(VOLUME, SESSION, first);
    peers.heard(VOLUME, second, first);
    peers.retain(VOLUME, 1, second::equals);
    peers.ended(first);
    assertDisconnected(second);
    peers.retain(VOLUME, 0, session -> false);
    assertDisconnected();
  }

  @Test
  void sessionsOfOneConnectionAreBounded() {
    for (long id = 1; id <= SessionPeers.MAX_SESSIONS_OF_PEER + 10; id++) {
      peers.heard(VOLUME, new SessionId(id), first);
    }
    peers.ended(first);
    assertEquals(SessionPeers.MAX_SESSIONS_OF_PEER, peers.disconnected(VOLUME).size());
  }
}
