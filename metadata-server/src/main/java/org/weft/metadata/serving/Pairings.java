package org.weft.metadata.serving;

import java.util.function.Consumer;
import org.weft.metadata.backup.Pairing;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/** Makes the part that handles the backup of a volume. */
@FunctionalInterface
public interface Pairings {
  /**
   * @param home the volume's thread
   * @param deposed is called there when the volume is another manager's
   */
  Pairing of(VolumeAssignment assignment, OwnedExecutor home, Consumer<String> deposed);
}
