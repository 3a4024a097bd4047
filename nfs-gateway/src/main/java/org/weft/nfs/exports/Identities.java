package org.weft.nfs.exports;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;

/**
 * Users and groups by number and by name. Thread-safe and quick: it waits for nothing. So what is
 * not in the cluster's table is {@link #learn learnt} before it is asked for.
 */
public interface Identities {
  /** The number that stands for no one in particular. */
  int NOBODY = 65_534;

  /** Numbers and names that are going to be asked for. */
  record Wanted(Set<Integer> uids, Set<Integer> gids, Set<String> users, Set<String> groups) {
    /** Users and groups are numbers alone. */
    public static Wanted numbers(Set<Integer> uids, Set<Integer> gids) {
      return new Wanted(uids, gids, Set.of(), Set.of());
    }
  }

  /** The user of that number, unsigned; never fails. */
  String user(int uid);

  String group(int gid);

  /** The number of a user, {@link #NOBODY} if it has none. */
  int uid(String user);

  int gid(String group);

  /**
   * Completes when these are known, or cannot be known now; never fails. At once where the
   * cluster's table alone counts.
   */
  default CompletableFuture<Void> learn(Wanted wanted) {
    return CompletableFuture.completedFuture(null);
  }

  /** True if something may have to be {@link #learn learnt}. */
  default boolean mayAsk() {
    return false;
  }

  /** False: it may have a name, which cannot be known now. */
  default boolean knowsUser(int uid) {
    return true;
  }

  /** The same of a group. */
  default boolean knowsGroup(int gid) {
    return true;
  }

  /**
   * The user of that number.
   *
   * @throws FileException TRY_LATER if that cannot be known now
   */
  default String requireUser(int uid) throws FileException {
    if (!knowsUser(uid)) {
      throw new FileException(
          FileError.TRY_LATER,
          "user " + Integer.toUnsignedString(uid) + " cannot be looked up now");
    }
    return user(uid);
  }

  /**
   * The group of that number.
   *
   * @throws FileException TRY_LATER if that cannot be known now
   */
  default String requireGroup(int gid) throws FileException {
    if (!knowsGroup(gid)) {
      throw new FileException(
          FileError.TRY_LATER,
          "group " + Integer.toUnsignedString(gid) + " cannot be looked up now");
    }
    return group(gid);
  }
}
