package org.weft.nfs.mount;

import org.weft.nfs.files.FileError;

/** mountstat3, RFC 1813 section 5.1.5. */
enum MountStatus {
  OK(0),
  PERM(1),
  NOENT(2),
  IO(5),
  ACCES(13),
  NOTDIR(20),
  INVAL(22),
  NAMETOOLONG(63),
  NOTSUPP(10_004),
  SERVERFAULT(10_006);

  private final int number;

  MountStatus(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  /** The status that a client gets. */
  static MountStatus of(FileError error) {
    return switch (error) {
      case NOT_FOUND, STALE -> NOENT;
      case NOT_PERMITTED -> PERM;
      case ACCESS_DENIED -> ACCES;
      case NOT_DIRECTORY -> NOTDIR;
      case INVALID -> INVAL;
      case NAME_TOO_LONG -> NAMETOOLONG;
      case UNSUPPORTED -> NOTSUPP;
      case IO, TRY_LATER -> IO;
      default -> SERVERFAULT;
    };
  }
}
