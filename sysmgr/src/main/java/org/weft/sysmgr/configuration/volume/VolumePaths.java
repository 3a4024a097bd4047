package org.weft.sysmgr.configuration.volume;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Optional;
import java.util.SortedMap;
import org.weft.protocol.id.PartitionId;

/** Which paths volumes can have, and which volume holds which path. */
public final class VolumePaths {
  private static final int MAX_CHARS = 4_096;
  private static final int MAX_NAME_BYTES = 255;

  private VolumePaths() {}

  /** What is wrong with the path of a volume that is to be made. */
  public static Optional<String> fault(String path) {
    if (!path.startsWith("/")) {
      return Optional.of("the path of a volume begins with '/'");
    }
    if (path.length() == 1) {
      return Optional.of("the root volume is there already");
    }
    if (path.length() > MAX_CHARS) {
      return Optional.of("the path of a volume has at most " + MAX_CHARS + " characters");
    }
    for (String name : path.substring(1).split("/", -1)) {
      if (name.isEmpty() || name.equals(".") || name.equals("..")) {
        return Optional.of(
            "the path of a volume is written without '//', '.', '..' and '/' at its end");
      }
      if (name.indexOf('\0') >= 0 || !fits(name)) {
        return Optional.of(
            "a name has at most " + MAX_NAME_BYTES + " bytes of valid UTF-8, without NUL");
      }
    }
    return Optional.empty();
  }

  private static boolean fits(String name) {
    try {
      int bytes =
          StandardCharsets.UTF_8
              .newEncoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT)
              .encode(CharBuffer.wrap(name))
              .remaining();
      return bytes <= MAX_NAME_BYTES;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  /** True if the path lies below the other one; neither ends with a slash, but for "/". */
  static boolean isBelow(String path, String above) {
    return path.length() > above.length()
        && (above.length() == 1 || path.startsWith(above + "/"))
        && path.startsWith(above);
  }

  /** The volume with this path. */
  public static Optional<Volume> at(SortedMap<PartitionId, Volume> volumes, String path) {
    return volumes.values().stream().filter(volume -> volume.path().equals(path)).findFirst();
  }

  /** The volume with the longest path above this one. */
  public static Optional<Volume> above(SortedMap<PartitionId, Volume> volumes, String path) {
    return volumes.values().stream()
        .filter(volume -> isBelow(path, volume.path()))
        .max(Comparator.comparingInt(volume -> volume.path().length()));
  }

  /** Some volume below this path. */
  public static Optional<Volume> below(SortedMap<PartitionId, Volume> volumes, String path) {
    return volumes.values().stream().filter(volume -> isBelow(volume.path(), path)).findFirst();
  }
}
