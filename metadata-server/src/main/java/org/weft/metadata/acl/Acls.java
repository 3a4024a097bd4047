package org.weft.metadata.acl;

import java.util.Objects;
import java.util.Optional;

/**
 * What a node has beside its mode. Where {@link #access} is present the group bits of the mode are
 * the mask, so that a change of mode changes the mask. Immutable.
 *
 * @param access entries that the mask bounds; the owner's, the mask and that of others are the mode
 * @param defaults of a directory: new nodes in it begin with this list
 */
public record Acls(Optional<BoundedEntries> access, Optional<Acl> defaults) {
  /** The mode alone counts. */
  public static final Acls NONE = new Acls(Optional.empty(), Optional.empty());

  private static final int GROUP_SHIFT = 3;

  public Acls {
    Objects.requireNonNull(access, "access");
    Objects.requireNonNull(defaults, "defaults");
  }

  public boolean isNone() {
    return access.isEmpty() && defaults.isEmpty();
  }

  /** Bytes that they take in a page, no fewer than they have. */
  public int bytes() {
    return access.map(BoundedEntries::bytes).orElse(0)
        + defaults.map(acl -> 32 + acl.bounded().bytes()).orElse(0);
  }

  /**
   * Whether a user that is neither the owner nor a superuser has all of the rights wanted. The
   * entry of the user's own name decides alone. Without it, one entry of the user's groups must
   * have all of the rights. Where the user is in a group of the list, nothing else counts. Else
   * what others have decides. Named entries and groups have no more than the mask.
   *
   * @param mode of the node
   * @param owningGroup of the node
   */
  public boolean allows(int mode, String owningGroup, Credentials credentials, int wanted) {
    int groupBits = mode >>> GROUP_SHIFT & Acl.RIGHTS;
    if (access.isEmpty()) {
      return ((credentials.in(owningGroup) ? groupBits : mode) & wanted) == wanted;
    }
    BoundedEntries bounded = access.get();
    Integer own = bounded.users().get(credentials.user());
    if (own != null) {
      return (own & groupBits & wanted) == wanted;
    }
    boolean member = credentials.in(owningGroup);
    if (member && (bounded.group() & groupBits & wanted) == wanted) {
      return true;
    }
    for (String group : credentials.groups()) {
      Integer rights = bounded.groups().get(group);
      if (rights != null) {
        member = true;
        if ((rights & groupBits & wanted) == wanted) {
          return true;
        }
      }
    }
    return !member && (mode & wanted) == wanted;
  }

  /** The lists of a new node in a directory with these lists; {@link #modeOfNew} gives its mode. */
  public Acls ofNew(boolean directory) {
    if (defaults.isEmpty()) {
      return NONE;
    }
    Acl start = defaults.get();
    Optional<BoundedEntries> inherited =
        start.isExtended() ? Optional.of(start.bounded()) : Optional.empty();
    return new Acls(inherited, directory ? defaults : Optional.empty());
  }

  /**
   * The mode of a new node in a directory with these lists. Where there is a default, no umask is
   * taken off.
   */
  public int modeOfNew(int mode) {
    return defaults.map(start -> mode & ~0777 | start.madeWith(mode).modeBits()).orElse(mode);
  }
}
