package org.weft.cli.transfer;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Objects;

/** A local file in which runs of zeros become holes, block by block. Not thread-safe. */
final class SparseFile extends OutputStream {
  private static final int BLOCK_BYTES = 4 << 10;
  private static final byte[] ZEROS = new byte[BLOCK_BYTES];

  private final FileChannel channel;
  private long positionBytes;
  private boolean closed;

  /**
   * @param path an empty file; not a symbolic link
   */
  SparseFile(Path path) throws IOException {
    this.channel =
        FileChannel.open(
            path,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    int done = 0;
    while (done < length) {
      int count = piece(bytes, offset + done, length - done);
      if (!isZero(bytes, offset + done, count)) {
        ByteBuffer piece = ByteBuffer.wrap(bytes, offset + done, count);
        while (piece.hasRemaining()) {
          var unused = channel.write(piece, positionBytes + piece.position() - offset - done);
        }
      }
      positionBytes += count;
      done += count;
    }
  }

  /** Bytes up to the end of the block, or of several blocks that all hold something. */
  private int piece(byte[] bytes, int offset, int length) {
    int first = Math.min(length, BLOCK_BYTES - (int) (positionBytes % BLOCK_BYTES));
    if (isZero(bytes, offset, first)) {
      return first;
    }
    int count = first;
    while (count < length) {
      int next = Math.min(length - count, BLOCK_BYTES);
      if (isZero(bytes, offset + count, next)) {
        break;
      }
      count += next;
    }
    return count;
  }

  private static boolean isZero(byte[] bytes, int offset, int length) {
    return length <= BLOCK_BYTES && Arrays.equals(bytes, offset, offset + length, ZEROS, 0, length);
  }

  /** The length is set even if a hole is last. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (channel) {
      if (channel.size() < positionBytes) {
        var unused = channel.write(ByteBuffer.wrap(ZEROS, 0, 1), positionBytes - 1);
      }
    }
  }
}
