package org.weft.osd.store.engine.block;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.weft.osd.store.format.HeaderCodec;

/** Several buffers seen as one run of bytes; nothing is copied and no position moves. */
public final class BufferRun {
  private static final int BLOCK_BYTES = HeaderCodec.BLOCK_BYTES;

  private final List<ByteBuffer> buffers;
  private final int lengthBytes;

  /** The remaining bytes of these, one after another. */
  public BufferRun(List<ByteBuffer> buffers) {
    this.buffers = buffers;
    long length = 0;
    for (ByteBuffer buffer : buffers) {
      length += buffer.remaining();
    }
    this.lengthBytes = Math.toIntExact(length);
  }

  /** All bytes of the run. */
  public int lengthBytes() {
    return lengthBytes;
  }

  /** Views of a part. */
  public List<ByteBuffer> slice(int fromByte, int bytes) {
    List<ByteBuffer> parts = new ArrayList<>();
    int skip = fromByte;
    int missing = bytes;
    for (ByteBuffer buffer : buffers) {
      if (missing == 0) {
        break;
      }
      int here = buffer.remaining();
      if (skip >= here) {
        skip -= here;
        continue;
      }
      int take = Math.min(missing, here - skip);
      parts.add(buffer.slice(buffer.position() + skip, take));
      skip = 0;
      missing -= take;
    }
    return parts;
  }

  /** Copies a part to the target's position, which moves. */
  public void copy(int fromByte, int bytes, ByteBuffer target) {
    for (ByteBuffer part : slice(fromByte, bytes)) {
      target.put(part);
    }
  }

  /**
   * CRC32C of each block touched when the run is laid at {@code offsetInBlock} of the first one:
   * over the bytes of the run only.
   */
  public int[] blockCrcs(int offsetInBlock) {
    int blocks = (offsetInBlock + lengthBytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    int[] crcs = new int[lengthBytes == 0 ? 0 : blocks];
    CRC32C crc = new CRC32C();
    int block = 0;
    int left = BLOCK_BYTES - offsetInBlock;
    for (ByteBuffer buffer : buffers) {
      ByteBuffer view = buffer.duplicate();
      while (view.hasRemaining()) {
        int take = Math.min(left, view.remaining());
        int limit = view.limit();
        view.limit(view.position() + take);
        crc.update(view);
        view.limit(limit);
        left -= take;
        if (left == 0) {
          crcs[block++] = (int) crc.getValue();
          crc.reset();
          left = BLOCK_BYTES;
        }
      }
    }
    if (block < crcs.length) {
      crcs[block] = (int) crc.getValue();
    }
    return crcs;
  }

  /** CRC32C of a buffer's remaining bytes, whose position stays. */
  public static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }
}
