package org.weft.nfs.daemon;

/** Where clients that name no port find it. */
public enum PortmapMode {
  /** A portmapper of our own, at port 111. */
  OWN,

  /** The one that the host runs. */
  HOST,

  /** Nowhere: mounts name the port. */
  OFF
}
