package org.weft.it.simulation.world;

import org.weft.sysmgr.configuration.Configuration;

/** A member of SysMgr. */
public interface SysmgrNode extends SimNode {
  /** It believes that it leads. */
  boolean isLeader();

  /** What it has applied. */
  Configuration configuration();
}
