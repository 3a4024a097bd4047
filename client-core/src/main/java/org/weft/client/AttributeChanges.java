package org.weft.client;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.weft.client.file.FileModes;
import org.weft.client.volume.VolumeCalls;

/**
 * Attributes to set; what is empty stays as it is.
 *
 * @param mode permission bits, 07777; no umask is taken off
 * @param mtimeMillis wall clock
 * @param atimeMillis wall clock
 */
public record AttributeChanges(
    OptionalInt mode,
    Optional<String> owner,
    Optional<String> group,
    OptionalLong mtimeMillis,
    OptionalLong atimeMillis) {
  /**
   * As a time: the manager's time of day. A change that sets nothing else is allowed to every user
   * that may write the file; other times only its owner may set.
   */
  public static final long NOW_MILLIS = Long.MIN_VALUE;

  public AttributeChanges {
    mode.ifPresent(FileModes::check);
  }

  /** Sets nothing. */
  public static AttributeChanges none() {
    return new AttributeChanges(
        OptionalInt.empty(),
        Optional.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        OptionalLong.empty());
  }

  /**
   * Sets the mode too.
   *
   * @throws IllegalArgumentException if it has other bits than 07777
   */
  public AttributeChanges withMode(int wanted) {
    return new AttributeChanges(OptionalInt.of(wanted), owner, group, mtimeMillis, atimeMillis);
  }

  /** Sets the owner too, by name. */
  public AttributeChanges withOwner(String wanted) {
    return new AttributeChanges(mode, Optional.of(wanted), group, mtimeMillis, atimeMillis);
  }

  /** Sets the group too, by name. */
  public AttributeChanges withGroup(String wanted) {
    return new AttributeChanges(mode, owner, Optional.of(wanted), mtimeMillis, atimeMillis);
  }

  /** Sets the time of the last change of the contents too, or {@link #NOW_MILLIS}. */
  public AttributeChanges withMtimeMillis(long wanted) {
    return new AttributeChanges(mode, owner, group, OptionalLong.of(wanted), atimeMillis);
  }

  /** Sets the time of the last access too, or {@link #NOW_MILLIS}. */
  public AttributeChanges withAtimeMillis(long wanted) {
    return new AttributeChanges(mode, owner, group, mtimeMillis, OptionalLong.of(wanted));
  }

  VolumeCalls.Changes request() {
    return new VolumeCalls.Changes(mode, owner, group, mtimeMillis, atimeMillis);
  }
}
