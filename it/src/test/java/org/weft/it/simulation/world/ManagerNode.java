package org.weft.it.simulation.world;

import java.util.List;
import org.weft.protocol.wire.VolumeHealth;

/** A metadata manager. */
public interface ManagerNode extends SimNode {
  /** It serves every volume that it was given, of which there is one at least. */
  boolean isServing();

  /** What its heartbeats say of its volumes; empty if it does not run. */
  List<VolumeHealth> health();

  /** Sentences on what its volumes wait for. */
  List<String> problems();
}
