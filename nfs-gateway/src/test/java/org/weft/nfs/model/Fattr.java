package org.weft.nfs.model;

import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;

/** fattr3 as a client reads it. */
public record Fattr(
    int type,
    int mode,
    int links,
    int uid,
    int gid,
    long size,
    long used,
    int major,
    int minor,
    long fsid,
    long fileId,
    long atime,
    long mtime,
    long ctime) {
  static Fattr read(XdrReader in) throws MalformedXdrException {
    return new Fattr(
        in.int32(),
        in.int32(),
        in.int32(),
        in.int32(),
        in.int32(),
        in.int64(),
        in.int64(),
        in.int32(),
        in.int32(),
        in.int64(),
        in.int64(),
        time(in),
        time(in),
        time(in));
  }

  static long time(XdrReader in) throws MalformedXdrException {
    return in.uint32() * 1_000_000_000 + in.uint32();
  }

  /** post_op_attr; null if there is none. */
  static Fattr optional(XdrReader in) throws MalformedXdrException {
    return in.bool() ? read(in) : null;
  }
}
