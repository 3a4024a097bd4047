package org.weft.cli.output;

import org.weft.client.FileType;

/** Permission bits as {@code ls} shows them. */
public final class ModeText {
  private static final String LETTERS = "rwxrwxrwx";

  private ModeText() {}

  /** "drwxr-xr-x", with s, S, t and T for setuid, setgid and sticky. */
  public static String of(FileType type, int mode) {
    char[] text = new char[10];
    text[0] =
        switch (type) {
          case DIRECTORY -> 'd';
          case SYMLINK -> 'l';
          case SPECIAL -> 's';
          case FILE -> '-';
        };
    for (int bit = 0; bit < 9; bit++) {
      text[1 + bit] = (mode & (0400 >> bit)) != 0 ? LETTERS.charAt(bit) : '-';
    }
    special(text, 3, (mode & 04000) != 0, 's');
    special(text, 6, (mode & 02000) != 0, 's');
    special(text, 9, (mode & 01000) != 0, 't');
    return new String(text);
  }

  private static void special(char[] text, int place, boolean set, char letter) {
    if (set) {
      text[place] = text[place] == 'x' ? letter : Character.toUpperCase(letter);
    }
  }

  /** "0644". */
  public static String octal(int mode) {
    return String.format("%04o", mode);
  }
}
