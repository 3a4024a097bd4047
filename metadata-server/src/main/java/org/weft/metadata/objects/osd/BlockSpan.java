package org.weft.metadata.objects.osd;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.weft.client.osd.ReadResult;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.BlockRun;

/** Neighbouring blocks, read at once. */
record BlockSpan(int first, int count) {
  private static final int MAX_COUNT = 256;

  /** Ranges that hold these blocks and no others. */
  static List<BlockSpan> covering(List<Integer> numbers) {
    List<BlockSpan> ranges = new ArrayList<>();
    int first = -1;
    int count = 0;
    for (int number : new TreeSet<>(numbers)) {
      if (count > 0 && number == first + count && count < MAX_COUNT) {
        count++;
        continue;
      }
      if (count > 0) {
        ranges.add(new BlockSpan(first, count));
      }
      first = number;
      count = 1;
    }
    if (count > 0) {
      ranges.add(new BlockSpan(first, count));
    }
    return ranges;
  }

  /** The blocks of a reply by number; their checksums on the way must fit. */
  static SortedMap<Integer, byte[]> blocksIn(OsdId osd, ObjectId directory, ReadResult result)
      throws WeftException {
    ByteBuffer payload = ByteBuffer.allocate(result.payload().lengthBytes());
    result.payload().buffers().forEach(payload::put);
    payload.flip();
    SortedMap<Integer, byte[]> blocks = new TreeMap<>();
    int index = 0;
    for (BlockRun run : result.reply().getRunsList()) {
      for (int offset = 0; offset < run.getBlockCount(); offset++) {
        int number = Math.toIntExact(run.getFirstBlock() + offset);
        if (payload.remaining() < DirectoryBlock.BYTES || index >= result.crcs().count()) {
          throw broken(osd, directory, number, "the reply ends before it");
        }
        byte[] block = new byte[DirectoryBlock.BYTES];
        payload.get(block);
        CRC32C crc = new CRC32C();
        crc.update(block);
        if ((int) crc.getValue() != result.crcs().at(index++)) {
          throw broken(osd, directory, number, "its checksum does not fit");
        }
        blocks.put(number, block);
      }
    }
    return blocks;
  }

  private static WeftException broken(OsdId osd, ObjectId directory, int number, String what) {
    return new WeftException(
        ErrorCode.BAD_CHECKSUM,
        "OSD " + osd + ", block " + number + " of directory " + directory + ": " + what);
  }
}
