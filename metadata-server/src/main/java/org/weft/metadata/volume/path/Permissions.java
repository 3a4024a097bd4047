package org.weft.metadata.volume.path;

import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.protocol.acl.RightBits;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** POSIX permission rules, those of access control lists with them. Pure. */
public final class Permissions {
  /** Bits of a wanted right, as in one class of a mode. */
  public static final int READ = RightBits.READ;

  public static final int WRITE = RightBits.WRITE;
  public static final int EXECUTE = RightBits.EXECUTE;

  static final int SETUID = 04000;
  public static final int SETGID = 02000;
  public static final int STICKY = 01000;
  private static final int GROUP_EXECUTE = 010;
  private static final int OWNER_SHIFT = 6;

  private Permissions() {}

  /**
   * Whether a user may do all that the bits {@link #READ}, {@link #WRITE}, {@link #EXECUTE} say.
   */
  public static boolean allows(Attributes node, Credentials credentials, int wanted) {
    if (credentials.superuser()) {
      return true;
    }
    if (credentials.user().equals(node.owner())) {
      return (node.mode() >>> OWNER_SHIFT & wanted) == wanted;
    }
    return node.acls().allows(node.mode(), node.group(), credentials, wanted);
  }

  /** The bits of all that a user may do. */
  public static int rights(Attributes node, Credentials credentials) {
    int rights = 0;
    for (int right : new int[] {READ, WRITE, EXECUTE}) {
      rights |= allows(node, credentials, right) ? right : 0;
    }
    return rights;
  }

  /**
   * @param what names the node in the message
   * @throws WeftException PERMISSION_DENIED naming the user, the node and the right that is lacking
   */
  public static void require(Attributes node, Credentials credentials, int wanted, Object what)
      throws WeftException {
    if (!allows(node, credentials, wanted)) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "user "
              + credentials.user()
              + " has no "
              + describe(wanted)
              + " permission on "
              + what
              + " ("
              + node.owner()
              + ":"
              + node.group()
              + " "
              + modeText(node.mode())
              + (node.acls().access().isPresent() ? " and an ACL" : "")
              + ")");
    }
  }

  /** For what only the owner and superusers may do. */
  public static void requireOwner(Attributes node, Credentials credentials, String act, Object what)
      throws WeftException {
    if (!credentials.superuser() && !credentials.user().equals(node.owner())) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "only its owner "
              + node.owner()
              + " or a superuser may "
              + act
              + " "
              + what
              + ", not user "
              + credentials.user());
    }
  }

  /** In a sticky directory an entry is removed or replaced by its owner or the directory's only. */
  public static boolean isBarredBySticky(
      Attributes parent, Attributes child, Credentials credentials) {
    return (parent.mode() & STICKY) != 0
        && !credentials.superuser()
        && !credentials.user().equals(child.owner())
        && !credentials.user().equals(parent.owner());
  }

  /**
   * @throws WeftException PERMISSION_DENIED where the directory's sticky bit bars the user
   */
  public static void requireSticky(
      Attributes parent, Attributes child, Credentials credentials, Object what)
      throws WeftException {
    if (isBarredBySticky(parent, child, credentials)) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "user "
              + credentials.user()
              + " may not remove or replace "
              + what
              + ": its directory is sticky and it belongs to "
              + child.owner());
    }
  }

  /**
   * Group of something new: its directory's, as in BSD and HDFS, whether that is setgid or not. The
   * bit only decides whether new directories are setgid in their turn.
   */
  public static String groupOfNew(Attributes parent) {
    return parent.group();
  }

  /**
   * Mode of something new: directories pass setgid on; files lose it where the creator is no
   * member.
   */
  public static int modeOfNew(
      Attributes parent, NodeKind kind, int wanted, Credentials credentials) {
    int mode = wanted & Attributes.MODE_BITS;
    if (kind == NodeKind.DIRECTORY) {
      return mode | parent.mode() & SETGID;
    }
    return withoutForeignSetgid(mode, groupOfNew(parent), credentials);
  }

  /**
   * The mode that something new is asked for with: a default ACL of its directory takes the place
   * of the umask.
   */
  public static int withoutUmask(Attributes parent, int mode, int umask) {
    return parent.acls().defaults().isPresent() ? mode : mode & ~umask;
  }

  /** A file may be setgid to a group only by a member of it. */
  public static int withoutForeignSetgid(int mode, String group, Credentials credentials) {
    return credentials.superuser() || credentials.in(group) ? mode : mode & ~SETGID;
  }

  /**
   * What remains of the mode of anything but a directory after such a change (P 6.5c.8.32). The
   * change is a new owner or group, set by any user, or new bytes, written by a user that is no
   * superuser. The file no longer runs with the rights of its owner or group. Setgid without the
   * right to execute is no such right: it marks mandatory locks.
   */
  public static int withoutRightsOfOthers(int mode) {
    int withoutSetuid = mode & ~SETUID;
    return (mode & GROUP_EXECUTE) != 0 ? withoutSetuid & ~SETGID : withoutSetuid;
  }

  /** The file as it is once a user may change its bytes; the same object if that is as it was. */
  public static Attributes afterWrite(Attributes file, Credentials credentials, long dayNanos) {
    int mode = credentials.superuser() ? file.mode() : withoutRightsOfOthers(file.mode());
    return mode == file.mode()
        ? file
        : file.edit().mode(mode).times(file.times().touched(dayNanos)).build();
  }

  private static String describe(int wanted) {
    StringBuilder text = new StringBuilder();
    append(text, wanted & READ, "read");
    append(text, wanted & WRITE, "write");
    append(text, wanted & EXECUTE, "execute");
    return text.toString();
  }

  private static void append(StringBuilder text, int bit, String word) {
    if (bit != 0) {
      text.append(text.isEmpty() ? "" : " and ").append(word);
    }
  }

  private static String modeText(int mode) {
    return "%04o".formatted(mode & Attributes.MODE_BITS);
  }
}
