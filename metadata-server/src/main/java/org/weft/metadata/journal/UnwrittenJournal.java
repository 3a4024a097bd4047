package org.weft.metadata.journal;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.seam.SegmentDirectory;

/**
 * The journal of a volume that is looked at and not served (P 6.8d). What it holds was read and is
 * not changed. Decisions during the look are kept nowhere, and count as on disk at once. None of
 * them is told to a client or to an OSD, and all of them end with the look. Thread-safe.
 */
public final class UnwrittenJournal implements JournalLog {
  private final JournalContents contents;

  private UnwrittenJournal(JournalContents contents) {
    this.contents = contents;
  }

  /**
   * Reads what the directory holds, without what a crash left half written at its end. Changes
   * nothing. Blocks. Fails as {@link FileJournal#open} does.
   *
   * @throws IOException also: damage before the tail, or the journal of another volume
   */
  public static UnwrittenJournal look(SegmentDirectory directory, JournalIdentity identity)
      throws IOException {
    return new UnwrittenJournal(JournalOpening.look(directory, identity));
  }

  @Override
  public JournalContents contents() {
    return contents;
  }

  @Override
  public CompletionStage<Void> append(JournalRecord record) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public boolean hasRoom() {
    return true;
  }

  @Override
  public boolean snapshotWanted() {
    return false;
  }

  @Override
  public CompletionStage<Void> writeSnapshot(List<LiveEffect> liveState) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void dropBelow(Lsn lsn) {
    // The files stay as they are.
  }

  @Override
  public Optional<WeftException> failure() {
    return Optional.empty();
  }

  @Override
  public JournalSize size() {
    return new JournalSize(contents.records().size(), 0);
  }

  @Override
  public void close() {
    // It holds no file.
  }
}
