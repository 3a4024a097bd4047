package org.weft.simulator.check;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.testkit.names.NameKind;
import org.weft.testkit.names.NameTree;
import org.weft.testkit.names.TreeNode;

/**
 * What a client was told of names; an empty field was not told.
 *
 * @param objectId 0 if it was not told
 * @param links how many names lead to a file
 * @param entries of a directory
 * @param listing of a directory: object ids by name
 */
public record Seen(
    long objectId,
    Optional<NameKind> kind,
    OptionalInt links,
    OptionalLong entries,
    Optional<String> target,
    Optional<String> layout,
    Optional<SortedMap<String, String>> xattrs,
    Optional<SortedMap<String, Long>> listing) {
  /** Under this name a model keeps the rights that a node's ACL gives to one user. */
  public static final String ACL = "acl";

  /** Nothing but that it was done. */
  public static Seen nothing() {
    return object(0, Optional.empty());
  }

  /** What it is called. */
  public static Seen object(long objectId, Optional<NameKind> kind) {
    return new Seen(
        objectId,
        kind,
        OptionalInt.empty(),
        OptionalLong.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** Extended attributes. */
  public static Seen attributes(SortedMap<String, String> xattrs) {
    return new Seen(
        0,
        Optional.empty(),
        OptionalInt.empty(),
        OptionalLong.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(new TreeMap<>(xattrs)),
        Optional.empty());
  }

  /** The entries of a directory. */
  public static Seen listing(SortedMap<String, Long> entries) {
    return new Seen(
        0,
        Optional.empty(),
        OptionalInt.empty(),
        OptionalLong.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(new TreeMap<>(entries)));
  }

  /** What differs from a node, object ids aside; empty if nothing does. */
  Optional<String> differsFrom(TreeNode node) {
    if (kind.isPresent() && kind.get() != node.kind()) {
      return Optional.of("kind " + node.kind());
    }
    if (links.isPresent() && !node.isDirectory() && links.getAsInt() != node.names()) {
      return Optional.of(node.names() + " links");
    }
    if (entries.isPresent() && node.isDirectory()) {
      if (entries.getAsLong() != node.children().size()) {
        return Optional.of(node.children().size() + " entries");
      }
    }
    if (target.isPresent() && !target.get().equals(node.target())) {
      return Optional.of("target '" + node.target() + "'");
    }
    if (layout.isPresent() && node.isDirectory() && !layout.get().equals(node.layout())) {
      return Optional.of("layout '" + node.layout() + "'");
    }
    if (xattrs.isPresent() && !xattrs.get().equals(shown(xattrs.get(), node))) {
      return Optional.of("attributes " + node.xattrs());
    }
    if (listing.isPresent() && !listing.get().keySet().equals(node.children().keySet())) {
      return Optional.of("entries " + node.children().keySet());
    }
    return Optional.empty();
  }

  /** Of extended attributes and the ACL, an answer has one alone. */
  private static SortedMap<String, String> shown(SortedMap<String, String> told, TreeNode node) {
    SortedMap<String, String> shown = new TreeMap<>(node.xattrs());
    if (told.containsKey(ACL)) {
      shown.putIfAbsent(ACL, "");
      shown.keySet().retainAll(Set.of(ACL));
    } else {
      shown.remove(ACL);
    }
    return shown;
  }

  /**
   * The tree with every object id in the answer; empty if one contradicts what is known.
   *
   * @param node what the operation made or found
   */
  Optional<NameTree> binding(NameTree tree, TreeNode node) {
    Optional<NameTree> bound = bind(tree, node.id(), objectId);
    if (listing.isPresent()) {
      for (String name : node.children().keySet()) {
        int child = node.children().get(name);
        long told = Objects.requireNonNull(listing.get().get(name));
        bound = bound.flatMap(so -> bind(so, child, told));
      }
    }
    return bound;
  }

  private static Optional<NameTree> bind(NameTree tree, int id, long told) {
    long known = tree.node(id).objectId();
    if (told == 0 || known == told) {
      return Optional.of(tree);
    }
    return known != 0 || tree.knows(told) ? Optional.empty() : Optional.of(tree.known(id, told));
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    kind.ifPresent(told -> text.append(told).append(' '));
    if (objectId != 0) {
      text.append("object ").append(objectId).append(' ');
    }
    links.ifPresent(told -> text.append(told).append(" links "));
    entries.ifPresent(told -> text.append(told).append(" entries "));
    target.ifPresent(told -> text.append("-> ").append(told).append(' '));
    layout.ifPresent(told -> text.append("layout '").append(told).append("' "));
    xattrs.ifPresent(told -> text.append(told).append(' '));
    listing.ifPresent(told -> text.append("entries ").append(told));
    return text.isEmpty() ? "done" : text.toString().trim();
  }
}
