package org.weft.metadata.volume.operation.name;

import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk;
import org.weft.metadata.volume.path.PathWalk.Place;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Gives a file one more name; a symbolic link at the end of the existing path gets that name
 * itself. A file may be written meanwhile. Its parent hint says from now on that it has many (P
 * 6.7).
 */
public record LinkFile(NodePath existing, NodePath path) implements Operation {
  /** Most names of one file. */
  public static final int MAX_LINKS = 65_000;

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes node = on.walk().nodeOrLink(existing);
    Place place = on.walk().place(path);
    if (node.isDirectory()) {
      throw new WeftException(
          ErrorCode.IS_DIRECTORY, existing + " is a directory and cannot have a second name");
    }
    if (on.grants().isOrphan(node.object())) {
      throw PathWalk.notFound(existing);
    }
    if (place.entry().isPresent()) {
      throw new WeftException(ErrorCode.EXISTS, path + " exists already");
    }
    Permissions.require(place.directory(), on.credentials(), Permissions.WRITE, path.parent());
    if (node.links() >= MAX_LINKS) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          existing + " has " + node.links() + " names, as many as a file may have");
    }
    on.requireLength(node.object());
    return Replies.withHandle(on, new Nodes(on).addName(place.directory(), place.name(), node));
  }
}
