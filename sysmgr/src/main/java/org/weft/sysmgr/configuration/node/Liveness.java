package org.weft.sysmgr.configuration.node;

/** What SysMgr thinks of a node. */
public enum Liveness {
  UP,
  /** Silent for a while; not given up yet. */
  SUSPECT,
  DOWN,
  /** An OSD that is there and serves managers only (P 5.8). */
  QUARANTINED
}
