package org.weft.sysmgr.configuration.volume;

import java.util.Optional;
import org.weft.protocol.id.ManagerId;

/**
 * The manager that has a whole copy of a volume's journal, as its primary has said last (P 6.2).
 *
 * @param manager empty: there is none, and only the primary may serve the volume
 * @param number of that word, counted within the epoch; 0: none was said in it
 */
public record Backup(Optional<ManagerId> manager, long number) {
  /** There is none, and no word of the primary yet. */
  public static final Backup NONE = new Backup(Optional.empty(), 0);

  /** The same manager; the words of the primary are counted anew. */
  Backup inNewEpoch() {
    return new Backup(manager, 0);
  }
}
