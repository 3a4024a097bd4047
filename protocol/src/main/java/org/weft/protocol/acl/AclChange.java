package org.weft.protocol.acl;

import org.weft.protocol.wire.AclChangeMessage;

/** A change of a node's access control lists, as a caller asks for it. */
public enum AclChange {
  /** All entries of each scope that is named are replaced; the other scope stays. */
  REPLACE(AclChangeMessage.ACL_REPLACE),
  /** Entries are added, or take the place of their like. */
  MODIFY(AclChangeMessage.ACL_MODIFY),
  /** Entries are taken away; what is not there is no error. */
  REMOVE_ENTRIES(AclChangeMessage.ACL_REMOVE_ENTRIES),
  /** The default list goes. */
  REMOVE_DEFAULT(AclChangeMessage.ACL_REMOVE_DEFAULT),
  /** Both lists go; the mode alone counts. */
  REMOVE_ALL(AclChangeMessage.ACL_REMOVE_ALL);

  private final AclChangeMessage message;

  AclChange(AclChangeMessage message) {
    this.message = message;
  }

  public AclChangeMessage toMessage() {
    return message;
  }

  /** Throws {@link IllegalArgumentException} for a change that is not known. */
  public static AclChange fromMessage(AclChangeMessage from) {
    for (AclChange change : values()) {
      if (change.message == from) {
        return change;
      }
    }
    throw new IllegalArgumentException("an unknown change of an ACL; is the client newer?");
  }
}
