package org.weft.recovery.plan;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.weft.protocol.layout.Layout;
import org.weft.recovery.plan.WriteDecision.Verdict;

/**
 * What the components list of one write.
 *
 * @param held by component, of those that have it
 * @param told components that have no bytes of it, and know of its length (P 4.3)
 * @param undone components at which it has been undone
 * @param participants of it, as far as any component says
 */
record ListedWrite(
    PendingId id,
    SortedMap<Integer, PendingListRecord> held,
    SortedSet<Integer> told,
    SortedSet<Integer> undone,
    SortedSet<Integer> participants) {

  static ListedWrite of(KnownFile file, PendingId id) {
    ListedWrite write =
        new ListedWrite(id, new TreeMap<>(), new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
    for (var entry : file.states().entrySet()) {
      for (PendingListRecord each : entry.getValue().records()) {
        if (each.id().equals(id)) {
          write.add(entry.getKey(), each);
        }
      }
    }
    return write;
  }

  private void add(int component, PendingListRecord listed) {
    participants.addAll(listed.participants());
    if (listed.isAborted()) {
      undone.add(component);
    } else if (listed.isLength()) {
      told.add(component);
    } else {
      held.put(component, listed);
      participants.add(component);
    }
  }

  boolean isXor() {
    return held.values().stream().anyMatch(PendingListRecord::isXor);
  }

  /** Participants that do not have it. */
  SortedSet<Integer> lacking() {
    TreeSet<Integer> lacking = new TreeSet<>(participants);
    lacking.removeAll(held.keySet());
    return lacking;
  }

  /** First byte of what it changes in any component, in whole blocks. */
  long fromBytes() {
    return all(PendingListRecord::offsetBytes).min().orElse(0)
        / Layout.BLOCK_BYTES
        * Layout.BLOCK_BYTES;
  }

  /** End of that. */
  long toBytes() {
    int block = Layout.BLOCK_BYTES;
    return (all(PendingListRecord::endBytes).max().orElse(0) + block - 1) / block * block;
  }

  private LongStream all(ToLongFunction<PendingListRecord> what) {
    return held.values().stream().mapToLong(what);
  }

  WriteDecision decided(
      Verdict verdict,
      SortedSet<Integer> targets,
      SortedSet<Integer> sources,
      SortedSet<Integer> zeros) {
    return new WriteDecision(
        id,
        verdict,
        participants,
        new TreeSet<>(held.keySet()),
        targets,
        sources,
        zeros,
        fromBytes(),
        toBytes(),
        all(PendingListRecord::eofBytes).max().orElse(0),
        (int) all(PendingListRecord::truncationNumber).max().orElse(0));
  }
}
