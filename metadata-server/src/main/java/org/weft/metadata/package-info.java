/**
 * The daemon of a metadata manager: its identity, its place in the cluster, and the volumes that
 * SysMgr gives it ({@link org.weft.metadata.ManagerDaemon}; Panasas FAST'08 section 5).
 */
package org.weft.metadata;
