package org.weft.simulator.node;

import org.weft.sysmgr.configuration.state.Configuration;

/** A member of SysMgr. */
public interface SysmgrNode extends SimNode {
  /** It believes that it leads. */
  boolean isLeader();

  /** It leads from now on, if enough of the others let it; the one before learns of it in time. */
  void takeLead();

  /** It writes a snapshot of what it knows, and forgets its log before that. */
  void compact();

  /** What it has applied. */
  Configuration configuration();
}
