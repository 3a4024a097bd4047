package org.weft.metadata.volume.path;

import com.google.protobuf.ByteString;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.capability.HandleKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;

/**
 * The handles of a volume's nodes. An answer carries a handle if its request reached the node by a
 * path, and might search each directory on the way. Without a handle a node is reached by a path
 * alone.
 */
public record Handles(PartitionId volume, HandleKey key) {
  /** The node's handle, for a client that was led to the node. */
  public ByteString of(ObjectId object) {
    return key.handle(volume, object).encode();
  }

  /**
   * @throws WeftException HANDLE_INVALID unless this volume's manager made the handle
   */
  public void require(FileHandle handle) throws WeftException {
    if (!handle.volume().equals(volume)) {
      throw new WeftException(
          ErrorCode.HANDLE_INVALID,
          "the handle is of volume " + handle.volume() + ", this is volume " + volume);
    }
    if (!key.made(handle)) {
      throw new WeftException(
          ErrorCode.HANDLE_INVALID,
          "this volume has made no such handle of object "
              + handle.object()
              + "; ask for the file's handle by its path");
    }
  }
}
