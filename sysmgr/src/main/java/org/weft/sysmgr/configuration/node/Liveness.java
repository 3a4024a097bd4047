package org.weft.sysmgr.configuration.node;

/** The states that SysMgr gives a node. */
public enum Liveness {
  UP,
  /** Silent, and not given up yet: no heartbeat for three seconds. */
  SUSPECT,
  DOWN,
  /** An OSD that is there and serves managers only (P 5.8). */
  QUARANTINED
}
