package org.weft.nfs.exports;

import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** All exports, as they are at one moment. Immutable. */
public final class ExportTable {
  /** An export, and the part of a path below it, without a slash in front. */
  public record Match(Export export, String below) {}

  private final Map<Integer, Export> byId = new TreeMap<>();
  private final Map<String, Export> byPath = new TreeMap<>();
  private final boolean managesGids;

  /**
   * @throws IllegalArgumentException if two have the same id or path
   */
  public ExportTable(List<Export> exports) {
    for (Export export : exports) {
      if (byId.put(export.id(), export) != null || byPath.put(export.path(), export) != null) {
        throw new IllegalArgumentException(
            "two exports have the id " + export.id() + " or the path " + export.path());
      }
    }
    managesGids = exports.stream().anyMatch(Export::manageGids);
  }

  /** True if groups are looked up for one at least. */
  boolean managesGids() {
    return managesGids;
  }

  /** True if one of those at least is for this client. */
  boolean admits(InetSocketAddress client, Predicate<Export> those) {
    return byId.values().stream().anyMatch(each -> those.test(each) && each.admits(client));
  }

  public Optional<Export> byId(int id) {
    return Optional.ofNullable(byId.get(id));
  }

  /** All, by path. */
  public Collection<Export> all() {
    return byPath.values();
  }

  /** A path as clients spell it, without needless slashes: one spelling for each directory. */
  public static String clean(String path) {
    // libnfs asks for an empty path where its URL names something in the root.
    String clean = path.isEmpty() ? "/" : path.replaceAll("/+", "/");
    return clean.length() > 1 && clean.endsWith("/")
        ? clean.substring(0, clean.length() - 1)
        : clean;
  }

  /** The export that the path leads into: of several the one with the longest path. */
  public Optional<Match> containing(String path) {
    String clean = clean(path);
    for (String prefix = clean; !prefix.isEmpty(); prefix = above(prefix)) {
      Export export = byPath.get(prefix);
      if (export != null) {
        String below = clean.substring(prefix.length());
        return Optional.of(new Match(export, below.startsWith("/") ? below.substring(1) : below));
      }
    }
    return Optional.empty();
  }

  private static String above(String path) {
    int slash = path.lastIndexOf('/');
    if (slash < 0 || path.equals("/")) {
      return "";
    }
    return slash == 0 ? "/" : path.substring(0, slash);
  }
}
