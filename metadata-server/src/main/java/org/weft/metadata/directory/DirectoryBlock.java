package org.weft.metadata.directory;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/**
 * What all blocks of a directory have in common. Block 0 is the {@link HeaderBlock} with the root
 * of the index; the others are an {@link IndexNode} or a {@link Bucket}. Big-endian:
 *
 * <pre>
 *  0 kind and format version: "WDH1" header, "WDI1" index, "WDB1" bucket
 *  4 CRC32C u32 of: directory's object id u64, block number u32, bytes 8..4095
 *  8 LSN u64 of the record that last changed the block; that of block 0 is the directory's
 * 16 what the kind says
 * </pre>
 */
public final class DirectoryBlock {
  public static final int BYTES = 4096;

  /** Number of the block to begin with. */
  public static final int HEADER = 0;

  static final int CONTENT = 16;

  /** What a block is. */
  enum Kind {
    HEADER(0x57444831),
    INDEX(0x57444931),
    BUCKET(0x57444231);

    private final int magic;

    Kind(int magic) {
      this.magic = magic;
    }
  }

  private DirectoryBlock() {}

  /** LSN of the record that last changed the block. */
  public static Lsn lsnOf(byte[] block) {
    return new Lsn(ByteBuffer.wrap(block).getLong(8));
  }

  /** One more than the largest number of a block in use, as the header says. */
  public static int endBlockOf(byte[] header) {
    return HeaderBlock.endBlockOf(header);
  }

  /**
   * What is wrong with a block that was read from an OSD, for a person; empty if it can be used.
   */
  public static Optional<String> problemOf(ObjectId directory, int number, byte[] block) {
    if (block.length != BYTES) {
      return Optional.of("it has " + block.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(block);
    if (in.getInt(4) != crc(directory, number, block)) {
      return Optional.of("its checksum does not fit");
    }
    for (Kind kind : Kind.values()) {
      if (in.getInt(0) == kind.magic) {
        return (kind == Kind.HEADER) == (number == HEADER)
            ? contentProblem(kind, block)
            : Optional.of("a block of kind " + kind + " is out of place");
      }
    }
    return Optional.of("its kind is not known to this release");
  }

  private static Optional<String> contentProblem(Kind kind, byte[] block) {
    return switch (kind) {
      case HEADER -> HeaderBlock.problemOf(block);
      case INDEX -> IndexNode.problemOf(block);
      case BUCKET -> Bucket.problemOf(block);
    };
  }

  static boolean isKind(byte[] block, Kind kind) {
    return ByteBuffer.wrap(block).getInt(0) == kind.magic;
  }

  /** An empty block of that kind, not sealed yet. */
  static ByteBuffer blank(Kind kind) {
    return ByteBuffer.allocate(BYTES).putInt(0, kind.magic);
  }

  /** Finishes a block that was changed: from here on its bytes stay as they are. */
  static byte[] seal(ByteBuffer block, ObjectId directory, int number, Lsn lsn) {
    block.putLong(8, lsn.value());
    byte[] bytes = block.array();
    block.putInt(4, crc(directory, number, bytes));
    return bytes;
  }

  private static int crc(ObjectId directory, int number, byte[] block) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(12).putLong(0, directory.value()).putInt(8, number));
    crc.update(block, 8, BYTES - 8);
    return (int) crc.getValue();
  }
}
