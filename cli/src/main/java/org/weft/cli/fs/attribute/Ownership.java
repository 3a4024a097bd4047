package org.weft.cli.fs.attribute;

import java.util.Optional;
import org.weft.client.AttributeChanges;
import org.weft.client.FileStatus;

/** An owner, a group or both, as they are to be. */
record Ownership(Optional<String> owner, Optional<String> group) {
  /**
   * Reads "ann", "ann:staff" or ":staff".
   *
   * @throws IllegalArgumentException if it is none of these
   */
  static Ownership parse(String text) {
    int colon = text.indexOf(':');
    String owner = colon < 0 ? text : text.substring(0, colon);
    String group = colon < 0 ? "" : text.substring(colon + 1);
    boolean whole = colon < 0 ? !owner.isEmpty() : !group.isEmpty() && group.indexOf(':') < 0;
    if (!whole) {
      throw new IllegalArgumentException("expected USER, USER:GROUP or :GROUP, got '" + text + "'");
    }
    return new Ownership(
        Optional.of(owner).filter(name -> !name.isEmpty()),
        Optional.of(group).filter(name -> !name.isEmpty()));
  }

  /** The ownership changes to make; empty if there are none. */
  Optional<AttributeChanges> changes(FileStatus status) {
    boolean same =
        owner.orElse(status.owner()).equals(status.owner())
            && group.orElse(status.group()).equals(status.group());
    if (same) {
      return Optional.empty();
    }
    AttributeChanges changes = AttributeChanges.none();
    if (owner.isPresent()) {
      changes = changes.withOwner(owner.get());
    }
    return Optional.of(group.isPresent() ? changes.withGroup(group.get()) : changes);
  }
}
