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

/** Removes an empty directory. */
public record RemoveDirectory(NodePath path) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Place place = on.walk().place(path);
    Attributes node = on.walk().attributes(place.requireEntry(), path);
    if (!node.isDirectory()) {
      throw new WeftException(ErrorCode.NOT_DIRECTORY, path + " is not a directory");
    }
    Attributes parent = place.directory();
    Permissions.require(parent, on.credentials(), Permissions.WRITE, path.parent());
    Permissions.requireSticky(parent, node, on.credentials(), path);
    if (node.entries() > 0) {
      throw new WeftException(
          ErrorCode.NOT_EMPTY, path + " has " + node.entries() + " entries; remove them first");
    }
    Nodes nodes = new Nodes(on);
    nodes.unlink(parent, path.name(), node);
    nodes.remove(node);
    return Empty.getDefaultInstance();
  }
}
