package org.weft.simulator.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import org.weft.metadata.OfflineCheckCourse;
import org.weft.protocol.wire.VolumeHealth;

/** A metadata manager. */
public interface SimulatedManager extends SimNode {
  /** It serves every volume that it was given, of which there is one at least. */
  boolean isServing();

  /** What its heartbeats say of its volumes; empty if it does not run. */
  List<VolumeHealth> health();

  /** Sentences on what its volumes wait for. */
  List<String> problems();

  /**
   * Starts the check of a volume from this manager's disk, in place of the manager, which does not
   * run (P 6.8d). It ends when it is killed.
   *
   * @return the check once it has begun; fails as it does
   */
  CompletableFuture<OfflineCheckCourse> startCheck(String path, boolean parity);

  /** All that the manager has on its disk, byte by byte. */
  SortedMap<String, ByteBuffer> diskContent() throws IOException;
}
