package org.weft.protocol.rpc;

import java.nio.channels.FileChannel;
import java.util.List;

/**
 * Bytes that lie in files and may leave by {@code sendfile}. {@link #buffers} reads them instead,
 * for a transport that cannot, or where a range could not be read and nothing has left yet.
 */
public interface FilePayload extends Payload {
  /** A range of an open file. */
  record Range(FileChannel channel, long offsetBytes, int lengthBytes) {}

  /** The ranges, one after another. */
  List<Range> ranges();

  /**
   * Told once if a transfer of the ranges failed on its way, perhaps for a range that could not be
   * read. The connection has ended with it. Called before the release, on an event loop: must not
   * wait.
   */
  default void transferFailed() {}
}
