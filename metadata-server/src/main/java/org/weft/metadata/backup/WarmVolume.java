package org.weft.metadata.backup;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.journal.FileJournal;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.volume.state.WarmState;
import org.weft.protocol.id.Lsn;

/**
 * What a promoted backup has in memory of a volume (P 6.3a). So it reads nothing of the volume from
 * its disk.
 *
 * @param journal the copy; all that was appended to it is durable. The holder of this record closes
 *     it
 * @param state with the live effects of all its records
 * @param redo records with effects that may not be on the OSDs yet
 * @param lastLsn of the newest record
 * @param compared with the contents of the journal, in tests
 */
public record WarmVolume(
    FileJournal journal,
    WarmState state,
    List<JournalRecord> redo,
    Lsn lastLsn,
    Optional<Compared> compared)
    implements AutoCloseable {
  /**
   * The state that a promoted volume is compared with, in tests.
   *
   * @param cold the contents of the journal
   */
  public record Compared(JournalContents cold, WarmCheck check) {}

  public WarmVolume {
    redo = List.copyOf(redo);
  }

  WarmVolume comparedWith(JournalContents cold, WarmCheck check) {
    return new WarmVolume(journal, state, redo, lastLsn, Optional.of(new Compared(cold, check)));
  }

  /** What is left to do of an opening: of the live state only which copies lag. */
  public JournalContents contents() {
    return new JournalContents(state.laggingState(), redo, lastLsn);
  }

  /** It is not taken over. Blocks. */
  @Override
  public void close() throws IOException {
    journal.close();
  }
}
