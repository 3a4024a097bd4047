package org.weft.flink;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.weft.client.WeftPath;

/** Names of files that are not committed yet: hidden, as readers of directories understand it. */
final class UncommittedName {
  private static final String HIDDEN = ".";
  private static final String MARK = ".inprogress.";

  private UncommittedName() {}

  /**
   * A new one for each call. It has the target's name as far as there is room.
   *
   * @param random gives 128 bits that no other name has
   * @throws IOException if the target's own name is longer than the cluster takes: it could never
   *     be committed
   */
  static String of(String target, RandomGenerator random) throws IOException {
    if (bytes(target) > WeftPath.MAX_NAME_BYTES) {
      throw new IOException(
          "the name "
              + target
              + " has "
              + bytes(target)
              + " bytes, and may have "
              + WeftPath.MAX_NAME_BYTES);
    }
    String tail = MARK + new UUID(random.nextLong(), random.nextLong());
    int roomBytes = WeftPath.MAX_NAME_BYTES - bytes(HIDDEN) - bytes(tail);
    return HIDDEN + shortened(target, roomBytes) + tail;
  }

  /** Whole characters only. */
  private static String shortened(String name, int mostBytes) {
    int[] characters = name.codePoints().toArray();
    int count = characters.length;
    while (bytes(new String(characters, 0, count)) > mostBytes) {
      count--;
    }
    return new String(characters, 0, count);
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
