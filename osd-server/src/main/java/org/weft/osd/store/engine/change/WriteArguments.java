package org.weft.osd.store.engine.change;

import java.util.Arrays;
import org.weft.osd.store.engine.block.BufferRun;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.mutation.XorWrite;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.FileLimits;

/** Checks of what a write brings that need no look at the object. */
final class WriteArguments {
  private static final int MAX_WRITE_BYTES = 64 << 20;
  private static final int BLOCK_BYTES = DataChange.BLOCK_BYTES;

  private WriteArguments() {}

  static void require(ObjectWrite write, BufferRun sent) throws WeftException {
    requireRange(write.bytes().offsetBytes(), sent, write.length().eofBytes());
    if (write.numbers().count() < 0 || (sent.lengthBytes() > 0 && write.numbers().count() == 0)) {
      throw PendingRules.invalid("a write needs an id: at least one sequence number");
    }
    if (write.creation().attributes().isPresent()) {
      AttributeChange.requireFits(write.creation().attributes().get());
    }
    requireChecksums(write.name(), write.bytes().offsetBytes(), sent, write.bytes().blockCrcs());
    if (write.bytes().lost()
        && (!write.authority().manager()
            || write.bytes().offsetBytes() % BLOCK_BYTES != 0
            || sent.lengthBytes() % BLOCK_BYTES != 0)) {
      throw PendingRules.invalid("only managers call blocks lost, and only whole ones");
    }
  }

  static void requireRange(long offset, BufferRun sent, long eofBytes) throws WeftException {
    int length = sent.lengthBytes();
    if (offset < 0
        || offset > DataChange.MAX_COMPONENT_BYTES - length
        || length > MAX_WRITE_BYTES) {
      throw PendingRules.invalid(
          "a write of %d bytes at %d is out of range: a component has at most %d bytes, a write %d"
              .formatted(length, offset, DataChange.MAX_COMPONENT_BYTES, MAX_WRITE_BYTES));
    }
    FileLimits.requireFileLength("a file length", eofBytes);
  }

  /** An XOR write has bytes and one number. */
  static void requireOne(XorWrite write) throws WeftException {
    if (write.sequence() < 1 || write.numbers().count() != 1 || write.bytes().lengthBytes() == 0) {
      throw PendingRules.invalid(
          "an XOR write has at least one byte and a sequence number from 1 on");
    }
  }

  static void requireChecksums(ObjectName name, long offsetBytes, BufferRun sent, int[] crcs)
      throws WeftException {
    int[] actual = sent.blockCrcs((int) (offsetBytes % BLOCK_BYTES));
    if (actual.length != crcs.length) {
      throw PendingRules.invalid(
          "a write that touches " + actual.length + " blocks has " + crcs.length + " checksums");
    }
    int wrong = Arrays.mismatch(actual, crcs);
    if (wrong >= 0) {
      throw new WeftException(
          ErrorCode.BAD_CHECKSUM,
          "block "
              + wrong
              + " of a write to object "
              + name
              + " does not match its checksum; nothing was written, send it again");
    }
  }
}
