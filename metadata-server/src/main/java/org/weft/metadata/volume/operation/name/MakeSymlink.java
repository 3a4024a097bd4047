package org.weft.metadata.volume.operation.name;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.path.Names;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk.Place;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Makes a symbolic link. Its target need not exist; it is resolved when the link is followed.
 *
 * @param target a path relative to the link's directory, or absolute in the cluster
 */
public record MakeSymlink(NodePath path, String target) implements Operation {
  /** Longest target, as in Linux. */
  public static final int MAX_TARGET_BYTES = 4_095;

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    ByteString checked = checkTarget(ByteString.copyFrom(Names.encode(target)), path);
    Place place = on.walk().place(path);
    if (place.entry().isPresent()) {
      throw new WeftException(ErrorCode.EXISTS, path + " exists already");
    }
    Attributes parent = place.directory();
    Permissions.require(parent, on.credentials(), Permissions.WRITE, path.parent());
    return Replies.withHandle(on, new Nodes(on).newSymlink(parent, place.name(), checked));
  }

  /**
   * The target of a new link.
   *
   * @throws WeftException NAME_INVALID if it is empty, too long or contains NUL
   */
  public static ByteString checkTarget(ByteString target, Object link) throws WeftException {
    if (target.isEmpty()) {
      throw new WeftException(
          ErrorCode.NAME_INVALID, link + ": the target of a symbolic link must not be empty");
    }
    if (contains(target, (byte) 0)) {
      throw new WeftException(
          ErrorCode.NAME_INVALID, link + ": the target of a symbolic link contains NUL");
    }
    if (target.size() > MAX_TARGET_BYTES) {
      throw new WeftException(
          ErrorCode.NAME_INVALID,
          link
              + ": the target of a symbolic link has "
              + target.size()
              + " bytes, the limit is "
              + MAX_TARGET_BYTES);
    }
    return target;
  }

  private static boolean contains(ByteString bytes, byte wanted) {
    for (int index = 0; index < bytes.size(); index++) {
      if (bytes.byteAt(index) == wanted) {
        return true;
      }
    }
    return false;
  }
}
