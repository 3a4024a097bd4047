package org.weft.protocol.acl;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.weft.protocol.wire.AclEntryMessage;
import org.weft.protocol.wire.AclScopeMessage;
import org.weft.protocol.wire.AclTypeMessage;

/**
 * One entry of an access control list, as POSIX 1003.1e (draft 17) has it. Ordered as a list is
 * shown: access before default; the owner, named users, the owning group, named groups, the mask,
 * others. Immutable.
 *
 * @param name empty: the owner, the owning group; always empty of a mask and of others
 * @param rights read 4, write 2, execute 1
 */
public record AclEntry(AclScope scope, AclType type, String name, int rights)
    implements Comparable<AclEntry> {
  /** All rights. */
  public static final int ALL = RightBits.ALL;

  private static final String DEFAULT_PREFIX = "default:";
  private static final Comparator<AclEntry> ORDER =
      Comparator.comparing(AclEntry::scope)
          .thenComparing(AclEntry::type)
          .thenComparing(AclEntry::name)
          .thenComparingInt(AclEntry::rights);

  public AclEntry {
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(name, "name");
    if ((rights & ~ALL) != 0) {
      throw new IllegalArgumentException("rights of an ACL entry are 0..7, got " + rights);
    }
    if (!name.isEmpty() && (type == AclType.MASK || type == AclType.OTHER)) {
      throw new IllegalArgumentException(
          "an ACL entry of " + type.word() + " has no name, got '" + name + "'");
    }
    if (name.indexOf(':') >= 0 || name.indexOf(',') >= 0 || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "the name in an ACL entry has no colon, comma or NUL, got '"
              + name.replace('\0', '?')
              + "'");
    }
  }

  /** An entry that access is decided by. */
  public static AclEntry access(AclType type, String name, int rights) {
    return new AclEntry(AclScope.ACCESS, type, name, rights);
  }

  /** An entry that new files of a directory begin with. */
  public static AclEntry byDefault(AclType type, String name, int rights) {
    return new AclEntry(AclScope.DEFAULT, type, name, rights);
  }

  /** It is for a user or a group by name. */
  public boolean isNamed() {
    return !name.isEmpty();
  }

  /** One of the three that every list has: owner, owning group, others. */
  public boolean isBase() {
    return !isNamed() && type != AclType.MASK;
  }

  /** Both are for the same, whatever their rights. */
  public boolean isLike(AclEntry other) {
    return scope == other.scope && type == other.type && name.equals(other.name);
  }

  /**
   * Reads entries as they are written: {@code user:bob:r-x,default:group::rwx}.
   *
   * @param withRights false: entries to be removed, which end behind the name
   */
  public static List<AclEntry> parseAll(String text, boolean withRights) {
    List<AclEntry> entries = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      entries.add(parse(part.strip(), withRights));
    }
    return List.copyOf(entries);
  }

  private static AclEntry parse(String text, boolean withRights) {
    boolean byDefault = text.startsWith(DEFAULT_PREFIX);
    String[] parts = (byDefault ? text.substring(DEFAULT_PREFIX.length()) : text).split(":", -1);
    boolean lacksName = !withRights && parts.length == 1;
    if (parts.length != (withRights ? 3 : 2) && !lacksName) {
      throw new IllegalArgumentException(
          "an ACL entry is written "
              + (withRights ? "[default:]TYPE:NAME:RIGHTS, as user:bob:r-x" : "[default:]TYPE:NAME")
              + ", got '"
              + text
              + "'");
    }
    return new AclEntry(
        byDefault ? AclScope.DEFAULT : AclScope.ACCESS,
        typeOf(parts[0], text),
        lacksName ? "" : parts[1],
        withRights ? rightsOf(parts[2], text) : 0);
  }

  private static AclType typeOf(String word, String text) {
    for (AclType type : AclType.values()) {
      if (type.word().equals(word)) {
        return type;
      }
    }
    throw new IllegalArgumentException(
        "an ACL entry begins with user, group, mask or other, got '" + text + "'");
  }

  private static int rightsOf(String word, String text) {
    boolean known =
        word.length() == 3
            && (word.charAt(0) == 'r' || word.charAt(0) == '-')
            && (word.charAt(1) == 'w' || word.charAt(1) == '-')
            && (word.charAt(2) == 'x' || word.charAt(2) == '-');
    if (!known) {
      throw new IllegalArgumentException(
          "rights of an ACL entry are written as rwx or r-x, got '" + text + "'");
    }
    return (word.charAt(0) == 'r' ? RightBits.READ : 0)
        | (word.charAt(1) == 'w' ? RightBits.WRITE : 0)
        | (word.charAt(2) == 'x' ? RightBits.EXECUTE : 0);
  }

  /** Rights as they are written: {@code r-x}. */
  public static String rightsText(int rights) {
    return ((rights & RightBits.READ) != 0 ? "r" : "-")
        + ((rights & RightBits.WRITE) != 0 ? "w" : "-")
        + ((rights & RightBits.EXECUTE) != 0 ? "x" : "-");
  }

  public AclEntryMessage toMessage() {
    return AclEntryMessage.newBuilder()
        .setScope(
            scope == AclScope.ACCESS ? AclScopeMessage.ACL_ACCESS : AclScopeMessage.ACL_DEFAULT)
        .setType(
            switch (type) {
              case USER -> AclTypeMessage.ACL_USER;
              case GROUP -> AclTypeMessage.ACL_GROUP;
              case MASK -> AclTypeMessage.ACL_MASK;
              case OTHER -> AclTypeMessage.ACL_OTHER;
            })
        .setName(name)
        .setRights(rights)
        .build();
  }

  /** What breaks a rule is an {@link IllegalArgumentException}. */
  public static AclEntry fromMessage(AclEntryMessage message) {
    return new AclEntry(
        switch (message.getScope()) {
          case ACL_ACCESS -> AclScope.ACCESS;
          case ACL_DEFAULT -> AclScope.DEFAULT;
          case UNRECOGNIZED -> throw new IllegalArgumentException("an ACL entry of unknown scope");
        },
        switch (message.getType()) {
          case ACL_USER -> AclType.USER;
          case ACL_GROUP -> AclType.GROUP;
          case ACL_MASK -> AclType.MASK;
          case ACL_OTHER -> AclType.OTHER;
          case ACL_TYPE_UNSPECIFIED, UNRECOGNIZED ->
              throw new IllegalArgumentException("an ACL entry of unknown type");
        },
        message.getName(),
        message.getRights());
  }

  @Override
  public int compareTo(AclEntry other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return (scope == AclScope.DEFAULT ? DEFAULT_PREFIX : "")
        + type.word()
        + ":"
        + name
        + ":"
        + rightsText(rights);
  }
}
