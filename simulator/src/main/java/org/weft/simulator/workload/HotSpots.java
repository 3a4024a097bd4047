package org.weft.simulator.workload;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Where files were written lately: others are drawn there, so that they meet. */
final class HotSpots {
  private static final int KEPT = 4;

  /** A range of a file. */
  record Spot(long fromBytes, int lengthBytes) {}

  private final Map<Long, Deque<Spot>> spots = new TreeMap<>();

  /** A client writes there. */
  void written(long objectId, long fromBytes, int lengthBytes) {
    Deque<Spot> ofFile = spots.computeIfAbsent(objectId, id -> new ArrayDeque<>());
    ofFile.addFirst(new Spot(fromBytes, lengthBytes));
    if (ofFile.size() > KEPT) {
      ofFile.removeLast();
    }
  }

  /** One of them, sometimes. */
  Optional<Spot> maybe(long objectId, RandomGenerator random) {
    Deque<Spot> ofFile = spots.get(objectId);
    if (ofFile == null || random.nextInt(5) < 3) {
      return Optional.empty();
    }
    Iterator<Spot> each = ofFile.iterator();
    for (int skipped = random.nextInt(ofFile.size()); skipped > 0; skipped--) {
      each.next();
    }
    return Optional.of(each.next());
  }
}
