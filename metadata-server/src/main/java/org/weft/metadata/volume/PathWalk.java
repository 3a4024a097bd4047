package org.weft.metadata.volume;

import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.session.Credentials;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/** Follows paths from their base, and checks on the way that the caller may pass each directory. */
final class PathWalk {
  private final View view;
  private final Credentials who;

  PathWalk(View view, Credentials who) {
    this.view = view;
    this.who = who;
  }

  /**
   * A place where a name stands or could stand.
   *
   * @param directory its attributes
   * @param entry what stands there now
   */
  record Place(Attributes directory, NodePath path, Optional<DirectoryEntry> entry) {
    String name() {
      return path.name();
    }

    /**
     * @throws RpcException NOT_FOUND if nothing stands there
     */
    DirectoryEntry requireEntry() throws RpcException {
      return entry.orElseThrow(() -> notFound(path));
    }
  }

  /** The beginning of a path, made into text only if a message needs it. */
  private record Prefix(NodePath path, int count) {
    @Override
    public String toString() {
      return path.describe(count);
    }
  }

  /**
   * The node at the end of the path.
   *
   * @throws RpcException NOT_FOUND, NOT_DIRECTORY or PERMISSION_DENIED naming where the walk ended
   */
  Attributes node(NodePath path) throws NotCached, RpcException {
    Attributes current = base(path);
    for (int done = 0; done < path.names().size(); done++) {
      requirePassable(current, path, done);
      int next = done + 1;
      DirectoryEntry entry =
          view.lookup(current.object(), path.names().get(done))
              .orElseThrow(() -> notFound(new Prefix(path, next)));
      current = follow(entry, path, next);
    }
    return current;
  }

  /**
   * The place that the path names, in a directory that exists.
   *
   * @throws RpcException INVALID_ARGUMENT if the path is the base itself, else as {@link #node}
   */
  Place place(NodePath path) throws NotCached, RpcException {
    if (path.isBase()) {
      throw new RpcException(
          ErrorCode.INVALID_ARGUMENT,
          path + ": this needs a name below it, not the directory itself");
    }
    Attributes directory = node(path.parent());
    requirePassable(directory, path, path.names().size() - 1);
    return new Place(directory, path, view.lookup(directory.object(), path.name()));
  }

  /** Attributes of the path's base. */
  Attributes base(NodePath path) throws NotCached, RpcException {
    return view.attributes(path.base(), List.of(), new Prefix(path, 0));
  }

  /** The attributes of what an entry on the path leads to. */
  Attributes follow(DirectoryEntry entry, NodePath path, int count) throws NotCached, RpcException {
    Prefix what = new Prefix(path, count);
    if (entry.kind() == NodeKind.VOLUME) {
      throw new RpcException(
          ErrorCode.CROSS_VOLUME, what + " is another volume; ask the manager of that one");
    }
    if (entry.kind() == NodeKind.SYMLINK) {
      throw new RpcException(
          ErrorCode.UNSUPPORTED, what + " is a symbolic link, which this release does not follow");
    }
    return view.attributes(entry, what);
  }

  /** The first names of the path lead to a directory through which the caller may go on. */
  void requirePassable(Attributes node, NodePath path, int count) throws RpcException {
    Prefix what = new Prefix(path, count);
    if (!node.isDirectory()) {
      throw new RpcException(ErrorCode.NOT_DIRECTORY, what + " is not a directory");
    }
    Permissions.require(node, who, Permissions.EXECUTE, what);
  }

  static RpcException notFound(Object what) {
    return new RpcException(ErrorCode.NOT_FOUND, "no such file or directory: " + what);
  }
}
