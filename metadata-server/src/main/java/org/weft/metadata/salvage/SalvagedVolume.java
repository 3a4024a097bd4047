package org.weft.metadata.salvage;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * A volume without a journal, as its recovery sees it. Called on the volume's thread; stages
 * complete there too, within a deadline, and fail with an {@link
 * org.weft.protocol.error.WeftException}.
 */
public interface SalvagedVolume {
  /** What OSDs hold, and what the manager made of it so far. */
  CheckedVolume volume();

  /**
   * Bars grants of earlier epochs from writing these objects on the OSD; durable. Objects that the
   * OSD does not have are left out.
   *
   * @return objects that the OSD cannot read: it refuses all writes of them, too
   */
  CompletionStage<Set<ObjectId>> shutOut(OsdId osd, List<ObjectId> objects);

  /**
   * Why the OSD cannot read an object, which does not pass; empty if it can, or has none. Fails if
   * that may pass.
   */
  CompletionStage<Optional<String>> unreadable(OsdId osd, ObjectId object);

  /**
   * Bars grants of earlier epochs from making objects on the OSD.
   *
   * @param unused an object that there never was and never will be
   */
  CompletionStage<Void> barCreations(OsdId osd, ObjectId unused);

  /** Executes the manager's own operation; completes when its record is durable. */
  CompletionStage<Void> journal(Operation operation);

  /** Calls again after a while, on the volume's thread. */
  void later(Runnable again);
}
