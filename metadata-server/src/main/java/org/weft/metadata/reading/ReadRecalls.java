package org.weft.metadata.reading;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.grant.RepeatedPush;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;

/**
 * All recalls of read grants that are under way. A recall is sent to each of its holders at once,
 * and again every half second. Each call costs only what it finds due, since a burst of changes may
 * have 10^5 recalls under way. Pure, confined to the volume's thread.
 */
final class ReadRecalls {
  /** The holder of a recall is to be asked at that time. */
  private record Due(ObjectId object, ReadRecall recall, SessionId session, long atNanos) {}

  /** In the order in which they began. */
  private final Map<ObjectId, ReadRecall> recalls = new LinkedHashMap<>();

  private final Map<SessionId, SortedSet<ObjectId>> ofSession = new HashMap<>();
  private final Queue<Due> untold = new ArrayDeque<>();

  /** Recalls that were sent, in the order of their time. */
  private final Queue<Due> told = new ArrayDeque<>();

  void begin(ObjectId object, List<SessionId> holders, long nowNanos) {
    ReadRecall recall = new ReadRecall(holders, nowNanos);
    recalls.put(object, recall);
    for (SessionId session : recall.holders()) {
      ofSession.computeIfAbsent(session, id -> new TreeSet<>()).add(object);
      untold.add(new Due(object, recall, session, nowNanos));
    }
  }

  boolean contains(ObjectId object) {
    return recalls.containsKey(object);
  }

  int size() {
    return recalls.size();
  }

  /** Objects that are recalled from the session, in ascending order. */
  List<ObjectId> of(SessionId session) {
    return List.copyOf(ofSession.getOrDefault(session, Collections.emptySortedSet()));
  }

  /** Sessions that something is recalled from. */
  List<SessionId> sessions() {
    return List.copyOf(ofSession.keySet());
  }

  /**
   * The session holds no grant of the object any more.
   *
   * @return true if that ended a recall
   */
  boolean obeyed(SessionId session, ObjectId object) {
    ReadRecall recall = recalls.get(object);
    if (recall == null || !recall.concerns(session)) {
      return false;
    }
    forget(session, object);
    if (recall.obeyed(session)) {
      recalls.remove(object);
      return true;
    }
    return false;
  }

  /**
   * Ends the recalls that have taken too long.
   *
   * @return what was recalled, and the sessions that have not obeyed
   */
  SortedMap<ObjectId, SortedSet<SessionId>> endOverdue(long nowNanos, long patienceNanos) {
    SortedMap<ObjectId, SortedSet<SessionId>> overdue = new TreeMap<>();
    for (Map.Entry<ObjectId, ReadRecall> each : recalls.entrySet()) {
      if (!each.getValue().isOver(nowNanos, patienceNanos)) {
        break;
      }
      overdue.put(each.getKey(), each.getValue().holders());
    }
    overdue.forEach(
        (object, holders) -> {
          recalls.remove(object);
          holders.forEach(session -> forget(session, object));
        });
    return overdue;
  }

  private void forget(SessionId session, ObjectId object) {
    SortedSet<ObjectId> objects = ofSession.get(session);
    objects.remove(object);
    if (objects.isEmpty()) {
      ofSession.remove(session);
    }
  }

  /** The objects that each session is to be asked about now. They count as sent. */
  SortedMap<SessionId, List<ObjectId>> takeDue(long nowNanos) {
    SortedMap<SessionId, List<ObjectId>> due = new TreeMap<>();
    List<Due> again = new ArrayList<>();
    take(untold, due, again, nowNanos);
    take(told, due, again, nowNanos);
    told.addAll(again);
    return due;
  }

  private void take(
      Queue<Due> queue, SortedMap<SessionId, List<ObjectId>> due, List<Due> again, long nowNanos) {
    while (!queue.isEmpty() && nowNanos - queue.peek().atNanos() >= 0) {
      Due next = queue.remove();
      if (isUnderWay(next)) {
        due.computeIfAbsent(next.session(), id -> new ArrayList<>()).add(next.object());
        again.add(
            new Due(
                next.object(),
                next.recall(),
                next.session(),
                nowNanos + RepeatedPush.REPEAT_NANOS));
      }
    }
  }

  /** The object may be recalled anew since. */
  private boolean isUnderWay(Due due) {
    return recalls.get(due.object()) == due.recall() && due.recall().concerns(due.session());
  }
}
