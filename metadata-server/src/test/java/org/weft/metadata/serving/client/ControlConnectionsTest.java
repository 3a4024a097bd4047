package org.weft.metadata.serving.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.Empty;
import org.weft.testkit.rpc.FakePeer;

/** The connection on which a session hears what it did not ask for (P 6.5). */
class ControlConnectionsTest {
  private static final PartitionId VOLUME = new PartitionId(1);
  private static final PartitionId OTHER = new PartitionId(2);

  private final ControlConnections connections = new ControlConnections();

  private static SessionId session(long id) {
    return new SessionId(id);
  }

  private void push(PartitionId volume, long session) {
    connections.push(volume, session(session), Opcode.RECALL, Empty.getDefaultInstance());
  }

  @Test
  void aSessionHearsOnTheConnectionThatItWasRenewedOnLast() {
    FakePeer first = FakePeer.ofControl();
    FakePeer second = FakePeer.ofControl();
    connections.bind(VOLUME, session(7), first);
    connections.bind(VOLUME, session(7), second);
    push(VOLUME, 7);
    push(OTHER, 7);
    assertEquals(0, first.pushed().size());
    assertEquals(1, second.pushed().size());
    connections.ended(second);
    push(VOLUME, 7);
    assertEquals(1, second.pushed().size());
    assertEquals(0, connections.size());
  }

  /** A client that lives for years works with one volume after the other. */
  @Test
  void unservedVolumeLeavesNothingBehind() {
    FakePeer peer = FakePeer.ofControl();
    FakePeer gone = FakePeer.ofControl();
    for (PartitionId volume : List.of(VOLUME, OTHER)) {
      connections.heard(volume, session(7), peer);
      connections.heard(volume, session(8), gone);
      connections.bind(volume, session(7), peer);
    }
    connections.ended(gone);
    connections.forget(VOLUME);
    assertEquals(1, connections.volumes());
    assertEquals(2, connections.heardSize(), "of the other volume");
    assertEquals(Set.of(), connections.disconnected(VOLUME));
    push(VOLUME, 7);
    push(OTHER, 7);
    assertEquals(List.of(Opcode.RECALL), peer.pushed());
  }

  /** A client that lives for years opens a session again and again. */
  @Test
  void sessionsThatHaveEndedAreForgottenThoughTheirConnectionLivesOn() {
    FakePeer peer = FakePeer.ofControl();
    for (long id = 1; id <= 100_000; id++) {
      long open = id;
      connections.bind(VOLUME, session(id), peer);
      connections.bind(OTHER, session(id), peer);
      connections.retain(VOLUME, 1, each -> each.value() == open);
      assertTrue(connections.size() <= 1 + id, "of one volume one session is kept");
    }
    connections.retain(OTHER, 2, each -> each.value() > 99_998);
    assertEquals(3, connections.size());
    push(VOLUME, 100_000);
    push(OTHER, 99_999);
    push(OTHER, 1);
    assertEquals(List.of(Opcode.RECALL, Opcode.RECALL), peer.pushed());
  }
}
