package org.weft.client.ids;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Attributes to set; what is empty stays, or is what a new node has by default.
 *
 * @param mode the lowest twelve bits; of a new node nothing is taken off it
 * @param sizeBytes of a file alone: cuts it, or lets zeros follow
 */
public record AttributesWish(
    OptionalInt mode,
    Optional<String> owner,
    Optional<String> group,
    OptionalLong sizeBytes,
    TimeWish atime,
    TimeWish mtime) {
  public static final AttributesWish NOTHING =
      new AttributesWish(
          OptionalInt.empty(),
          Optional.empty(),
          Optional.empty(),
          OptionalLong.empty(),
          TimeWish.KEEP,
          TimeWish.KEEP);

  public static AttributesWish ofMode(int mode) {
    return new AttributesWish(
        OptionalInt.of(mode),
        Optional.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        TimeWish.KEEP,
        TimeWish.KEEP);
  }

  public static AttributesWish ofSize(long sizeBytes) {
    return NOTHING.withSize(OptionalLong.of(sizeBytes));
  }

  public AttributesWish withMtime(TimeWish wanted) {
    return new AttributesWish(mode, owner, group, sizeBytes, atime, wanted);
  }

  public AttributesWish withSize(OptionalLong wanted) {
    return new AttributesWish(mode, owner, group, wanted, atime, mtime);
  }
}
