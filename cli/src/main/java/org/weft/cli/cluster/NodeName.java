package org.weft.cli.cluster;

import java.util.Optional;

/** How people name a node of the cluster: by its name, like osd-3, or by its number alone. */
public enum NodeName {
  OSD("OSD", "osd-3 or 3"),
  MANAGER("manager", "manager-2 or 2");

  private static final int MAX_DIGITS = 9;

  private final String kind;
  private final String like;

  NodeName(String kind, String like) {
    this.kind = kind;
    this.like = like;
  }

  /** The node's number; empty if the text names none. */
  Optional<Integer> parse(String text) {
    String prefix = like.substring(0, like.indexOf('-') + 1);
    String digits = text.startsWith(prefix) ? text.substring(prefix.length()) : text;
    boolean isNumber = digits.matches("[1-9][0-9]*") && digits.length() <= MAX_DIGITS;
    return isNumber ? Optional.of(Integer.valueOf(digits)) : Optional.empty();
  }

  /** Why the text names none, and what would. */
  String fault(String text) {
    return "'%s' is no %s; name one like %s, as `weft status` shows them"
        .formatted(text, kind, like);
  }
}
