package org.weft.metadata.volume.operation.name;

import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk.Place;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Makes a directory; with {@code createParents} those above it too, and one that exists is no
 * error.
 *
 * @param mode before the umask is taken off
 */
public record MakeDirectory(NodePath path, int mode, int umask, boolean createParents)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    if (path.isBase()) {
      return existing(on, on.walk().node(path));
    }
    Place place =
        createParents ? new MissingParents(on, path, umask).place(false) : on.walk().place(path);
    if (place.entry().isPresent()) {
      return existing(on, target(on, place.entry().get()));
    }
    Attributes parent = place.directory();
    Permissions.require(parent, on.credentials(), Permissions.WRITE, path.parent());
    new Nodes(on).requireRoomBelow(parent, null, path);
    int asked = Permissions.withoutUmask(parent, mode, umask);
    return Replies.withHandle(on, new Nodes(on).newDirectory(parent, path.name(), asked));
  }

  /** What stands there, or what it leads to; a link that leads nowhere is itself in the way. */
  private Attributes target(Execution on, DirectoryEntry entry) throws NeedsInput, WeftException {
    Attributes node = on.walk().attributes(entry, path);
    if (!node.isSymlink() || !createParents) {
      return node;
    }
    try {
      return on.walk().node(path);
    } catch (WeftException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return node;
      }
      throw e;
    }
  }

  private MessageLite existing(Execution on, Attributes node) throws WeftException {
    if (createParents && node.isDirectory()) {
      return Replies.withHandle(on, node);
    }
    throw new WeftException(
        ErrorCode.EXISTS,
        path + " exists already" + (node.isDirectory() ? "" : " and is not a directory"));
  }
}
