package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.volume.PathWalk.Place;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Makes a directory; with {@code createParents} those above it too, and one that exists is no
 * error.
 *
 * @param mode before the umask is taken off
 */
public record MakeDirectory(NodePath path, int mode, int umask, boolean createParents)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    if (path.isBase()) {
      return existing(on.walk().node(path));
    }
    Place place = createParents ? new MissingParents(on, umask).place(path) : on.walk().place(path);
    if (place.entry().isPresent()) {
      return existing(on.walk().follow(place.entry().get(), path, path.names().size()));
    }
    Attributes parent = place.directory();
    Permissions.require(parent, on.credentials(), Permissions.WRITE, path.parent());
    on.nodes().requireRoomBelow(parent, null, path);
    return Replies.attributes(on.nodes().newDirectory(parent, path.name(), mode & ~umask));
  }

  private MessageLite existing(Attributes node) throws RpcException {
    if (createParents && node.isDirectory()) {
      return Replies.attributes(node);
    }
    throw new RpcException(
        ErrorCode.EXISTS,
        path + " exists already" + (node.isDirectory() ? "" : " and is not a directory"));
  }
}
