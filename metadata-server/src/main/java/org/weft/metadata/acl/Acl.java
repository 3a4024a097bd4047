package org.weft.metadata.acl;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.acl.AclScope;
import org.weft.protocol.acl.AclType;

/**
 * A whole access control list (POSIX 1003.1e, draft 17). Immutable.
 *
 * @param owner rights of the owner
 * @param mask the most that named users and all groups have; without one there are no names
 * @param other rights of all others
 */
public record Acl(int owner, BoundedEntries bounded, OptionalInt mask, int other) {
  /** Read, write and execute. */
  public static final int RIGHTS = AclEntry.ALL;

  private static final int OWNER_SHIFT = 6;
  private static final int GROUP_SHIFT = 3;

  public Acl {
    if ((owner & ~RIGHTS) != 0 || (other & ~RIGHTS) != 0 || (mask.orElse(0) & ~RIGHTS) != 0) {
      throw new IllegalArgumentException(
          "rights are 0..7, got " + owner + ", " + other + ", " + mask);
    }
    if (mask.isEmpty() && bounded.hasNames()) {
      throw new IllegalArgumentException("an ACL with named users or groups has a mask");
    }
  }

  /** What a mode says, and the entries that stand beside it. */
  static Acl of(int mode, Acls acls) {
    int groupBits = mode >>> GROUP_SHIFT & RIGHTS;
    return new Acl(
        mode >>> OWNER_SHIFT & RIGHTS,
        acls.access().orElseGet(() -> BoundedEntries.of(groupBits)),
        acls.access().isPresent() ? OptionalInt.of(groupBits) : OptionalInt.empty(),
        mode & RIGHTS);
  }

  /** It says more than a mode can. */
  public boolean isExtended() {
    return mask.isPresent();
  }

  /** The nine bits that show it: those of the group are the mask, where there is one. */
  public int modeBits() {
    return owner << OWNER_SHIFT | mask.orElse(bounded.group()) << GROUP_SHIFT | other;
  }

  /**
   * What something new has, made with a mode where this is the default: no right that either lacks.
   * The owning group's entry stays; the mask bounds it.
   */
  Acl madeWith(int mode) {
    int groupBits = mode >>> GROUP_SHIFT & RIGHTS;
    return new Acl(
        owner & mode >>> OWNER_SHIFT,
        mask.isPresent() ? bounded : BoundedEntries.of(bounded.group() & groupBits),
        mask.isPresent() ? OptionalInt.of(mask.getAsInt() & groupBits) : mask,
        other & mode);
  }

  /** All entries, in the order of a list. */
  List<AclEntry> entries(AclScope scope) {
    List<AclEntry> entries = new ArrayList<>();
    entries.add(new AclEntry(scope, AclType.USER, "", owner));
    bounded
        .users()
        .forEach((name, rights) -> entries.add(new AclEntry(scope, AclType.USER, name, rights)));
    entries.add(new AclEntry(scope, AclType.GROUP, "", bounded.group()));
    bounded
        .groups()
        .forEach((name, rights) -> entries.add(new AclEntry(scope, AclType.GROUP, name, rights)));
    mask.ifPresent(rights -> entries.add(new AclEntry(scope, AclType.MASK, "", rights)));
    entries.add(new AclEntry(scope, AclType.OTHER, "", other));
    return entries;
  }
}
