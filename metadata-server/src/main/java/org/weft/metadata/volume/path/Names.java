package org.weft.metadata.volume.path;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * What a name may be: 1 to 255 bytes of valid UTF-8 without NUL and '/', and neither "." nor "..".
 */
public final class Names {
  static final int MAX_BYTES = 255;
  private static final int SHOWN_CHARS = 40;

  private Names() {}

  /**
   * The name, if it may stand in a directory.
   *
   * @throws WeftException NAME_INVALID with the rule it breaks
   */
  public static String checkEntry(String name) throws WeftException {
    if (name.equals(".") || name.equals("..")) {
      throw invalid(name, "is not a name; resolve \".\" and \"..\" before asking");
    }
    return checkText(name);
  }

  /**
   * The name of a user or a group.
   *
   * @throws WeftException NAME_INVALID with the rule it breaks
   */
  public static String checkPrincipal(String name) throws WeftException {
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw invalid(name.replaceAll("\\p{Cntrl}", "?"), "contains a control character");
    }
    return checkText(name);
  }

  private static String checkText(String name) throws WeftException {
    if (name.isEmpty()) {
      throw new WeftException(ErrorCode.NAME_INVALID, "a name must not be empty");
    }
    if (name.indexOf('\0') >= 0) {
      throw invalid(name.replace('\0', '?'), "contains NUL");
    }
    if (name.indexOf('/') >= 0) {
      throw invalid(name, "contains '/'");
    }
    int bytes = isAscii(name) ? name.length() : encode(name).remaining();
    if (bytes > MAX_BYTES) {
      throw invalid(name, "has " + bytes + " bytes, the limit is " + MAX_BYTES);
    }
    return name;
  }

  private static boolean isAscii(String name) {
    for (int index = 0; index < name.length(); index++) {
      if (name.charAt(index) > 0x7f) {
        return false;
      }
    }
    return true;
  }

  /**
   * @throws WeftException NAME_INVALID if it is no valid text
   */
  public static ByteBuffer encode(String name) throws WeftException {
    try {
      return StandardCharsets.UTF_8
          .newEncoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .encode(CharBuffer.wrap(name));
    } catch (CharacterCodingException e) {
      throw new WeftException(ErrorCode.NAME_INVALID, "a name must be valid UTF-8", e);
    }
  }

  private static WeftException invalid(String name, String why) {
    return new WeftException(ErrorCode.NAME_INVALID, "'" + shown(name) + "' " + why);
  }

  /** As much of a name as a message bears. */
  public static String shown(String name) {
    return name.length() <= SHOWN_CHARS ? name : name.substring(0, SHOWN_CHARS) + "...";
  }
}
