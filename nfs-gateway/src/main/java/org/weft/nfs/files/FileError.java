package org.weft.nfs.files;

/** Why an operation was not done. */
public enum FileError {
  /** The bytes name no node: forged, truncated, or of another cluster. */
  BAD_HANDLE,

  /** The node, its volume or its export existed and is gone. */
  STALE,
  NOT_FOUND,
  EXISTS,

  /** Only the owner or the superuser may do it. */
  NOT_PERMITTED,

  /** The mode of a node on the way does not allow it. */
  ACCESS_DENIED,
  NOT_DIRECTORY,
  IS_DIRECTORY,
  NOT_EMPTY,
  INVALID,
  NAME_TOO_LONG,

  /** Two nodes of different volumes or exports. */
  CROSS_VOLUME,
  TOO_LARGE,
  NO_SPACE,
  QUOTA_EXCEEDED,
  READ_ONLY,
  TOO_MANY_LINKS,

  /** The node changed since the time that the caller states. */
  GUARD_FAILED,
  BAD_COOKIE,

  /** The reply would not fit the space that the caller has. */
  TOO_SMALL,
  BAD_TYPE,
  UNSUPPORTED,

  /** Busy, or a part of the cluster is away: the caller shall ask again after a while. */
  TRY_LATER,

  /** Data is lost or damaged for good. */
  IO,

  /** A mistake of the program. */
  INTERNAL
}
