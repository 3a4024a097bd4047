package org.weft.metadata.quota;

import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** The refusals that a client gets when a quota is exceeded. */
public final class QuotaMessages {
  private QuotaMessages() {}

  /** QUOTA_EXCEEDED, with the tree, its limit, what is used of it, and what can be done. */
  public static WeftException exceeded(QuotaLedger.Excess excess) {
    if (excess.limit() == QuotaLedger.MAX_BYTES) {
      return new WeftException(
          ErrorCode.QUOTA_EXCEEDED,
          "/%s holds files of %d bytes together, holes included, and %d more cannot be counted: a tree has at most %d; remove or shorten sparse files there"
              .formatted(excess.tree().path(), excess.used(), excess.asked(), excess.limit()));
    }
    String what = excess.ofBytes() ? "bytes" : "files";
    String reserved =
        excess.reserved() == 0
            ? ""
            : " and %d more are promised to files that are being written"
                .formatted(excess.reserved());
    return new WeftException(
        ErrorCode.QUOTA_EXCEEDED,
        "the quota of /%s is exceeded: %d of %d %s are used%s, and %d more do not fit; remove files there, or have the quota raised with `weft quota set`"
            .formatted(
                excess.tree().path(),
                excess.used(),
                excess.limit(),
                what,
                reserved,
                excess.asked()));
  }
}
