package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConnectionAdmissionTest {
  private static final int MAX = 1_024;
  private static final int QUARTER = MAX / 4;
  private static final String CROWD = "10.0.0.1";
  private static final String OTHER = "10.0.0.2";
  private static final long LATER = ConnectionAdmission.MIN_IDLE_NANOS;

  private final ConnectionAdmission admission = new ConnectionAdmission(MAX, MAX / 2);
  private final List<String> ended = new ArrayList<>();

  private ConnectionAdmission.Guest guest(String host, String name, long nowNanos) {
    return new ConnectionAdmission.Guest(host, () -> ended.add(name), nowNanos);
  }

  private List<ConnectionAdmission.Guest> admit(
      String host, int count, boolean proven, long nowNanos) {
    List<ConnectionAdmission.Guest> guests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ConnectionAdmission.Guest guest = guest(host, host + "/" + i, nowNanos);
      assertEquals(Optional.empty(), admission.admit(guest, nowNanos));
      guests.add(guest);
      if (proven) {
        admission.prove(guest);
      }
    }
    return guests;
  }

  @Test
  void crowdOfOneHostLeavesRoomForOthers() {
    admit(CROWD, QUARTER, false, 0);
    Optional<String> refusal = admission.admit(guest(CROWD, "one more", 0), 0);
    assertTrue(refusal.orElseThrow().contains(CROWD), refusal::toString);
    admit(OTHER, QUARTER, false, 0);
    assertEquals(List.of(), ended);
  }

  @Test
  void idlestConnectionOfTheSameHostEndsForANewOne() {
    List<ConnectionAdmission.Guest> crowd = admit(CROWD, QUARTER, false, 0);
    admit(OTHER, 1, false, 0);
    crowd.get(0).began(LATER);
    crowd.get(0).answered(LATER);
    admit(CROWD, 1, false, LATER);
    assertEquals(List.of(CROWD + "/1"), ended);
  }

  @Test
  void provenConnectionsDoNotCountWithOthersOfTheirHost() {
    admit(CROWD, QUARTER, true, 0);
    admit(CROWD, QUARTER, false, 0);
    assertTrue(admission.admit(guest(CROWD, "one more", LATER), LATER).isEmpty());
    assertEquals(1, ended.size());
  }

  @Test
  void aHostsProvenConnectionsAreBoundedAndStayOpen() {
    admit(CROWD, MAX / 2, true, 0);
    Optional<String> refusal = admission.admit(guest(CROWD, "one more", LATER), LATER);
    assertTrue(refusal.orElseThrow().contains(CROWD), refusal::toString);
    assertTrue(refusal.orElseThrow().contains("connections-of-host"), refusal::toString);
    assertEquals(Optional.empty(), admission.admit(guest(OTHER, "other", LATER), LATER));
    assertEquals(List.of(), ended);
  }

  @Test
  void connectionWithARequestUnderWayNeverEndsForANewOne() {
    List<ConnectionAdmission.Guest> crowd = admit(CROWD, QUARTER, false, 0);
    crowd.forEach(each -> each.began(0));
    assertTrue(admission.admit(guest(CROWD, "one more", LATER), LATER).isPresent());
    assertEquals(List.of(), ended);
    crowd.get(5).answered(LATER);
    assertTrue(admission.admit(guest(CROWD, "one more", LATER), LATER).isPresent());
    admit(CROWD, 1, false, 2 * LATER);
    assertEquals(List.of(CROWD + "/5"), ended);
  }

  @Test
  void boundOfOneHostIsTheConfiguredOne() {
    ConnectionAdmission generous = new ConnectionAdmission(MAX, MAX);
    for (int i = 0; i < MAX; i++) {
      ConnectionAdmission.Guest guest = guest(CROWD, CROWD, 0);
      assertEquals(Optional.empty(), generous.admit(guest, 0));
      generous.prove(guest);
    }
    ConnectionAdmission tight = new ConnectionAdmission(MAX, 2);
    assertEquals(Optional.empty(), tight.admit(guest(CROWD, CROWD, 0), 0));
    assertEquals(Optional.empty(), tight.admit(guest(CROWD, CROWD, 0), 0));
    assertTrue(tight.admit(guest(CROWD, CROWD, 0), 0).isPresent());
    assertEquals(Optional.empty(), tight.admit(guest(OTHER, OTHER, 0), 0));
  }

  @Test
  void unprovenOnesOfManyHostsLeaveAQuarterToProvenOnes() {
    List<ConnectionAdmission.Guest> proven = admit(OTHER, QUARTER - 1, true, 0);
    for (int host = 0; host < MAX - QUARTER; host++) {
      admit("10.0.1." + host, 1, false, 0);
    }
    assertTrue(admission.admit(guest(OTHER, "one more", 0), 0).isPresent());
    ConnectionAdmission.Guest late = guest(OTHER, "late", LATER);
    assertEquals(Optional.empty(), admission.admit(late, LATER));
    admission.prove(late);
    assertEquals(1, ended.size());
    assertTrue(proven.stream().allMatch(ConnectionAdmission.Guest::proven));
  }

  @Test
  void closedConnectionsMakeRoom() {
    List<ConnectionAdmission.Guest> crowd = admit(CROWD, QUARTER, false, 0);
    admission.leave(crowd.get(3));
    admission.leave(crowd.get(3));
    admit(CROWD, 1, false, 0);
    assertTrue(admission.admit(guest(CROWD, "one more", 0), 0).isPresent());
    assertEquals(List.of(), ended);
  }
}
