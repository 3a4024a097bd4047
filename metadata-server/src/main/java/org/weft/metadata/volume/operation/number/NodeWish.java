package org.weft.metadata.volume.operation.number;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.volume.path.Names;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.wire.AttributesWish;

/**
 * Attributes to set. An empty field stays, or has its default in a new node. Times are nanoseconds
 * since 1970.
 *
 * @param mtimeNow instead: the manager's time of day
 * @param atimeNow instead: the manager's time of day
 * @param sizeBytes set by others: it is only checked here
 */
public record NodeWish(
    OptionalInt mode,
    Optional<String> owner,
    Optional<String> group,
    OptionalLong mtimeNanos,
    OptionalLong atimeNanos,
    boolean mtimeNow,
    boolean atimeNow,
    OptionalLong sizeBytes) {
  /** Nothing is set. */
  public static final NodeWish NOTHING =
      new NodeWish(
          OptionalInt.empty(),
          Optional.empty(),
          Optional.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          false,
          false,
          OptionalLong.empty());

  /**
   * @throws WeftException INVALID_ARGUMENT or NAME_INVALID
   */
  public static NodeWish fromMessage(AttributesWish message) throws WeftException {
    if (message.hasMode() && (message.getMode() & ~Attributes.MODE_BITS) != 0) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a mode has the bits 07777, got 0" + Integer.toOctalString(message.getMode()));
    }
    if (message.hasSize()) {
      FileLimits.requireFileLength("a length", message.getSize());
    }
    return new NodeWish(
        message.hasMode() ? OptionalInt.of(message.getMode()) : OptionalInt.empty(),
        principal(message.hasOwner(), message.getOwner()),
        principal(message.hasGroup(), message.getGroup()),
        time(message.hasMtimeNanos(), message.getMtimeNanos()),
        time(message.hasAtimeNanos(), message.getAtimeNanos()),
        message.getMtimeNow(),
        message.getAtimeNow(),
        message.hasSize() ? OptionalLong.of(message.getSize()) : OptionalLong.empty());
  }

  private static Optional<String> principal(boolean present, String name) throws WeftException {
    return present ? Optional.of(Names.checkPrincipal(name)) : Optional.empty();
  }

  private static OptionalLong time(boolean present, long nanos) {
    return present ? OptionalLong.of(nanos) : OptionalLong.empty();
  }

  /** Something that takes the owner of a node, or the superuser. */
  boolean isOwnersAlone() {
    return mode.isPresent()
        || owner.isPresent()
        || group.isPresent()
        || mtimeNanos.isPresent() && !mtimeNow
        || atimeNanos.isPresent() && !atimeNow;
  }

  boolean setsTimes() {
    return mtimeNow || atimeNow || mtimeNanos.isPresent() || atimeNanos.isPresent();
  }

  /** Times of a node that has had others. */
  Times times(Times before, long dayNanos) {
    long nowNanos = before.after(dayNanos);
    return new Times(
        mtimeNow ? nowNanos : mtimeNanos.orElse(before.mtimeNanos()),
        nowNanos,
        atimeNow ? nowNanos : atimeNanos.orElse(before.atimeNanos()));
  }
}
