package org.weft.metadata.acl;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.acl.AclScope;

/**
 * A node's lists after a change, and the mode that shows them.
 *
 * @param modeBits the nine permission bits
 */
public record AclEdit(int modeBits, Acls acls) {
  /** The bound of each of a node's two lists, as in HDFS. */
  public static final int MAX_ENTRIES = 32;

  /** Longest name of a user or a group. */
  public static final int MAX_NAME_BYTES = 255;

  /**
   * Changes lists. A mask that is not given is computed anew where an entry was changed. It gets
   * all rights of named users, named groups and the owning group.
   *
   * @param mode of the node
   * @param entries of REPLACE, MODIFY and REMOVE_ENTRIES
   * @return what is kept from then on
   * @throws IllegalArgumentException naming what is wrong with the entries, or with what remained
   */
  public static AclEdit of(
      int mode, Acls acls, boolean directory, AclChange change, List<AclEntry> entries) {
    check(directory, change, entries);
    Acl now = Acl.of(mode, acls);
    if (change == AclChange.REMOVE_ALL) {
      Acl bare =
          new Acl(
              now.owner(),
              BoundedEntries.of(now.bounded().group()),
              java.util.OptionalInt.empty(),
              now.other());
      return new AclEdit(bare.modeBits(), Acls.NONE);
    }
    ScopeDraft access = new ScopeDraft(AclScope.ACCESS);
    ScopeDraft defaults = new ScopeDraft(AclScope.DEFAULT);
    access.begin(now);
    if (change != AclChange.REMOVE_DEFAULT) {
      acls.defaults().ifPresent(defaults::begin);
    }
    if (change == AclChange.REPLACE) {
      entries.forEach(entry -> (entry.scope() == AclScope.ACCESS ? access : defaults).clear());
    }
    for (AclEntry entry : entries) {
      ScopeDraft draft = entry.scope() == AclScope.ACCESS ? access : defaults;
      if (change == AclChange.REMOVE_ENTRIES) {
        draft.remove(entry);
      } else {
        draft.put(entry);
      }
    }
    Acl built = access.build();
    if (!defaults.isEmpty()) {
      defaults.complete(access);
    }
    return new AclEdit(
        built.modeBits(),
        new Acls(
            built.isExtended() ? Optional.of(built.bounded()) : Optional.empty(),
            defaults.isEmpty() ? Optional.empty() : Optional.of(defaults.build())));
  }

  private static void check(boolean directory, AclChange change, List<AclEntry> entries) {
    boolean needsEntries =
        change == AclChange.REPLACE
            || change == AclChange.MODIFY
            || change == AclChange.REMOVE_ENTRIES;
    if (needsEntries == entries.isEmpty()) {
      throw new IllegalArgumentException(
          needsEntries
              ? "a change of an ACL names at least one entry"
              : "a removal of a whole ACL names no entries");
    }
    if (entries.size() > 2 * MAX_ENTRIES) {
      throw new IllegalArgumentException(
          "an ACL has at most "
              + MAX_ENTRIES
              + " entries of access and as many of default, got "
              + entries.size());
    }
    Set<String> seen = new HashSet<>();
    for (AclEntry entry : entries) {
      int bytes = entry.name().getBytes(StandardCharsets.UTF_8).length;
      if (bytes > MAX_NAME_BYTES) {
        throw new IllegalArgumentException(
            "the name of a user or group in an ACL has at most "
                + MAX_NAME_BYTES
                + " bytes, got "
                + bytes);
      }
      if (change != AclChange.REMOVE_ENTRIES) {
        checkPut(directory, entry, seen);
      }
    }
  }

  private static void checkPut(boolean directory, AclEntry entry, Set<String> seen) {
    if (entry.scope() == AclScope.DEFAULT && !directory) {
      throw new IllegalArgumentException(
          "only a directory may have a default ACL, got the entry " + entry);
    }
    if (!seen.add(entry.scope() + " " + entry.type() + " " + entry.name())) {
      throw new IllegalArgumentException(
          "an ACL has one entry for each of its users and groups, got a second for " + entry);
    }
  }

  /** All entries of a node: those of the mode, those beside it, and the default. */
  public static List<AclEntry> entries(int mode, Acls acls) {
    List<AclEntry> all = Acl.of(mode, acls).entries(AclScope.ACCESS);
    acls.defaults().ifPresent(acl -> all.addAll(acl.entries(AclScope.DEFAULT)));
    return all;
  }
}
