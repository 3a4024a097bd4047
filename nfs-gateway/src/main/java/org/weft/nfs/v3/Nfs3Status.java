package org.weft.nfs.v3;

import org.weft.nfs.files.FileError;

/** nfsstat3, RFC 1813 section 2.6. */
public enum Nfs3Status {
  OK(0),
  PERM(1),
  NOENT(2),
  IO(5),
  NXIO(6),
  ACCES(13),
  EXIST(17),
  XDEV(18),
  NODEV(19),
  NOTDIR(20),
  ISDIR(21),
  INVAL(22),
  FBIG(27),
  NOSPC(28),
  ROFS(30),
  MLINK(31),
  NAMETOOLONG(63),
  NOTEMPTY(66),
  DQUOT(69),
  STALE(70),
  REMOTE(71),
  BADHANDLE(10_001),
  NOT_SYNC(10_002),
  BAD_COOKIE(10_003),
  NOTSUPP(10_004),
  TOOSMALL(10_005),
  SERVERFAULT(10_006),
  BADTYPE(10_007),
  JUKEBOX(10_008);

  private final int number;

  Nfs3Status(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  /** The status that a client gets. */
  static Nfs3Status of(FileError error) {
    return switch (error) {
      case BAD_HANDLE -> BADHANDLE;
      case STALE -> STALE;
      case NOT_FOUND -> NOENT;
      case EXISTS -> EXIST;
      case NOT_PERMITTED -> PERM;
      case ACCESS_DENIED -> ACCES;
      case NOT_DIRECTORY -> NOTDIR;
      case IS_DIRECTORY -> ISDIR;
      case NOT_EMPTY -> NOTEMPTY;
      case INVALID -> INVAL;
      case NAME_TOO_LONG -> NAMETOOLONG;
      case CROSS_VOLUME -> XDEV;
      case TOO_LARGE -> FBIG;
      case NO_SPACE -> NOSPC;
      case QUOTA_EXCEEDED -> DQUOT;
      case READ_ONLY -> ROFS;
      case TOO_MANY_LINKS -> MLINK;
      case GUARD_FAILED -> NOT_SYNC;
      case BAD_COOKIE -> BAD_COOKIE;
      case TOO_SMALL -> TOOSMALL;
      case BAD_TYPE -> BADTYPE;
      case UNSUPPORTED -> NOTSUPP;
      case TRY_LATER -> JUKEBOX;
      case IO -> IO;
      case INTERNAL -> SERVERFAULT;
    };
  }
}
