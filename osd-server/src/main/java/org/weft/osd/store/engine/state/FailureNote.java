package org.weft.osd.store.engine.state;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/**
 * A file beside the segments for the next start. It says that this store has failed, and that
 * clients which heard so may have gone on without it. Once it is there the store may say that it
 * failed: it does not come back as if nothing had happened (P 5.8).
 */
public final class FailureNote {
  private static final String NAME = "failed";

  private final SegmentDirectory directory;

  /** The note of the store in this directory. */
  public FailureNote(SegmentDirectory directory) {
    this.directory = directory;
  }

  /** True if the store failed before this start. */
  public boolean isThere() throws IOException {
    return directory.list().contains(NAME);
  }

  /** Leaves it, durably; returns only if it will be found, after a loss of power too. */
  void leave() throws IOException {
    try (SegmentFile note = directory.create(NAME)) {
      note.sync();
    } catch (FileAlreadyExistsException e) {
      // Left by an earlier start, which lost power before the folder was synced.
      try (SegmentFile note = directory.open(NAME)) {
        note.sync();
      }
    }
    directory.sync();
  }

  /** What it says is known elsewhere. */
  public void remove() throws IOException {
    directory.delete(NAME);
    directory.sync();
  }
}
