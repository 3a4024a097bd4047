package org.weft.cli.fs.attribute;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A change of permission bits as {@code chmod} writes it: octal ("0755"), or clauses separated by
 * commas ("u+rwx,go-w", "a=rX", "g=u", "+t").
 */
final class ModeChange {
  private static final Pattern OCTAL = Pattern.compile("[0-7]{1,4}");
  private static final Pattern CLAUSE = Pattern.compile("([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]))+)");
  private static final Pattern ACTION = Pattern.compile("([-+=])([ugo]|[rwxXst]*)");
  private static final int ALL = 07777;
  private static final int SET_IDS = 06000;

  /**
   * @param mask the bits of those named
   * @param withheld bits that are left alone: the umask, where no users are named
   */
  private record Action(int mask, int withheld, char operator, String permissions) {}

  private final int octal;
  private final List<Action> actions;

  private ModeChange(int octal, List<Action> actions) {
    this.octal = octal;
    this.actions = actions;
  }

  /**
   * Reads one.
   *
   * @param umask bits that a clause without u, g, o or a leaves alone
   * @throws IllegalArgumentException if it is none
   */
  static ModeChange parse(String text, int umask) {
    if (OCTAL.matcher(text).matches()) {
      return new ModeChange(Integer.parseInt(text, 8), List.of());
    }
    List<Action> actions = new ArrayList<>();
    for (String clause : text.split(",", -1)) {
      Matcher matcher = CLAUSE.matcher(clause);
      if (!matcher.matches()) {
        throw new IllegalArgumentException(
            text + ": is no mode; expected one like 0644, u+x, go-w or a=rX,u+w");
      }
      String users = matcher.group(1);
      Matcher action = ACTION.matcher(matcher.group(2));
      while (action.find()) {
        actions.add(
            new Action(
                maskOf(users),
                users.isEmpty() ? umask : 0,
                action.group(1).charAt(0),
                action.group(2)));
      }
    }
    return new ModeChange(-1, List.copyOf(actions));
  }

  private static int maskOf(String users) {
    if (users.isEmpty() || users.indexOf('a') >= 0) {
      return ALL;
    }
    int mask = 0;
    mask |= users.indexOf('u') >= 0 ? 04700 : 0;
    mask |= users.indexOf('g') >= 0 ? 02070 : 0;
    mask |= users.indexOf('o') >= 0 ? 01007 : 0;
    return mask;
  }

  /** The mode after the change. */
  int applyTo(int mode, boolean directory) {
    if (octal >= 0) {
      return octal;
    }
    int changed = mode;
    for (Action action : actions) {
      int bits = bits(action.permissions, changed, directory) & action.mask & ~action.withheld;
      // Set-id bits of a directory stay unless they are spelt out.
      int cleared = directory ? action.mask & ~SET_IDS : action.mask;
      changed =
          switch (action.operator) {
            case '+' -> changed | bits;
            case '-' -> changed & ~bits;
            default -> changed & ~cleared | bits;
          };
    }
    return changed;
  }

  private static int bits(String permissions, int mode, boolean directory) {
    int bits = 0;
    for (int index = 0; index < permissions.length(); index++) {
      bits |=
          switch (permissions.charAt(index)) {
            case 'r' -> 0444;
            case 'w' -> 0222;
            case 'x' -> 0111;
            case 'X' -> directory || (mode & 0111) != 0 ? 0111 : 0;
            case 's' -> SET_IDS;
            case 't' -> 01000;
            case 'u' -> (mode >> 6 & 7) * 0111;
            case 'g' -> (mode >> 3 & 7) * 0111;
            default -> (mode & 7) * 0111;
          };
    }
    return bits;
  }
}
