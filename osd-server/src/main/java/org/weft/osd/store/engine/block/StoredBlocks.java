package org.weft.osd.store.engine.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;

/** Reads stored blocks that something is computed from: each is verified first (P 5.2). */
public final class StoredBlocks {
  private StoredBlocks() {}

  /**
   * The bytes of a block, a buffer of the caller's own; zeros where there is none.
   *
   * @throws WeftException BAD_MEDIA
   */
  public static ByteBuffer read(StoreState store, ObjectName name, Extent extent, long block)
      throws WeftException {
    if (extent == null) {
      return ByteBuffer.allocate(HeaderCodec.BLOCK_BYTES);
    }
    if (extent.isLost()) {
      throw new WeftException(
          ErrorCode.BAD_MEDIA,
          "block "
              + block
              + " of object "
              + name
              + " is lost since several OSDs lost their power; write the whole block anew");
    }
    int place = (int) (block - extent.firstBlock());
    ByteBuffer bytes;
    try {
      bytes = store.segments().readBlock(extent.segment(), extent.segmentBlock() + place);
    } catch (IOException e) {
      store.health().report("reading segment " + extent.segment() + " failed: " + e, e);
      throw new WeftException(
          ErrorCode.BAD_MEDIA,
          "block " + block + " of object " + name + " could not be read: " + e,
          e);
    }
    if (BufferRun.crc(bytes) != extent.crcs()[place]) {
      store.health().report("block " + block + " of object " + name + " is damaged");
      throw new WeftException(
          ErrorCode.BAD_MEDIA,
          "block "
              + block
              + " of object "
              + name
              + " is damaged: its bytes do not match their checksum; write the whole block anew");
    }
    return bytes;
  }
}
