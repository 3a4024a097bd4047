package org.weft.metadata.volume.operation.name;

import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk.Place;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.Empty;

/**
 * Removes a name of a file, or a symbolic link. With the last name the file's objects go as well,
 * once no client writes it or has it open any more (P 6.6). A file whose attributes are lost for
 * good goes at once.
 */
public record Unlink(NodePath path) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    if (path.isBase()) {
      throw new WeftException(ErrorCode.IS_DIRECTORY, path + " is a directory");
    }
    Place place = on.walk().place(path);
    Attributes node;
    try {
      node = on.walk().attributes(place.requireEntry(), path);
    } catch (WeftException e) {
      if (e.code() != ErrorCode.TOO_MANY_LOST) {
        throw e;
      }
      new LostNode(on).unlink(place, path, e);
      return Empty.getDefaultInstance();
    }
    if (node.isDirectory()) {
      throw new WeftException(ErrorCode.IS_DIRECTORY, path + " is a directory; remove it as one");
    }
    Attributes parent = place.directory();
    Permissions.require(parent, on.credentials(), Permissions.WRITE, path.parent());
    Permissions.requireSticky(parent, node, on.credentials(), path);
    Nodes nodes = new Nodes(on);
    nodes.unlink(parent, path.name(), node);
    nodes.remove(node);
    return Empty.getDefaultInstance();
  }
}
