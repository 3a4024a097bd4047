package org.weft.protocol.acl;

/** Says which of a node's two lists an entry is in. */
public enum AclScope {
  /** What access is decided by. */
  ACCESS,
  /** Of a directory: what new files and directories in it begin with. */
  DEFAULT
}
