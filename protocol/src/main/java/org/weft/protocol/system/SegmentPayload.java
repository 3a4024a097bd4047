package org.weft.protocol.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.weft.protocol.rpc.FilePayload;

/** A range of a segment file on its way to a socket. */
final class SegmentPayload implements FilePayload {
  private final Path file;
  private final FileChannel channel;
  private final long offsetBytes;
  private final int lengthBytes;
  private final AtomicReference<Runnable> released;

  SegmentPayload(
      Path file, FileChannel channel, long offsetBytes, int lengthBytes, Runnable released) {
    if (offsetBytes < 0 || lengthBytes < 0) {
      throw new IllegalArgumentException(
          "no such range: offset " + offsetBytes + ", length " + lengthBytes);
    }
    this.file = file;
    this.channel = channel;
    this.offsetBytes = offsetBytes;
    this.lengthBytes = lengthBytes;
    this.released = new AtomicReference<>(released);
  }

  @Override
  public int lengthBytes() {
    return lengthBytes;
  }

  @Override
  public List<Range> ranges() {
    return List.of(new Range(channel, offsetBytes, lengthBytes));
  }

  /** Reads the range into memory; a failure is an {@link UncheckedIOException}. */
  @Override
  public List<ByteBuffer> buffers() {
    ByteBuffer bytes = ByteBuffer.allocate(lengthBytes);
    try {
      FileSegment.readFully(file, channel, bytes, offsetBytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.of(bytes.flip().asReadOnlyBuffer());
  }

  @Override
  public void release() {
    Runnable action = released.getAndSet(null);
    if (action != null) {
      action.run();
    }
  }
}
