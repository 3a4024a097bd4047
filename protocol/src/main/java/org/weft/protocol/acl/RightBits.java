package org.weft.protocol.acl;

/**
 * Bits of a user's rights on a file or directory. Modes, access control lists and replies of
 * managers use them. Replies put bits for read grants beside them (P 6.5b). On the wire and on
 * disks: they stay.
 */
public final class RightBits {
  public static final int READ = 4;
  public static final int WRITE = 2;

  /** Of a directory: to search it. */
  public static final int EXECUTE = 1;

  public static final int ALL = READ | WRITE | EXECUTE;

  /** The node is granted for reading. */
  public static final int GRANTED = 8;

  /** Only type, owner, group, mode and ACL of the node are granted (P 6.5c.8.22). */
  public static final int RIGHTS_GRANTED = 16;

  private RightBits() {}

  /** True if the node is granted for reading. */
  public static boolean isGranted(int bits) {
    return (bits & GRANTED) != 0;
  }
}
