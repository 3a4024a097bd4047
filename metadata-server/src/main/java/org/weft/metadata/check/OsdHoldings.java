package org.weft.metadata.check;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * What OSDs hold of a volume. Called on the volume's thread; stages complete there too, within a
 * deadline, and fail with an {@link org.weft.protocol.error.WeftException}.
 */
public interface OsdHoldings {
  /** A part of what an OSD has, in the order of objects. */
  record Listed(List<ObjectId> objects, boolean more) {}

  CompletionStage<Listed> list(OsdId osd, ObjectId after, int max);

  /**
   * What an OSD has of the objects. Empty: it has none of that one. Left out: it did not tell this
   * time.
   */
  CompletionStage<Map<ObjectId, Optional<StoredObject>>> stored(OsdId osd, List<ObjectId> objects);
}
