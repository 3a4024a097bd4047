package org.weft.metadata.salvage;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.wire.RecoveryProgress;

/** What a recovery has found so far, for people. On the volume's thread. */
final class SalvageTally {
  private static final Logger LOG = LoggerFactory.getLogger(SalvageTally.class);
  private static final int MAX_NOTES = 100;
  private static final long NANOS_OF_MILLI = 1_000_000;

  private final LongSupplier clockNanos;
  private final long begunNanos;
  private final List<String> notes = new ArrayList<>();
  private long notesLeftOut;
  String step = "objects";
  long expected;
  long nodes;
  long directories;
  long names;
  long found;
  long dropped;
  long removed;
  long resolving;
  long staleCopies;
  long headless;
  long remade;
  long returned;
  long unreadable;

  /**
   * @param clockNanos a monotonic clock
   */
  SalvageTally(LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
    this.begunNanos = clockNanos.getAsLong();
  }

  /** All notes are in the log; the first stay here. */
  void note(String sentence) {
    LOG.warn("recovery: {}", sentence);
    if (notes.size() < MAX_NOTES - 1) {
      notes.add(sentence);
    } else {
      notesLeftOut++;
    }
  }

  RecoveryProgress progress() {
    RecoveryProgress.Builder message =
        RecoveryProgress.newBuilder()
            .setStep(step)
            .setNodes(nodes)
            .setDirectories(directories)
            .setExpected(expected)
            .setNames(names)
            .setFound(found)
            .setDropped(dropped)
            .setRemoved(removed)
            .setResolving(resolving)
            .setStaleCopies(staleCopies)
            .setHeadless(headless)
            .setRemade(remade)
            .setReturned(returned)
            .setUnreadable(unreadable)
            .setElapsedMillis((clockNanos.getAsLong() - begunNanos) / NANOS_OF_MILLI)
            .addAllNotes(notes);
    if (notesLeftOut > 0) {
      message.addNotes(notesLeftOut + " more are in the manager's log");
    }
    return message.build();
  }
}
