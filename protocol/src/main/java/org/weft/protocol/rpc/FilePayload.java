package org.weft.protocol.rpc;

import java.nio.channels.FileChannel;
import java.util.List;

/**
 * Bytes that lie in files and may leave by {@code sendfile}. {@link #buffers} reads them instead,
 * for a transport that cannot.
 */
public interface FilePayload extends Payload {
  /** A range of an open file. */
  record Range(FileChannel channel, long offsetBytes, int lengthBytes) {}

  /** The ranges, one after another. */
  List<Range> ranges();
}
