package org.weft.client;

import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.AttributesReply;

/**
 * What a path leads to.
 *
 * @param handle reaches the same node later, whatever its names are by then; empty if the manager
 *     is of a release that gives none
 */
public record FoundNode(FileStatus status, Optional<FileHandle> handle) {
  static FoundNode fromMessage(WeftPath path, AttributesReply reply) {
    FileStatus status = FileStatus.fromMessage(path, reply.getAttributes());
    if (reply.getHandle().isEmpty()) {
      return new FoundNode(status, Optional.empty());
    }
    try {
      return new FoundNode(status, Optional.of(FileHandle.decode(reply.getHandle())));
    } catch (WeftException e) {
      throw new CompletionException(e);
    }
  }
}
