package org.weft.metadata.quota;

import java.util.Objects;
import org.weft.protocol.id.ObjectId;

/**
 * Usage of a file while it is written under a share or has no name.
 *
 * @param tree that it is counted in; {@link QuotaTree#NONE} if in none
 * @param sizeBytes the length that is counted
 * @param limitBytes its writers may make it as long as that; {@link #NO_SHARE}: they have none
 */
public record QuotaFile(ObjectId object, ObjectId tree, long sizeBytes, long limitBytes) {
  /** In the place of a limit. */
  public static final long NO_SHARE = -1;

  public QuotaFile {
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(tree, "tree");
  }

  /** Nothing is to be known of the file any more. */
  public static QuotaFile forgotten(ObjectId object) {
    return new QuotaFile(object, QuotaTree.NONE, 0, NO_SHARE);
  }

  public boolean isForgotten() {
    return tree.equals(QuotaTree.NONE) && sizeBytes == 0 && limitBytes == NO_SHARE;
  }

  /** Its writers must not make it longer without asking. */
  public boolean hasShare() {
    return limitBytes != NO_SHARE;
  }

  /** Bytes of the share that are not counted as used. */
  public long reservedBytes() {
    return Math.max(0, limitBytes - sizeBytes);
  }
}
