package org.weft.cli.transfer;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.weft.client.WeftPath;

/**
 * The name under which a file is written before it gets its own: {@code NAME.RANDOM._COPYING_},
 * with the ending that HDFS uses. Other users cannot guess it, and so cannot put a file there.
 */
public final class TemporaryName {
  public static final String SUFFIX = "._COPYING_";

  private static final SecureRandom RANDOM = new SecureRandom();

  private TemporaryName() {}

  /** Another one at each call. A name too long for the rest is shortened. */
  public static String of(String name) {
    byte[] random = new byte[8];
    RANDOM.nextBytes(random);
    String end = "." + HexFormat.of().formatHex(random) + SUFFIX;
    int most = WeftPath.MAX_NAME_BYTES - end.length();
    StringBuilder cut = new StringBuilder();
    int used = 0;
    for (int index = 0; index < name.length(); ) {
      int point = name.codePointAt(index);
      String text = Character.toString(point);
      used += bytes(text);
      if (used > most) {
        break;
      }
      cut.append(text);
      index += Character.charCount(point);
    }
    return cut + end;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
