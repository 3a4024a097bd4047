package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.protocol.id.ManagerId;

/**
 * The manager that has a whole copy of a volume's journal, as its primary has said last (P 6.2).
 *
 * @param manager empty: there is none, and only the primary may serve the volume
 * @param number of that word, counted within the epoch; 0: none was said in it
 */
public record Backup(Optional<ManagerId> manager, long number) {
  static final Backup NONE = new Backup(Optional.empty(), 0);

  Backup inNewEpoch() {
    return new Backup(manager, 0);
  }
}
