package org.weft.metadata.volume.operation.attributes;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.placement.PlacementSpec;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.LayoutMessage;

/**
 * Says how new files of a directory are cut; new directories in it inherit that. Files that exist
 * stay as they are (P 4.1).
 *
 * @param layout zeros stand for the volume's default; empty, or zeros alone: all is as by default
 */
public record SetLayout(NodePath path, Optional<LayoutMessage> layout) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes node = on.walk().node(path);
    if (!node.isDirectory()) {
      throw new WeftException(
          ErrorCode.NOT_DIRECTORY,
          path + " is not a directory; the layout of a file is fixed when it is made");
    }
    Permissions.requireOwner(node, on.credentials(), "set the layout of", path);
    Optional<LayoutMessage> wanted =
        layout.filter(wish -> !wish.equals(LayoutMessage.getDefaultInstance()));
    if (wanted.isPresent()) {
      PlacementSpec resolved = on.settings().defaultLayout().with(wanted.get());
      resolved.check(on.settings().maxParityUnits());
      on.placement().requireFits(resolved);
    }
    Times times = node.times().touched(on.dayNanos());
    return Replies.attributes(
        on.draft().put(node.edit().defaultLayout(wanted).times(times).build()));
  }
}
