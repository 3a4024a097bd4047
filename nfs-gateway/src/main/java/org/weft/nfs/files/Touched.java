package org.weft.nfs.files;

import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;

/**
 * The nodes that an operation looked at or changed before it failed, by the part that they play.
 *
 * @param node the file that was named by its id
 * @param directory where a name was looked for, made or removed; of a rename, the old one
 * @param target of a rename, the new directory
 */
public record Touched(NodeChange node, NodeChange directory, NodeChange target) {
  /** None, or none that the caller may know of. */
  public static final Touched NONE =
      new Touched(NodeChange.UNKNOWN, NodeChange.UNKNOWN, NodeChange.UNKNOWN);

  public static Touched node(NodeAttributes attributes) {
    return new Touched(NodeChange.unchanged(attributes), NodeChange.UNKNOWN, NodeChange.UNKNOWN);
  }

  public static Touched directory(NodeAttributes attributes) {
    return new Touched(NodeChange.UNKNOWN, NodeChange.unchanged(attributes), NodeChange.UNKNOWN);
  }
}
