package org.weft.cli.transfer;

import java.nio.charset.StandardCharsets;
import org.weft.client.WeftPath;

/**
 * The name under which a file is written before it gets its own: {@code NAME._COPYING_}, as in
 * HDFS.
 */
public final class TemporaryName {
  public static final String SUFFIX = "._COPYING_";

  private TemporaryName() {}

  /** The same for the same name. A name too long for the suffix is cut and gets a hash instead. */
  public static String of(String name) {
    int most = WeftPath.MAX_NAME_BYTES - SUFFIX.length();
    if (bytes(name) <= most) {
      return name + SUFFIX;
    }
    String hash = String.format("~%08x", name.hashCode());
    StringBuilder cut = new StringBuilder();
    int used = hash.length();
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
    return cut + hash + SUFFIX;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
