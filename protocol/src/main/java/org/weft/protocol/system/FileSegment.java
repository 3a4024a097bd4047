package org.weft.protocol.system;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.SegmentFile;

/**
 * A file by its channel. Thread-safe, and nothing is locked: every read and write names its offset.
 *
 * <p>A write of several buffers is one {@code pwrite} for each of them. The JDK has no positional
 * {@code pwritev}, and {@code writev} at a shared file position would need a lock across the IO.
 *
 * <p>Threads that come here must not be interrupted: an interrupt closes the channel.
 */
final class FileSegment implements SegmentFile {
  private static final int ZERO_CHUNK_BYTES = 1 << 20;

  private final Path file;
  private final FileChannel channel;
  private final Preallocation preallocation;
  private final UncachedReads medium;

  FileSegment(Path file, FileChannel channel, Preallocation preallocation) {
    this.file = file;
    this.channel = channel;
    this.preallocation = preallocation;
    this.medium = new UncachedReads(file);
  }

  @Override
  public long sizeBytes() throws IOException {
    return channel.size();
  }

  @Override
  public void read(ByteBuffer target, long offsetBytes) throws IOException {
    readFully(file, channel, target, offsetBytes);
  }

  @Override
  public void readFromMedium(ByteBuffer target, long offsetBytes) throws IOException {
    if (!medium.read(target, offsetBytes)) {
      read(target, offsetBytes);
    }
  }

  static void readFully(Path file, FileChannel channel, ByteBuffer target, long offsetBytes)
      throws IOException {
    long position = offsetBytes;
    while (target.hasRemaining()) {
      int count = channel.read(target, position);
      if (count < 0) {
        throw new EOFException(
            file
                + " ends at "
                + channel.size()
                + ", "
                + target.remaining()
                + " bytes were still wanted from offset "
                + position);
      }
      position += count;
    }
  }

  @Override
  public void write(ByteBuffer[] sources, long offsetBytes) throws IOException {
    long position = offsetBytes;
    for (ByteBuffer source : sources) {
      while (source.hasRemaining()) {
        position += channel.write(source, position);
      }
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Where nothing can preallocate, growing writes zeros: a second of the processor for a GiB, or
   * more. If the device fills up on the way the file has its old size again and the exception
   * leaves.
   */
  @Override
  public void resize(long sizeBytes) throws IOException {
    long oldSizeBytes = channel.size();
    if (sizeBytes <= oldSizeBytes) {
      channel.truncate(sizeBytes);
      return;
    }
    try {
      boolean done = preallocation.allocate(file, oldSizeBytes, sizeBytes);
      if (!done || channel.size() < sizeBytes) {
        appendZeros(oldSizeBytes, sizeBytes);
      }
    } catch (IOException e) {
      try {
        channel.truncate(oldSizeBytes);
      } catch (IOException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
  }

  private void appendZeros(long from, long to) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(ZERO_CHUNK_BYTES, to - from));
    long position = from;
    while (position < to) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), to - position));
      position += channel.write(zeros, position);
    }
  }

  @Override
  public void sync() throws IOException {
    channel.force(false);
  }

  @Override
  public Payload payload(long offsetBytes, int lengthBytes, Runnable released) {
    return new SegmentPayload(file, channel, offsetBytes, lengthBytes, released);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
