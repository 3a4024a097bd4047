package org.weft.metadata.objects;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Reads from OSDs what the cache misses. To be called on the volume's thread. */
public interface ObjectLoader {
  /**
   * Loads everything named. Completes on the volume's thread. Attributes that no OSD has are a
   * {@link Loaded.LostAttributes}. Blocks that no replica gives fail the whole load with an {@link
   * org.weft.protocol.error.WeftException} that names the OSDs.
   */
  CompletionStage<List<Loaded>> load(List<Missing> missing);
}
