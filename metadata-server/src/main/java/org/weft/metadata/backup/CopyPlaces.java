package org.weft.metadata.backup;

import java.io.IOException;
import org.weft.metadata.journal.JournalPlace;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.CopyIdentity;

/** Where copies of journals lie. Blocks. */
public interface CopyPlaces {
  /**
   * An empty place for a copy, which is the volume's journal at this manager from now on, durably.
   * The one before is kept and not used; older ones are deleted.
   *
   * @throws org.weft.protocol.error.WeftException FENCED if a newer copy has been begun
   */
  JournalPlace beginCopy(CopyIdentity identity) throws IOException;

  /** Deletes what there is of a volume that is gone. */
  void deleteJournal(PartitionId volume) throws IOException;
}
