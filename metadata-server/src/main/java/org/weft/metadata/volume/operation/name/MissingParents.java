package org.weft.metadata.volume.operation.name;

import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk.MissingDirectories;
import org.weft.metadata.volume.path.PathWalk.Place;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Walks to a place and drafts the directories that are missing on the way, as {@code mkdir -p}
 * does. Missing parts of a symbolic link's target are not created.
 */
final class MissingParents implements MissingDirectories {
  private static final int FULL_MODE = 0777;

  /** The owner must be able to go on below what is made on the way, whatever the umask. */
  private static final int OWNER_WRITE_EXECUTE = 0300;

  /** All that is made stands in one record, whose size is bounded. */
  private static final int MAX_MADE = 256;

  private final Execution on;
  private final NodePath path;
  private final int umask;
  private int made;

  MissingParents(Execution on, NodePath path, int umask) {
    this.on = on;
    this.path = path;
    this.umask = umask;
  }

  /**
   * @throws WeftException as {@link org.weft.metadata.volume.path.PathWalk#place}, but no part of
   *     the path is NOT_FOUND
   */
  Place place(boolean followLast) throws NeedsInput, WeftException {
    Place place = on.walk().place(path, followLast, this);
    if (made > 0) {
      new Nodes(on).requireRoomBelow(place.directory(), null, path);
    }
    return place;
  }

  @Override
  public Attributes make(Attributes parent, String name, Object what) throws WeftException {
    Permissions.require(parent, on.credentials(), Permissions.WRITE, what);
    if (++made > MAX_MADE) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          path + ": more than " + MAX_MADE + " directories are missing; make them in steps");
    }
    int asked = Permissions.withoutUmask(parent, FULL_MODE, umask);
    Attributes directory = new Nodes(on).newDirectory(parent, name, asked | OWNER_WRITE_EXECUTE);
    int passable = directory.mode() | OWNER_WRITE_EXECUTE;
    return directory.mode() == passable
        ? directory
        : on.draft().put(directory.edit().mode(passable).build());
  }
}
