package org.weft.simulator.workload;

/** What the clients of a world do more often than others. */
public enum WorkloadBias {
  /** Files that exist are opened for writing by several at a time. */
  SHARING,
  /** All clients are in the same few stripes. */
  HOT,
  /** Many clients that change files gather small writes. */
  GATHERING,
  /** Writers append small records, and flush most of them. */
  LOGGING,
  /**
   * Files are opened again and again to append a little, in two flushes, up to a border of units or
   * near it. Meanwhile one OSD is out of the writer's reach.
   */
  APPENDING,
  /** Directories grow to many names, shrink to a few, and grow again. */
  CROWDING,
  /** Little is done for a long time, and what goes wrong is rare elsewhere. */
  LASTING,
  /** Managers are backups of each other. */
  PAIRED,
  /** What stands between a primary and its backup, or keeps one from SysMgr, comes often. */
  PARTED,
  /** Ranges of one file are locked by all clients, and little else is done. */
  LOCKING,
  /** OSDs that are away for some seconds count as lost for good, and what they held is rebuilt. */
  REPAIRED,
  /** OSDs go into a BladeSet of their own, and that is merged with the one of the volume. */
  MERGING,
  /** Bits rot on disks, many at a time. */
  ROTTING,
  /** Clients rely on what they were granted for reading, and look at the same things often. */
  CACHING,
  /** Members of SysMgr elect their leader, which is harmed at each step of what it does. */
  VOTING,
  /** Locks of clients that died are kept for those that come after them. */
  KEEPING,
  /** Successors of clients that died also reclaim what no client had. */
  CLAIMING,
  /** Hosts lock through gateways of NFS, whose addresses move between them. */
  GATEWAYS,
  /** Hosts write files through gateways of NFS, and keep what is not committed. */
  PAGES,
  /** Directories get quotas and lose them again, which writers are to keep. */
  LIMITED,
  /** Managers compare the parity of files with their data all the time. */
  SCRUBBED
}
