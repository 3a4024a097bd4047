package org.weft.nfs.v3;

import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;

/**
 * Cookies of NFS and of the file service. "." has 1 and ".." has 2, so that those of the service
 * stand behind them. Cookies never go stale, and the verifier is 0 for ever.
 */
final class Cookies {
  static final long START = 0;
  static final long DOT = 1;
  static final long DOT_DOT = 2;
  static final long VERIFIER = 0;

  private Cookies() {}

  /** The client's cookie of an entry. */
  static long ofEntry(long serviceCookie) {
    return serviceCookie + DOT_DOT;
  }

  /** Where the service goes on behind a client's cookie. */
  static long ofService(long cookie) {
    return Long.compareUnsigned(cookie, DOT_DOT) <= 0 ? 0 : cookie - DOT_DOT;
  }

  /**
   * A client that goes on states the verifier that it was given.
   *
   * @throws FileException BAD_COOKIE if none of ours can be this one
   */
  static void check(long cookie, long verifier) throws FileException {
    if (verifier != VERIFIER && cookie != START) {
      throw new FileException(
          FileError.BAD_COOKIE, "no directory has the verifier " + Long.toUnsignedString(verifier));
    }
    if (ofService(cookie) < 0) {
      throw new FileException(
          FileError.BAD_COOKIE, "no entry has the cookie " + Long.toUnsignedString(cookie));
    }
  }
}
