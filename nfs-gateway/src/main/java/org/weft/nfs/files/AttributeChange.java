package org.weft.nfs.files;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Attributes to set, all in one record; what is empty stays, or is what a new node has by default.
 *
 * @param mode the lowest twelve bits
 * @param sizeBytes cuts the file, or lets zeros follow
 */
public record AttributeChange(
    OptionalInt mode,
    Optional<String> owner,
    Optional<String> group,
    OptionalLong sizeBytes,
    TimeChange atime,
    TimeChange mtime) {
  public static final AttributeChange NOTHING =
      new AttributeChange(
          OptionalInt.empty(),
          Optional.empty(),
          Optional.empty(),
          OptionalLong.empty(),
          TimeChange.KEEP,
          TimeChange.KEEP);
}
