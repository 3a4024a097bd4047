package org.weft.client.stripe.commit;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Components that have acknowledged what may not be on their stable storage yet (P 5.9).
 * Thread-safe.
 */
public final class Undurable {
  private final SortedMap<Integer, Long> lastByComponent = new TreeMap<>();
  private long acknowledgements;

  /** A component has acknowledged a write that was not to be durable. */
  public synchronized void acknowledged(int component) {
    lastByComponent.put(component, ++acknowledgements);
  }

  synchronized List<Integer> components() {
    return List.copyOf(lastByComponent.keySet());
  }

  /** A moment: what is acknowledged later is not covered by a flush sent now. */
  synchronized long now() {
    return acknowledgements;
  }

  /** Everything that the component had acknowledged at that moment is on stable storage. */
  synchronized void flushed(int component, long moment) {
    Long last = lastByComponent.get(component);
    if (last != null && last <= moment) {
      lastByComponent.remove(component);
    }
  }
}
