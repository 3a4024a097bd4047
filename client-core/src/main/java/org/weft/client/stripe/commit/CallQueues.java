package org.weft.client.stripe.commit;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Calls to components that must hear of earlier orders first. After a grant was replaced, the first
 * write under the new one makes a component forget what is pending of the old one (P 5.7). So a
 * component first carries out again all earlier orders that concern it, and then hears of a later
 * one. A stripe of which some units are old and some new shows that in every new unit (P 5.6).
 *
 * <p>Part of a {@link FileWriteMachine}: single-threaded.
 */
final class CallQueues {
  /** The first of each line is under way. */
  private final SortedMap<Integer, Deque<ComponentCall>> lines = new TreeMap<>();

  /** Of calls given again under new terms, those that wait for no other before them. */
  List<ComponentCall> admitInLine(List<ComponentCall> calls) {
    return calls.stream().filter(call -> !mustWaitInLine(call)).toList();
  }

  private boolean mustWaitInLine(ComponentCall call) {
    Deque<ComponentCall> line =
        lines.computeIfAbsent(call.component(), component -> new ArrayDeque<>());
    line.add(call);
    return line.size() > 1;
  }

  /** Of calls given for the first time, those that wait for none that was given again. */
  List<ComponentCall> admit(List<ComponentCall> calls) {
    return calls.stream().filter(call -> !mustWait(call)).toList();
  }

  private boolean mustWait(ComponentCall call) {
    Deque<ComponentCall> line = lines.get(call.component());
    return line != null && line.add(call);
  }

  /** A call is over; the one that may begin now, or null. */
  ComponentCall ended(ComponentCall call) {
    Deque<ComponentCall> line = lines.get(call.component());
    if (line == null || line.peekFirst() != call) {
      return null;
    }
    line.removeFirst();
    if (line.isEmpty()) {
      lines.remove(call.component());
    }
    return line.peekFirst();
  }

  /** Nothing waits any more; the calls that will not begin. */
  List<ComponentCall> clear() {
    List<ComponentCall> unbegun =
        lines.values().stream().flatMap(line -> line.stream().skip(1)).toList();
    lines.clear();
    return unbegun;
  }
}
