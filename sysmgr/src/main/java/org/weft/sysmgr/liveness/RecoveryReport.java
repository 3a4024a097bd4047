package org.weft.sysmgr.liveness;

import java.util.List;
import java.util.Optional;
import org.weft.protocol.wire.RecoveryProgress;

/**
 * What a manager says of the journal of a volume (P 6.8e).
 *
 * @param journalLost it has looked, and has none
 * @param progress how far it is with recovering the volume from its OSDs, or what came of it;
 *     empty: it does not and did not
 */
public record RecoveryReport(boolean journalLost, Optional<Progress> progress) {
  public static final RecoveryReport NONE = new RecoveryReport(false, Optional.empty());

  /** Counts of one recovery; see the schema. */
  public record Progress(
      String step,
      long nodes,
      long directories,
      long expected,
      long names,
      long found,
      long dropped,
      long removed,
      long resolving,
      long staleCopies,
      long headless,
      long elapsedMillis,
      List<String> notes,
      long remade,
      long returned,
      long unreadable) {
    public Progress {
      notes = List.copyOf(notes);
    }

    /**
     * As a heartbeat has it.
     *
     * @param step and notes, cut to what is kept
     */
    public static Progress of(RecoveryProgress said, String step, List<String> notes) {
      return new Progress(
          step,
          said.getNodes(),
          said.getDirectories(),
          said.getExpected(),
          said.getNames(),
          said.getFound(),
          said.getDropped(),
          said.getRemoved(),
          said.getResolving(),
          said.getStaleCopies(),
          said.getHeadless(),
          said.getElapsedMillis(),
          notes,
          said.getRemade(),
          said.getReturned(),
          said.getUnreadable());
    }

    /** For the status. */
    public RecoveryProgress toMessage() {
      return RecoveryProgress.newBuilder()
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
          .setElapsedMillis(elapsedMillis)
          .addAllNotes(notes)
          .setRemade(remade)
          .setReturned(returned)
          .setUnreadable(unreadable)
          .build();
    }
  }
}
