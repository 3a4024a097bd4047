package org.weft.protocol.acl;

import java.util.Locale;

/** Says whose rights an entry gives, in the order of a list. */
public enum AclType {
  /** The owner, or a user by name. */
  USER,
  /** The owning group, or a group by name. */
  GROUP,
  /** The most that named users and all groups may have. */
  MASK,
  /** All that no other entry is for. */
  OTHER;

  /** As it is written: "user". */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
