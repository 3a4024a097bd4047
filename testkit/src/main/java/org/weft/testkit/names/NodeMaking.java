package org.weft.testkit.names;

/**
 * What is to be known of a node that an operation makes.
 *
 * @param id the number of the operation
 * @param objectId what the file system calls it; 0 if no client was told
 */
public record NodeMaking(int id, long objectId, NameUser user, int mode, int umask) {
  /** By the superuser, for all. */
  public static NodeMaking of(int id, long objectId) {
    return new NodeMaking(id, objectId, NameUser.SUPERUSER, 0777, 0);
  }

  /** The directory that is missing above it, which its owner may use whatever the umask says. */
  NodeMaking above(int number) {
    return new NodeMaking(number, 0, user, 0777, umask & ~0300);
  }
}
