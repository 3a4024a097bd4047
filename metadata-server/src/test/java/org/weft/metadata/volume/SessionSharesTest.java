package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.session.OpenSession;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.OpenSessionReply;

/** No single host, and no single user, takes all sessions of a volume. */
class SessionSharesTest {
  private static final int OF_HOST = SessionTable.MAX_SESSIONS / 4;
  private static final int OF_USER = SessionTable.MAX_SESSIONS - OF_HOST;
  private static final String CROWD = "10.0.0.1";
  private static final String OTHER = "10.0.0.2";

  private final TestVolume volume = TestVolume.formatted(5);
  private long nextNonce = 1L << 40;

  private SessionId open(TestVolume in, String host, String user) throws WeftException {
    OpenSession opening = new OpenSession(user, List.of("g"), "client", nextNonce++, 1).from(host);
    return new SessionId(
        TestClient.parse(OpenSessionReply.parser(), in.execute(null, opening)).getSessionId());
  }

  private List<SessionId> open(int count, String host, String user) throws WeftException {
    List<SessionId> sessions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sessions.add(open(volume, host, user + i % 7));
    }
    return sessions;
  }

  private void assertFull(TestVolume in, String host, String user, String named) {
    WeftException refused = assertThrows(WeftException.class, () -> open(in, host, user));
    assertEquals(ErrorCode.OVERLOADED, refused.code());
    assertTrue(refused.getMessage().startsWith(named), refused::getMessage);
  }

  @Test
  void crowdOfOneHostLeavesRoomForOthers() throws WeftException {
    List<SessionId> crowd = open(OF_HOST, CROWD, "mallory");
    assertFull(volume, CROWD, "eve", "host " + CROWD + " has 2500 sessions");
    open(volume, OTHER, "alice");
    volume.own(new CloseSession(crowd.get(17)));
    open(volume, CROWD, "eve");
    assertFull(volume, CROWD, "eve", "host " + CROWD);
  }

  @Test
  void userOnManyHostsLeavesRoomForOtherUsers() throws WeftException {
    for (int i = 0; i < OF_USER; i++) {
      open(volume, "10.0.1." + i % 16, "spark");
    }
    assertFull(volume, OTHER, "spark", "user spark has 7500 sessions");
    open(volume, OTHER, "alice");
  }

  @Test
  void sessionsFromBeforeARestartCountOnceTheyRenew() throws WeftException {
    List<SessionId> crowd = open(OF_HOST, CROWD, "mallory");
    TestVolume next = volume.restarted();
    for (SessionId each : crowd) {
      next.own(new RenewSession(each).from(CROWD));
      next.own(new RenewSession(each).from(CROWD));
    }
    assertFull(next, CROWD, "eve", "host " + CROWD);
    open(next, OTHER, "alice");
  }
}
