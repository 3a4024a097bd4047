package org.weft.client.ids;

import java.util.Optional;

/**
 * The attributes of a node before and after an operation. Before and after are of one record: no
 * other change lies between.
 *
 * @param before empty where it is not known for sure
 * @param after empty where the node is gone or not known
 */
public record NodeChange(Optional<BeforeChange> before, Optional<NodeAttributes> after) {
  public static final NodeChange UNKNOWN = new NodeChange(Optional.empty(), Optional.empty());

  public static NodeChange of(NodeAttributes before, NodeAttributes after) {
    return new NodeChange(Optional.of(BeforeChange.of(before)), Optional.of(after));
  }

  /** The node was looked at, and is as it was. */
  public static NodeChange unchanged(NodeAttributes attributes) {
    return of(attributes, attributes);
  }

  /** What it is now is known, and not what it was. */
  public static NodeChange now(NodeAttributes attributes) {
    return new NodeChange(Optional.empty(), Optional.of(attributes));
  }
}
