package org.weft.cli.files;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.weft.client.FileStatus;
import org.weft.client.FileType;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Shell patterns in paths, matched against the cluster: {@code * ? [ ]} in names, {@code {a,b}}
 * anywhere. A pattern that matches nothing stands for itself, if there is such a file.
 */
public final class PathPatterns {
  private static final String SPECIAL = "*?[{";
  private static final int MAX_MATCHES = 100_000;
  private static final int MAX_ALTERNATIVES = 10_000;

  private PathPatterns() {}

  /** True if the text would be more than one plain path to a shell. */
  public static boolean isPattern(String text) {
    return text.chars().anyMatch(c -> SPECIAL.indexOf(c) >= 0);
  }

  /**
   * The paths that match, sorted for each alternative; the path itself if the text is no pattern.
   *
   * @throws WeftException NOT_FOUND if nothing does
   * @throws IllegalArgumentException if it is no path, or matches too much to work with
   */
  public static List<WeftPath> expand(RemoteFiles files, String text) throws IOException {
    if (!isPattern(text)) {
      return List.of(WeftPath.of(text));
    }
    List<WeftPath> all = new ArrayList<>();
    for (String alternative : alternatives(text)) {
      if (isPattern(alternative)) {
        List<WeftPath> matches = match(files, alternative);
        Collections.sort(matches);
        all.addAll(matches);
      } else {
        all.add(WeftPath.of(unescaped(alternative)));
      }
      requireFew(text, all.size());
    }
    if (all.isEmpty()) {
      all.add(itself(files, text));
    }
    return all;
  }

  private static void requireFew(String text, int matches) {
    if (matches > MAX_MATCHES) {
      throw new IllegalArgumentException(
          text + ": matches more than " + MAX_MATCHES + " paths; name the directory instead");
    }
  }

  private static WeftPath itself(RemoteFiles files, String text) throws IOException {
    WeftPath literal = WeftPath.of(text);
    if (existing(files, List.of(literal)).isEmpty()) {
      throw new WeftException(
          ErrorCode.NOT_FOUND,
          text + ": nothing matches; quote patterns, so that the shell leaves them alone");
    }
    return literal;
  }

  /** "/a/{b,c}/d" as "/a/b/d", "/a/c/d". Braces without a comma stand for themselves. */
  static List<String> alternatives(String text) {
    List<String> done = new ArrayList<>();
    List<String> open = new ArrayList<>(List.of(text));
    while (!open.isEmpty()) {
      String next = open.remove(open.size() - 1);
      List<String> parts = split(next);
      if (parts.isEmpty()) {
        done.add(next);
      } else {
        // Taken from the end: the first alternative is to come first.
        Collections.reverse(parts);
        open.addAll(parts);
      }
      if (done.size() + open.size() > MAX_ALTERNATIVES) {
        throw new IllegalArgumentException(text + ": too many alternatives in braces");
      }
    }
    return done;
  }

  /** The alternatives of the first pair of braces that has any; empty if there is none. */
  private static List<String> split(String text) {
    for (int start = 0; start < text.length(); start++) {
      char c = text.charAt(start);
      if (c == '\\') {
        start++;
      } else if (c == '{') {
        List<Integer> cuts = cuts(text, start);
        if (cuts.size() > 2) {
          List<String> parts = new ArrayList<>();
          String rest = text.substring(cuts.get(cuts.size() - 1) + 1);
          for (int part = 0; part + 1 < cuts.size(); part++) {
            String inner = text.substring(cuts.get(part) + 1, cuts.get(part + 1));
            parts.add(text.substring(0, start) + inner + rest);
          }
          return parts;
        }
      }
    }
    return List.of();
  }

  /** Places of the brace, of its commas and of its end; fewer than three: no alternatives. */
  private static List<Integer> cuts(String text, int start) {
    List<Integer> cuts = new ArrayList<>(List.of(start));
    int depth = 0;
    for (int index = start; index < text.length(); index++) {
      char c = text.charAt(index);
      if (c == '\\') {
        index++;
      } else if (c == '{') {
        depth++;
      } else if (c == ',' && depth == 1) {
        cuts.add(index);
      } else if (c == '}' && --depth == 0) {
        cuts.add(index);
        return cuts;
      }
    }
    return List.of();
  }

  private static List<WeftPath> match(RemoteFiles files, String pattern) throws IOException {
    if (!pattern.startsWith("/")) {
      throw new IllegalArgumentException(pattern + ": a path must begin with '/'");
    }
    List<WeftPath> found = new ArrayList<>(List.of(WeftPath.ROOT));
    boolean unsure = false;
    List<String> names = List.of(pattern.substring(1).split("/"));
    for (int index = 0; index < names.size(); index++) {
      String name = names.get(index);
      if (isPattern(name)) {
        found = matchIn(files, found, Glob.ofName(name), index + 1 < names.size());
        requireFew(pattern, found.size());
        unsure = false;
      } else if (!name.isEmpty()) {
        List<WeftPath> longer = new ArrayList<>();
        for (WeftPath path : found) {
          longer.add(path.resolve(unescaped(name)));
        }
        found = longer;
        unsure = true;
      }
    }
    return unsure ? existing(files, found) : found;
  }

  private static List<WeftPath> matchIn(
      RemoteFiles files, List<WeftPath> directories, Glob glob, boolean onlyDirectories)
      throws IOException {
    List<WeftPath> matches = new ArrayList<>();
    for (WeftPath directory : directories) {
      try {
        RemoteFiles.Entries entries = files.listNames(directory);
        for (FileStatus entry = entries.next(); entry != null; entry = entries.next()) {
          boolean mayHold = !onlyDirectories || entry.type() != FileType.FILE;
          if (mayHold && glob.test(entry.path().name())) {
            matches.add(entry.path());
          }
        }
      } catch (WeftException e) {
        if (!holdsNothing(e.code(), directories.size() > 1)) {
          throw e;
        }
      }
    }
    return matches;
  }

  /** One of several directories that may not be read is passed over, as a shell does. */
  private static boolean holdsNothing(ErrorCode code, boolean oneOfSeveral) {
    return code.leadsNowhere() || oneOfSeveral && code == ErrorCode.PERMISSION_DENIED;
  }

  private static List<WeftPath> existing(RemoteFiles files, List<WeftPath> paths)
      throws IOException {
    List<WeftPath> existing = new ArrayList<>();
    for (WeftPath path : paths) {
      try {
        if (files.findLink(path).isPresent()) {
          existing.add(path);
        }
      } catch (WeftException e) {
        if (e.code() != ErrorCode.NOT_DIRECTORY) {
          throw e;
        }
      }
    }
    return existing;
  }

  private static String unescaped(String text) {
    return text.replaceAll("\\\\(.)", "$1");
  }
}
