package org.weft.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An absolute path in a cluster: names of 1 to 255 bytes of valid UTF-8, without NUL and '/', taken
 * as they are (no Unicode normalisation). Empty names, "." and ".." are resolved when text is
 * parsed. Immutable; ordered name by name.
 */
public final class WeftPath implements Comparable<WeftPath> {
  /** Most bytes of one name. */
  public static final int MAX_NAME_BYTES = 255;

  /** Most names of a path. */
  public static final int MAX_NAMES = 1_000;

  /** Most characters of a path. */
  public static final int MAX_CHARS = 64 << 10;

  /** "/". */
  public static final WeftPath ROOT = new WeftPath(List.of());

  private static final int SHOWN_CHARS = 60;

  private final List<String> names;

  /** Names behind so many are no symbolic links. */
  private final int namesWithLinks;

  /** As text; null until it is needed. Two threads may both make it: the texts are equal. */
  private String text;

  private WeftPath(List<String> names) {
    this(names, Integer.MAX_VALUE);
  }

  private WeftPath(List<String> names, int namesWithLinks) {
    this.names = names;
    this.namesWithLinks = namesWithLinks;
  }

  /**
   * The same path, and what is made of it by {@link #child}. Below this directory no symbolic link
   * is followed, neither on the way nor at the end. A manager refuses one with LOOP. For trees in
   * which others may put a link in place of a directory that was listed. The paths are equal.
   */
  public WeftPath withoutLinksBelow() {
    return new WeftPath(names, Math.min(namesWithLinks, names.size()));
  }

  /** The same, where this path itself was found to be no link. */
  public WeftPath withoutLinksFromHere() {
    return new WeftPath(names, Math.min(namesWithLinks, Math.max(0, names.size() - 1)));
  }

  /** How many names at the end are not to be links that are followed. */
  public int plainNames() {
    return Math.max(0, names.size() - namesWithLinks);
  }

  /**
   * Parses an absolute path.
   *
   * @throws IllegalArgumentException if it is not absolute, climbs above the root, or a name breaks
   *     a rule; the message says which
   */
  public static WeftPath of(String text) {
    if (!text.startsWith("/")) {
      throw invalid(text, "a path must begin with '/'");
    }
    return ROOT.resolve(text);
  }

  /**
   * The path that the text names, seen from here: absolute if it begins with '/', else below this
   * one.
   *
   * @throws IllegalArgumentException as {@link #of} does
   */
  public WeftPath resolve(String text) {
    if (text.length() > MAX_CHARS) {
      throw invalid(text, "a path has at most " + MAX_CHARS + " characters, got " + text.length());
    }
    List<String> resolved = text.startsWith("/") ? new ArrayList<>() : new ArrayList<>(names);
    for (String name : text.split("/", -1)) {
      if (name.equals("..")) {
        if (resolved.isEmpty()) {
          throw invalid(text, "the path climbs above the root");
        }
        resolved.remove(resolved.size() - 1);
      } else if (!name.isEmpty() && !name.equals(".")) {
        checkName(text, name);
        resolved.add(name);
      }
    }
    return checked(text, resolved);
  }

  /**
   * The entry of that name in this directory.
   *
   * @throws IllegalArgumentException if it is not one name, or breaks a rule
   */
  public WeftPath child(String name) {
    if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('/') >= 0) {
      throw invalid(name, "this is not the name of an entry");
    }
    checkName(name, name);
    List<String> longer = new ArrayList<>(names.size() + 1);
    longer.addAll(names);
    longer.add(name);
    return new WeftPath(checked(name, longer).names, namesWithLinks);
  }

  /** The directory that holds this; empty for the root. */
  public Optional<WeftPath> parent() {
    return isRoot()
        ? Optional.empty()
        : Optional.of(new WeftPath(names.subList(0, names.size() - 1), namesWithLinks));
  }

  /** The last name; empty text for the root. */
  public String name() {
    return isRoot() ? "" : names.get(names.size() - 1);
  }

  /** From the root down. */
  public List<String> names() {
    return names;
  }

  /** True for "/". */
  public boolean isRoot() {
    return names.isEmpty();
  }

  /** True if this is the other path or lies below it. */
  public boolean startsWith(WeftPath other) {
    return names.size() >= other.names.size()
        && names.subList(0, other.names.size()).equals(other.names);
  }

  private static WeftPath checked(String text, List<String> names) {
    if (names.size() > MAX_NAMES) {
      throw invalid(text, "a path has at most " + MAX_NAMES + " names, got " + names.size());
    }
    int chars = names.size();
    for (String name : names) {
      chars += name.length();
    }
    if (chars > MAX_CHARS) {
      throw invalid(text, "a path has at most " + MAX_CHARS + " characters, got " + chars);
    }
    return names.isEmpty() ? ROOT : new WeftPath(List.copyOf(names));
  }

  private static void checkName(String text, String name) {
    if (name.indexOf('\0') >= 0) {
      throw invalid(text, "a name must not contain NUL");
    }
    byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
    // Half of a surrogate pair does not come back.
    if (!new String(encoded, StandardCharsets.UTF_8).equals(name)) {
      throw invalid(text, "a name must be valid UTF-8");
    }
    if (encoded.length > MAX_NAME_BYTES) {
      throw invalid(text, "a name has at most " + MAX_NAME_BYTES + " bytes, got " + encoded.length);
    }
  }

  private static IllegalArgumentException invalid(String text, String why) {
    String shown = text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "...";
    return new IllegalArgumentException(
        (shown.isEmpty() ? "''" : shown.replace('\0', '?')) + ": " + why);
  }

  @Override
  public int compareTo(WeftPath other) {
    int common = Math.min(names.size(), other.names.size());
    for (int index = 0; index < common; index++) {
      int byName = names.get(index).compareTo(other.names.get(index));
      if (byName != 0) {
        return byName;
      }
    }
    return Integer.compare(names.size(), other.names.size());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WeftPath path && names.equals(path.names);
  }

  @Override
  public int hashCode() {
    return names.hashCode();
  }

  /** Begins with '/'; {@link #of} reads it back. */
  @Override
  public String toString() {
    String known = text;
    if (known == null) {
      known = "/" + String.join("/", names);
      text = known;
    }
    return known;
  }
}
