package org.weft.nfs.files;

import java.util.Optional;

/**
 * A node around an operation. Before and after are of the same record: no other change lies between
 * them.
 *
 * @param before missing where it is not known for sure
 * @param after missing where the node is gone or not known
 */
public record Change(Optional<Before> before, Optional<Attributes> after) {
  /** Nothing is known. */
  public static final Change UNKNOWN = new Change(Optional.empty(), Optional.empty());

  public static Change of(Attributes before, Attributes after) {
    return new Change(Optional.of(Before.of(before)), Optional.of(after));
  }

  /** The node was looked at and left as it is. */
  public static Change unchanged(Attributes attributes) {
    return of(attributes, attributes);
  }
}
