package org.weft.client.stripe.commit;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Tracks components that have acknowledged what may not be on their stable storage yet (P 5.9).
 * Part of a {@link FileWriteMachine}: single-threaded.
 */
final class UnsyncedComponents {
  private final SortedMap<Integer, Long> lastByComponent = new TreeMap<>();
  private long acknowledgements;

  /** A component has acknowledged a write that was not to be durable. */
  void acknowledged(int component) {
    lastByComponent.put(component, ++acknowledgements);
  }

  List<Integer> components() {
    return List.copyOf(lastByComponent.keySet());
  }

  /** A moment: what is acknowledged later is not covered by a flush sent now. */
  long now() {
    return acknowledgements;
  }

  /** Everything that the component had acknowledged at that moment is on stable storage. */
  void flushed(int component, long moment) {
    Long last = lastByComponent.get(component);
    if (last != null && last <= moment) {
      lastByComponent.remove(component);
    }
  }
}
