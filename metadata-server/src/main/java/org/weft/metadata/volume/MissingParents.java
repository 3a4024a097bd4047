package org.weft.metadata.volume;

import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.PathWalk.Place;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Walks to a place and drafts the directories that are missing on the way, as {@code mkdir -p}
 * does.
 */
final class MissingParents {
  private static final int FULL_MODE = 0777;

  /** The owner must be able to go on below what is made on the way, whatever the umask. */
  private static final int OWNER_WRITE_EXECUTE = 0300;

  /** All that is made stands in one record, whose size is bounded. */
  private static final int MOST_MADE = 256;

  private final Execution on;
  private final int mode;

  MissingParents(Execution on, int umask) {
    this.on = on;
    this.mode = FULL_MODE & ~umask | OWNER_WRITE_EXECUTE;
  }

  /**
   * @throws RpcException as {@link PathWalk#place}, but nothing is NOT_FOUND
   */
  Place place(NodePath path) throws NotCached, RpcException {
    if (path.isBase()) {
      return on.walk().place(path);
    }
    PathWalk walk = on.walk();
    Attributes current = walk.base(path);
    int last = path.names().size() - 1;
    int made = 0;
    for (int done = 0; done < last; done++) {
      walk.requirePassable(current, path, done);
      String name = path.names().get(done);
      Optional<DirectoryEntry> entry = on.view().lookup(current.object(), name);
      if (entry.isPresent()) {
        current = walk.follow(entry.get(), path, done + 1);
      } else {
        Permissions.require(current, on.credentials(), Permissions.WRITE, path.describe(done));
        if (++made > MOST_MADE) {
          throw new RpcException(
              ErrorCode.INVALID_ARGUMENT,
              path + ": more than " + MOST_MADE + " directories are missing; make them in steps");
        }
        current = on.nodes().newDirectory(current, name, mode);
      }
    }
    if (made > 0) {
      on.nodes().requireRoomBelow(current, null, path);
    }
    walk.requirePassable(current, path, last);
    return new Place(current, path, on.view().lookup(current.object(), path.name()));
  }
}
