package org.weft.nfs.nlm;

import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** nlm4_stats, RFC 1813 section 6.1.2; their numbers are 0 to 9 in this order. */
public enum NlmStatus {
  GRANTED,
  DENIED,
  DENIED_NOLOCKS,

  /** It waits; GRANTED is called when it has the lock. */
  BLOCKED,
  DENIED_GRACE_PERIOD,
  DEADLOCK,
  READ_ONLY,
  STALE_HANDLE,
  TOO_LARGE,
  FAILED;

  static NlmStatus read(XdrReader in) throws MalformedXdrException {
    return values()[in.choice(values().length - 1)];
  }

  void write(XdrWriter out) {
    out.int32(ordinal());
  }
}
