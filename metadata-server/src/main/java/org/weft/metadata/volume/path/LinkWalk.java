package org.weft.metadata.volume.path;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.path.PathWalk.MissingDirectories;
import org.weft.metadata.volume.path.PathWalk.Place;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.metadata.volume.state.View;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;

/**
 * A walk along one path, name by name. A symbolic link puts the names of its target in front of
 * those that are still ahead. Made for one {@link PathWalk}, confined to its execution.
 */
final class LinkWalk {
  /** Walks run on the volume's only thread: forty long targets would keep it busy. */
  private static final int MAX_NAMES_OF_LINKS = 4_096;

  private final PathWalk walk;
  private final View view;
  private final NodePath path;
  private final Deque<String> ahead;
  private Attributes current;

  /** How many of the names ahead are the path's own; those of links stand before them. */
  private int ownAhead;

  private int links;
  private int namesOfLinks;
  private String lastTarget = "";

  LinkWalk(PathWalk walk, View view, NodePath path, Attributes base) {
    this.walk = walk;
    this.view = view;
    this.path = path;
    this.ahead = new ArrayDeque<>(path.names());
    this.ownAhead = ahead.size();
    this.current = base;
  }

  /** Where a walk is, made into text only if a message needs it. */
  private record Position(NodePath path, int names, String target) {
    @Override
    public String toString() {
      return path.describe(names) + (target.isEmpty() ? "" : " (-> " + target + ")");
    }
  }

  /** Where the walk has come to. */
  Attributes current() {
    return current;
  }

  boolean isAtEnd() {
    return ahead.isEmpty();
  }

  boolean isAtLastName() {
    return ahead.size() == 1;
  }

  private Position position() {
    return new Position(path, path.names().size() - ownAhead, lastTarget);
  }

  /**
   * The place of the last name; empty if the walk has to go on, because it leads elsewhere.
   *
   * @param followLast a symbolic link leads elsewhere
   */
  Optional<Place> place(boolean followLast) throws NeedsInput, WeftException {
    String name = ahead.peekFirst();
    if (isDots(name)) {
      return Optional.empty();
    }
    walk.requirePassable(current, position());
    Optional<DirectoryEntry> entry = view.lookup(current.object(), name);
    boolean leadsOn =
        followLast && entry.map(DirectoryEntry::kind).orElse(null) == NodeKind.SYMLINK;
    return leadsOn ? Optional.empty() : Optional.of(new Place(current, path, name, entry));
  }

  /**
   * Goes one name further.
   *
   * @param followLast a link at the end is followed too
   * @param missing makes what the path itself lacks; null: that is NOT_FOUND
   */
  void step(boolean followLast, MissingDirectories missing) throws NeedsInput, WeftException {
    Position above = position();
    walk.requirePassable(current, above);
    String name = ahead.removeFirst();
    boolean own = ahead.size() < ownAhead;
    if (own) {
      ownAhead--;
      lastTarget = "";
    }
    if (isDots(name)) {
      walk.trace().strayed();
      current = name.equals("..") ? parent() : current;
      return;
    }
    Optional<DirectoryEntry> entry = view.lookup(current.object(), name);
    walk.trace().passed(current, name, entry);
    if (entry.isEmpty()) {
      if (missing == null || !own) {
        throw PathWalk.notFound(position());
      }
      current = missing.make(current, name, above);
      return;
    }
    Attributes next = walk.attributes(entry.get(), position());
    if (next.isSymlink() && (followLast || !ahead.isEmpty())) {
      if (own && ownAhead < path.plainNames()) {
        throw new WeftException(
            ErrorCode.LOOP,
            position()
                + " is a symbolic link, which is not followed here; it may have been put in place of"
                + " what was listed");
      }
      follow(next);
    } else {
      current = next;
    }
  }

  private static boolean isDots(String name) {
    return name.equals(".") || name.equals("..");
  }

  private Attributes parent() throws NeedsInput, WeftException {
    if (current.object().equals(ObjectId.ROOT)) {
      walk.requireRootOfCluster(position());
      return current;
    }
    return view.attributes(current.parent().directory(), List.of(), position());
  }

  private void follow(Attributes link) throws NeedsInput, WeftException {
    walk.trace().strayed();
    String target = PathWalk.target(link);
    lastTarget = target;
    if (++links > PathWalk.MAX_LINKS) {
      throw new WeftException(
          ErrorCode.LOOP,
          position()
              + ": more than "
              + PathWalk.MAX_LINKS
              + " symbolic links on the way; they may lead to each other");
    }
    String names = target;
    if (target.startsWith("/")) {
      names = walk.belowRoot(target, position());
      current = view.attributes(ObjectId.ROOT, List.of(), position());
    }
    List<String> split = List.of(names.split("/", -1));
    namesOfLinks += split.size();
    if (namesOfLinks > MAX_NAMES_OF_LINKS) {
      throw new WeftException(
          ErrorCode.LOOP,
          position()
              + ": the symbolic links on the way have more than "
              + MAX_NAMES_OF_LINKS
              + " names together; shorten their targets");
    }
    for (int index = split.size() - 1; index >= 0; index--) {
      String name = split.get(index);
      boolean last = index == split.size() - 1;
      if (!last && name.equals(".")) {
        // It is where the walk is already, and what follows asks for a directory.
        continue;
      }
      if (!name.isEmpty()) {
        ahead.addFirst(isDots(name) ? name : Names.checkEntry(name));
      } else if (last) {
        // "a/" is the directory a, and "" what stands here.
        ahead.addFirst(".");
      }
    }
  }
}
