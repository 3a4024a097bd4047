package org.weft.metadata.quota;

import java.util.Objects;
import org.weft.protocol.id.ObjectId;

/**
 * A tree whose usage is counted. Once counted it stays counted, also without limits.
 *
 * @param directory its uppermost; names the tree
 * @param parent the tree around it; {@link #NONE} if there is none
 * @param path where the directory was when the quota was set, for people
 * @param counted all of it has been counted: its hard limits are in force
 */
public record QuotaTree(
    ObjectId directory, ObjectId parent, String path, QuotaLimits limits, boolean counted) {
  /** Nodes of no tree are of this one. */
  public static final ObjectId NONE = new ObjectId(0);

  public QuotaTree {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(parent, "parent");
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(limits, "limits");
  }

  /** The same within another tree. */
  public QuotaTree within(ObjectId newParent) {
    return new QuotaTree(directory, newParent, path, limits, counted);
  }

  /** The same with other limits. */
  public QuotaTree limited(QuotaLimits newLimits, String newPath) {
    return new QuotaTree(directory, parent, newPath, newLimits, counted);
  }

  /** The same once all of it has been counted. */
  public QuotaTree asCounted() {
    return new QuotaTree(directory, parent, path, limits, true);
  }

  /** Bytes may be refused. */
  boolean boundsBytes() {
    return counted && limits.hardBytes() != 0;
  }
}
