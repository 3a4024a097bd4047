package org.weft.sysmgr.configuration.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What happened to the cluster last, in one order for all members, and which alerts hold.
 * Immutable.
 *
 * @param events the last {@value #MAX}, the newest last
 * @param lastNumber of the last event
 * @param alerts that have begun and not ended, by subject
 */
public record EventLog(List<Event> events, long lastNumber, SortedMap<String, Event> alerts) {
  public static final int MAX = 1_000;
  public static final EventLog EMPTY = new EventLog(List.of(), 0, new TreeMap<>());
  private static final int MAX_ALERTS = 500;

  public EventLog {
    events = List.copyOf(events);
    alerts = Collections.unmodifiableSortedMap(new TreeMap<>(alerts));
  }

  /**
   * With these behind the others. An alert that holds does not begin again, and one that does not
   * hold does not end: a leader may say so twice.
   *
   * @param millis wall time; earlier than that of the last event, it counts as the same
   */
  public EventLog with(List<Event> news, long millis, String user) {
    if (news.isEmpty()) {
      return this;
    }
    List<Event> all = new ArrayList<>(events);
    SortedMap<String, Event> holding = new TreeMap<>(alerts);
    long number = lastNumber;
    long last = events.isEmpty() ? 0 : events.get(events.size() - 1).millis();
    for (Event each : news) {
      boolean isNews =
          switch (each.kind()) {
            case Event.ALERT -> !holding.containsKey(each.subject()) && holding.size() < MAX_ALERTS;
            case Event.ALERT_ENDED -> holding.containsKey(each.subject());
            default -> true;
          };
      if (isNews) {
        Event numbered = each.at(++number, Math.max(last, millis), user);
        all.add(numbered);
        if (each.kind().equals(Event.ALERT)) {
          holding.put(each.subject(), numbered);
        } else if (each.kind().equals(Event.ALERT_ENDED)) {
          holding.remove(each.subject());
        }
      }
    }
    return new EventLog(all.subList(Math.max(0, all.size() - MAX), all.size()), number, holding);
  }
}
