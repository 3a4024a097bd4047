package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.cluster.EventLog;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.stored.CommandCodec;

/** What happened is the same on each member, in one order, bounded, and survives a snapshot. */
class EventLogTest {
  private final ReplicatedConfiguration member = new ReplicatedConfiguration();
  private long index;

  private void apply(ReplicatedConfiguration to, Command command, long millis, String user) {
    var unused = to.apply(++index, CommandCodec.encode(command, millis, user));
  }

  private static Event alert(String kind, String subject) {
    return new Event(0, 0, kind, subject, "something holds", "", "do something");
  }

  private static Command format() {
    return new Command.Format(
        new ClusterId("00112233445566778899aabbccddeeff"),
        "test",
        Secret.of(new byte[64]),
        "root",
        Secret.of(new byte[32]),
        1);
  }

  private static Command osd(String identity, long incarnation) {
    int port = 7_000 + Math.floorMod(identity.hashCode(), 1_000);
    return Joins.of(
        NodeKey.Kind.OSD,
        identity,
        "",
        0,
        List.of(new Endpoint(identity, port)),
        identity,
        incarnation,
        1 << 20,
        false,
        1);
  }

  /** All are up. */
  private void up() {
    List<Command.Judgement> judgements =
        member.current().osds().values().stream()
            .map(
                each ->
                    new Command.Judgement(
                        NodeKey.of(each.id()),
                        each.node().incarnation(),
                        Liveness.UP,
                        false,
                        member.current().partitionsVersion()))
            .toList();
    apply(member, new Command.SetLiveness(judgements, 2_500), 2_500, "");
  }

  private List<String> kinds() {
    return member.events().events().stream().map(Event::kind).toList();
  }

  private static ReplicatedConfiguration copyOf(ReplicatedConfiguration of) throws IOException {
    ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
    of.save(snapshot);
    ReplicatedConfiguration copy = new ReplicatedConfiguration();
    copy.load(new ByteArrayInputStream(snapshot.toByteArray()));
    return copy;
  }

  @Test
  void changesOfCommandsAreLogged() {
    apply(member, format(), 1_000, "");
    apply(member, osd("one", 1), 2_000, "");
    apply(member, osd("two", 1), 2_000, "");
    apply(member, osd("three", 1), 2_000, "");
    up();
    OsdId first = member.current().osds().firstKey();
    apply(member, new Command.DrainOsd(first, true), 3_000, "anna");
    List<Event> events = member.events().events();
    Event drain = events.get(events.size() - 1);
    assertEquals("osd-drain-begun", drain.kind(), events.toString());
    assertEquals("osd-" + first, drain.subject());
    assertEquals("anna", drain.user());
    assertEquals(3_000, drain.millis());
    assertEquals(events.size(), drain.number());
    assertTrue(kinds().containsAll(List.of("cluster-made", "osd-joined")), kinds().toString());
  }

  @Test
  void anAlertBeginsAndEndsOnceHoweverOftenThatIsSaid() {
    Command begins = new Command.NoteEvents(List.of(alert(Event.ALERT, "osd-down osd-1")));
    Command ends = new Command.NoteEvents(List.of(alert(Event.ALERT_ENDED, "osd-down osd-1")));
    apply(member, begins, 1_000, "");
    apply(member, begins, 2_000, "");
    assertEquals(List.of("osd-down osd-1"), List.copyOf(member.events().alerts().keySet()));
    assertEquals(1_000, member.events().alerts().get("osd-down osd-1").millis());
    apply(member, ends, 3_000, "");
    apply(member, ends, 4_000, "");
    assertEquals(List.of(Event.ALERT, Event.ALERT_ENDED), kinds());
    assertTrue(member.events().alerts().isEmpty());
  }

  @Test
  void theEventLogIsBoundedAndItsNumbersGoOn() {
    for (int each = 0; each < EventLog.MAX + 10; each++) {
      apply(member, new Command.NoteEvents(List.of(Event.of("test", "", "it " + each))), each, "");
    }
    List<Event> events = member.events().events();
    assertEquals(EventLog.MAX, events.size());
    assertEquals(11, events.get(0).number());
    assertEquals(EventLog.MAX + 10, member.events().lastNumber());
  }

  @Test
  void aClockThatGoesBackDoesNotChangeTheOrder() {
    apply(member, new Command.NoteEvents(List.of(Event.of("test", "", "one"))), 5_000, "");
    apply(member, new Command.NoteEvents(List.of(Event.of("test", "", "two"))), 4_000, "");
    assertEquals(
        List.of(5_000L, 5_000L), member.events().events().stream().map(Event::millis).toList());
  }

  @Test
  void theEventLogSurvivesASnapshotAtAnyEntry() throws IOException {
    List<Command> commands = new ArrayList<>(List.of(format()));
    for (int each = 0; each < 20; each++) {
      commands.add(osd("osd" + each % 5, 1 + each / 5));
      commands.add(
          new Command.NoteEvents(
              List.of(alert(each % 3 == 0 ? Event.ALERT_ENDED : Event.ALERT, "a " + each % 4))));
    }
    Random random = new Random(7);
    ReplicatedConfiguration other = new ReplicatedConfiguration();
    for (Command command : commands) {
      apply(member, command, index, "alice");
      var unused = other.apply(index, CommandCodec.encode(command, index - 1, "alice"));
      if (random.nextBoolean()) {
        other = copyOf(other);
      }
      assertEquals(member.events().lastNumber(), other.events().lastNumber());
      assertEquals(member.events().alerts().keySet(), other.events().alerts().keySet());
      assertEquals(kinds(), other.events().events().stream().map(Event::kind).toList());
    }
    assertEquals(member.events(), copyOf(member).events());
  }
}
