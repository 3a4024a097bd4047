package org.weft.metadata.objects;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Reads from OSDs what the cache misses. Thread-safe. */
public interface ObjectLoader {
  /**
   * Loads everything named. Completes on any thread; attributes that nobody has are a {@link
   * Loaded.LostAttributes}, blocks that no replica gives fail the whole load with an {@link
   * org.weft.protocol.rpc.RpcException} that names the OSDs.
   */
  CompletionStage<List<Loaded>> load(List<Missing> missing);
}
