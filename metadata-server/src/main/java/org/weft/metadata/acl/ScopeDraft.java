package org.weft.metadata.acl;

import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.acl.AclScope;
import org.weft.protocol.acl.AclType;

/** One of a node's two lists during a change. Confined to one change. */
final class ScopeDraft {
  /**
   * The user or group that an entry is for; of the owner and the owning group the name is empty.
   */
  private record Key(AclType type, String name) implements Comparable<Key> {
    static Key of(AclEntry entry) {
      return new Key(entry.type(), entry.name());
    }

    @Override
    public int compareTo(Key other) {
      int byType = type.compareTo(other.type);
      return byType != 0 ? byType : name.compareTo(other.name);
    }
  }

  private static final Key OWNER = new Key(AclType.USER, "");
  private static final Key GROUP = new Key(AclType.GROUP, "");
  private static final Key MASK = new Key(AclType.MASK, "");
  private static final Key OTHER = new Key(AclType.OTHER, "");

  private final AclScope scope;
  private final SortedMap<Key, Integer> entries = new TreeMap<>();

  /** An entry was changed: a mask that was not named with it is computed anew. */
  private boolean changed;

  private boolean maskGiven;
  private boolean maskRemoved;

  ScopeDraft(AclScope scope) {
    this.scope = scope;
  }

  void begin(Acl acl) {
    acl.entries(scope).forEach(entry -> entries.put(Key.of(entry), entry.rights()));
  }

  void clear() {
    entries.clear();
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  void put(AclEntry entry) {
    entries.put(Key.of(entry), entry.rights());
    changed = true;
    maskGiven |= entry.type() == AclType.MASK;
  }

  void remove(AclEntry entry) {
    if (entries.remove(Key.of(entry)) != null) {
      changed = true;
      maskRemoved |= entry.type() == AclType.MASK;
    }
  }

  /** What a default lacks of owner, owning group and others is as the access list has it. */
  void complete(ScopeDraft access) {
    for (Key key : new Key[] {OWNER, GROUP, OTHER}) {
      Integer rights = access.entries.get(key);
      if (rights != null) {
        entries.putIfAbsent(key, rights);
      }
    }
  }

  /** Throws {@link IllegalArgumentException} for what is no list. */
  Acl build() {
    Integer owner = entries.get(OWNER);
    Integer group = entries.get(GROUP);
    Integer other = entries.get(OTHER);
    if (owner == null || group == null || other == null) {
      throw new IllegalArgumentException(
          "the entries user::, group:: and other:: of an ACL are required"
              + (scope == AclScope.DEFAULT ? ", also of a default ACL" : "")
              + "; they are changed, not removed");
    }
    SortedMap<String, Integer> users = new TreeMap<>();
    SortedMap<String, Integer> groups = new TreeMap<>();
    entries.forEach(
        (key, rights) -> {
          if (!key.name().isEmpty()) {
            (key.type() == AclType.USER ? users : groups).put(key.name(), rights);
          }
        });
    BoundedEntries bounded = new BoundedEntries(group, users, groups);
    Acl acl = new Acl(owner, bounded, mask(bounded), other);
    int count = acl.entries(scope).size();
    if (count > AclEdit.MAX_ENTRIES) {
      throw new IllegalArgumentException(
          "an ACL has at most "
              + AclEdit.MAX_ENTRIES
              + " entries of "
              + (scope == AclScope.ACCESS ? "access" : "default")
              + ", this one would have "
              + count
              + "; name a group in place of its members");
    }
    return acl;
  }

  private OptionalInt mask(BoundedEntries bounded) {
    Integer had = entries.get(MASK);
    if (maskRemoved && bounded.hasNames()) {
      throw new IllegalArgumentException(
          "the mask of an ACL with named users or groups cannot be removed; remove those too");
    }
    if (had != null && (maskGiven || !changed)) {
      return OptionalInt.of(had);
    }
    return had != null || bounded.hasNames()
        ? OptionalInt.of(bounded.union())
        : OptionalInt.empty();
  }
}
