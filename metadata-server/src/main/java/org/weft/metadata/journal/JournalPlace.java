package org.weft.metadata.journal;

import java.io.IOException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.SegmentDirectory;

/**
 * Where a volume's journal lies, and how it is written.
 *
 * @param name for people
 */
public record JournalPlace(String name, Folder folder, JournalOptions options) {
  /** The files of a journal. */
  @FunctionalInterface
  public interface Folder {
    /** Makes the folder if there is none. */
    SegmentDirectory open() throws IOException;
  }

  /** Opens it, as {@link FileJournal#open} does. Blocks. */
  public FileJournal open(JournalIdentity identity, Environment environment) throws IOException {
    return FileJournal.open(
        folder.open(), identity, environment.scheduler(), environment.random(), options);
  }

  /** As in messages to people. */
  @Override
  public String toString() {
    return name;
  }
}
