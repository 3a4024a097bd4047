package org.weft.cli.fs.attribute;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/**
 * Values of extended attributes as text: as they are if they are readable UTF-8, else in
 * hexadecimal digits behind "0x". On the way in "0s" marks Base64.
 */
final class XattrValue {
  private static final List<String> SPACES = List.of("user.", "trusted.", "security.", "system.");
  private static final String HEX = "0x";
  private static final String BASE64 = "0s";

  private XattrValue() {}

  /** Readable text that would not be read back as something else; else hexadecimal digits. */
  static String show(byte[] value) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
      boolean plain =
          text.chars().noneMatch(Character::isISOControl)
              && !text.startsWith(HEX)
              && !text.startsWith(BASE64);
      return plain ? text : HEX + HexFormat.of().formatHex(value);
    } catch (CharacterCodingException e) {
      return HEX + HexFormat.of().formatHex(value);
    }
  }

  /**
   * The bytes that a text stands for.
   *
   * @throws IllegalArgumentException if digits behind a mark are none
   */
  static byte[] parse(String text) {
    try {
      if (text.startsWith(HEX)) {
        return HexFormat.of().parseHex(text.substring(HEX.length()));
      }
      if (text.startsWith(BASE64)) {
        return Base64.getDecoder().decode(text.substring(BASE64.length()));
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          text + ": behind 0x come pairs of hexadecimal digits, behind 0s Base64", e);
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Refuses names without a name space.
   *
   * @throws IllegalArgumentException with what would do
   */
  static void checkName(String name) {
    if (SPACES.stream().noneMatch(space -> name.startsWith(space) && !name.equals(space))) {
      throw new IllegalArgumentException(
          name + ": a name begins with user., trusted., security. or system.; say user." + name);
    }
  }
}
