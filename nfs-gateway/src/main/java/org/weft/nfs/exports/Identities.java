package org.weft.nfs.exports;

/**
 * Users and groups by number and by name, the same at all gateways. Thread-safe and quick: nothing
 * is asked for over a network.
 */
public interface Identities {
  /** The number that stands for no one in particular. */
  int NOBODY = 65_534;

  /** The user of that number, unsigned; never fails. */
  String user(int uid);

  String group(int gid);

  /** The number of a user, {@link #NOBODY} if it has none. */
  int uid(String user);

  int gid(String group);
}
