package org.weft.nfs.model;

import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;

/** wcc_data as a client reads it; what is missing is null. */
public record WccData(Pre before, Fattr after) {
  /** wcc_attr. */
  public record Pre(long size, long mtime, long ctime) {}

  static WccData read(XdrReader in) throws MalformedXdrException {
    Pre before = in.bool() ? new Pre(in.int64(), Fattr.time(in), Fattr.time(in)) : null;
    return new WccData(before, Fattr.optional(in));
  }
}
