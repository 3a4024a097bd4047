package org.weft.client;

import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.acl.AclScope;
import org.weft.protocol.acl.AclType;
import org.weft.protocol.wire.AclMessage;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.NamedRightsMessage;

/**
 * The access control lists of a file or directory at one moment.
 *
 * @param path as it was asked for
 * @param mode permission bits with setuid, setgid and sticky: 07777; where the access list has a
 *     mask the group's bits are the mask
 * @param entries all of them in the order of a list, with the three of the mode and the mask. Those
 *     of the default list come last
 */
public record AclStatus(
    WeftPath path, int mode, String owner, String group, List<AclEntry> entries) {
  private static final int OWNER_SHIFT = 6;
  private static final int GROUP_SHIFT = 3;

  public AclStatus {
    entries = List.copyOf(entries);
  }

  /** The access list says more than the mode. */
  public boolean isExtended() {
    return entries.stream()
        .anyMatch(entry -> entry.scope() == AclScope.ACCESS && entry.type() == AclType.MASK);
  }

  /** What is in one list. */
  public List<AclEntry> entries(AclScope scope) {
    return entries.stream().filter(entry -> entry.scope() == scope).toList();
  }

  /** What a manager has answered to a question for the lists. */
  static AclStatus fromMessage(WeftPath path, FileAttributes message) {
    List<AclEntry> entries = new ArrayList<>();
    int mode = message.getMode();
    AclMessage.Builder access = message.getAccessAcl().toBuilder();
    int groupBits = mode >>> GROUP_SHIFT & AclEntry.ALL;
    if (message.hasAccessAcl()) {
      access.setMask(groupBits);
    } else {
      access.setGroup(groupBits);
    }
    access.setOwner(mode >>> OWNER_SHIFT & AclEntry.ALL).setOther(mode & AclEntry.ALL);
    add(entries, AclScope.ACCESS, access.build());
    if (message.hasDefaultAcl()) {
      add(entries, AclScope.DEFAULT, message.getDefaultAcl());
    }
    return new AclStatus(path, mode, message.getOwner(), message.getGroup(), entries);
  }

  private static void add(List<AclEntry> entries, AclScope scope, AclMessage acl) {
    entries.add(new AclEntry(scope, AclType.USER, "", acl.getOwner()));
    for (NamedRightsMessage user : acl.getNamedUserList()) {
      entries.add(new AclEntry(scope, AclType.USER, user.getName(), user.getRights()));
    }
    entries.add(new AclEntry(scope, AclType.GROUP, "", acl.getGroup()));
    for (NamedRightsMessage group : acl.getNamedGroupList()) {
      entries.add(new AclEntry(scope, AclType.GROUP, group.getName(), group.getRights()));
    }
    if (acl.hasMask()) {
      entries.add(new AclEntry(scope, AclType.MASK, "", acl.getMask()));
    }
    entries.add(new AclEntry(scope, AclType.OTHER, "", acl.getOther()));
  }
}
