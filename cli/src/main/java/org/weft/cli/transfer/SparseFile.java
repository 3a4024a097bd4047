package org.weft.cli.transfer;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.Arrays;
import java.util.Objects;

/** A local file in which runs of zeros become holes, block by block. Not thread-safe. */
final class SparseFile extends OutputStream {
  private static final int BLOCK_BYTES = 4 << 10;
  private static final byte[] ZEROS = new byte[BLOCK_BYTES];

  private final SeekableByteChannel channel;
  private long positionBytes;
  private boolean closed;

  /**
   * @param channel to an empty file; closed with this
   */
  SparseFile(SeekableByteChannel channel) {
    this.channel = channel;
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
        writeAt(positionBytes, ByteBuffer.wrap(bytes, offset + done, count));
      }
      positionBytes += count;
      done += count;
    }
  }

  private void writeAt(long at, ByteBuffer piece) throws IOException {
    var positioned = channel.position(at);
    while (piece.hasRemaining()) {
      var unused = positioned.write(piece);
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
        writeAt(positionBytes - 1, ByteBuffer.wrap(ZEROS, 0, 1));
      }
    }
  }
}
