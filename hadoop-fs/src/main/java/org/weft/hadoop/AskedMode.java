package org.weft.hadoop;

import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The mode of something new. A manager takes the umask off, unless the directory's default ACL
 * takes its place.
 *
 * @param mode before anything is taken off
 * @param umask bits to take off
 */
record AskedMode(int mode, int umask) {
  private static final int PERMISSION_BITS = 0777;
  private static final int OWNER_WRITE_EXECUTE = 0300;

  /** The permission, and what it was before the umask was taken off, where that is known. */
  static AskedMode of(FsPermission permission) {
    FsPermission unmasked = permission.getUnmasked();
    if (unmasked == null) {
      return new AskedMode(permission.toShort(), 0);
    }
    int mode = unmasked.toShort();
    return new AskedMode(mode, mode & ~permission.toShort() & PERMISSION_BITS);
  }

  /** What makes directories that are asked for with all rights have this mode, and be passable. */
  int umaskAbove() {
    return PERMISSION_BITS & ~(mode & ~umask | OWNER_WRITE_EXECUTE);
  }

  /** With that umask it comes to the same. */
  boolean agreesWith(int bits) {
    return (mode & ~bits) == (mode & ~umask);
  }
}
