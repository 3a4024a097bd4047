package org.weft.sysmgr.configuration.stored;

import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.wire.ConfigurationSnapshot;
import org.weft.protocol.wire.NoteEventsCommand;
import org.weft.protocol.wire.StoredEvent;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.cluster.EventLog;
import org.weft.sysmgr.configuration.command.Command;

/** Events and alerts, as commands and snapshots keep them. */
final class EventCodec {
  private EventCodec() {}

  static void write(EventLog events, ConfigurationSnapshot.Builder to) {
    events.events().forEach(event -> to.addEvents(stored(event)));
    events.alerts().values().forEach(alert -> to.addAlerts(stored(alert)));
    to.setLastEvent(events.lastNumber());
  }

  static EventLog log(ConfigurationSnapshot stored) {
    SortedMap<String, Event> alerts = new TreeMap<>();
    stored.getAlertsList().stream()
        .map(EventCodec::event)
        .forEach(alert -> alerts.put(alert.subject(), alert));
    return new EventLog(
        stored.getEventsList().stream().map(EventCodec::event).toList(),
        stored.getLastEvent(),
        alerts);
  }

  static NoteEventsCommand stored(Command.NoteEvents command) {
    NoteEventsCommand.Builder noted = NoteEventsCommand.newBuilder();
    command.events().forEach(each -> noted.addEvents(stored(each)));
    return noted.build();
  }

  static Command note(NoteEventsCommand stored) {
    return new Command.NoteEvents(stored.getEventsList().stream().map(EventCodec::event).toList());
  }

  private static StoredEvent stored(Event event) {
    return StoredEvent.newBuilder()
        .setNumber(event.number())
        .setMillis(event.millis())
        .setKind(event.kind())
        .setSubject(event.subject())
        .setWhat(event.what())
        .setUser(event.user())
        .setAdvice(event.advice())
        .build();
  }

  private static Event event(StoredEvent stored) {
    return new Event(
        stored.getNumber(),
        stored.getMillis(),
        stored.getKind(),
        stored.getSubject(),
        stored.getWhat(),
        stored.getUser(),
        stored.getAdvice());
  }
}
