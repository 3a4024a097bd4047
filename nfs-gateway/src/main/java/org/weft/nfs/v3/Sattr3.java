package org.weft.nfs.v3;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.TimeWish;
import org.weft.nfs.exports.Identities;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;

/**
 * sattr3, RFC 1813 section 2.6: attributes to set.
 *
 * @param size unsigned
 */
record Sattr3(
    OptionalInt mode,
    OptionalInt uid,
    OptionalInt gid,
    OptionalLong size,
    TimeWish atime,
    TimeWish mtime) {
  private static final int MODE_BITS = 07777;

  private static final int DONT_CHANGE = 0;
  private static final int SET_TO_SERVER_TIME = 1;
  private static final int SET_TO_CLIENT_TIME = 2;

  static Sattr3 read(XdrReader in) throws MalformedXdrException {
    return new Sattr3(
        optionalInt(in), optionalInt(in), optionalInt(in), size(in), time(in), time(in));
  }

  private static OptionalInt optionalInt(XdrReader in) throws MalformedXdrException {
    return in.bool() ? OptionalInt.of(in.int32()) : OptionalInt.empty();
  }

  private static OptionalLong size(XdrReader in) throws MalformedXdrException {
    return in.bool() ? OptionalLong.of(in.int64()) : OptionalLong.empty();
  }

  private static TimeWish time(XdrReader in) throws MalformedXdrException {
    return switch (in.choice(SET_TO_CLIENT_TIME)) {
      case DONT_CHANGE -> TimeWish.KEEP;
      case SET_TO_SERVER_TIME -> TimeWish.NOW;
      default -> new TimeWish.At(Nfs3Time.read(in));
    };
  }

  /** Numbers that {@link #change} asks for. */
  Identities.Wanted numbers() {
    return Identities.Wanted.numbers(set(uid), set(gid));
  }

  private static Set<Integer> set(OptionalInt number) {
    return number.isPresent() ? Set.of(number.getAsInt()) : Set.of();
  }

  /**
   * @throws FileException TOO_LARGE if the size is beyond what a signed number holds, TRY_LATER if
   *     a number cannot be looked up now
   */
  AttributesWish change(Identities identities) throws FileException {
    if (size.isPresent() && size.getAsLong() < 0) {
      throw new FileException(
          FileError.TOO_LARGE, Long.toUnsignedString(size.getAsLong()) + " bytes are too many");
    }
    return new AttributesWish(
        mode.isPresent() ? OptionalInt.of(mode.getAsInt() & MODE_BITS) : mode,
        uid.isPresent() ? Optional.of(identities.requireUser(uid.getAsInt())) : Optional.empty(),
        gid.isPresent() ? Optional.of(identities.requireGroup(gid.getAsInt())) : Optional.empty(),
        size,
        atime,
        mtime);
  }
}
