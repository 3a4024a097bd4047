package org.weft.metadata.attributes;

import java.util.Objects;
import org.weft.protocol.id.ObjectId;

/**
 * Where a node was when its attributes were last written: a hint for rebuilding a volume (P 6.7).
 */
public record ParentHint(ObjectId directory, String name) {
  /** The hint of the root directory. */
  public static final ParentHint NONE = new ParentHint(new ObjectId(0), "");

  /** The hint of a file that has or had several names; no name can contain the slash. */
  public static final ParentHint MANY = new ParentHint(new ObjectId(0), "/");

  public ParentHint {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(name, "name");
  }
}
