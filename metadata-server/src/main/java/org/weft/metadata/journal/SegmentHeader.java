package org.weft.metadata.journal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.PartitionId;

/**
 * The first block of a journal file, synced before anything follows it. Big-endian:
 *
 * <pre>
 *  0 "WEFTJRNL"
 *  8 format version u32 = 2 | bytes of this header u32 = 4096
 * 16 volume id u64
 * 24 cluster id (16 bytes)
 * 40 base u64: names the file; larger than every LSN and every base before it
 * 48 base of the file before this one u64, 0: there was none
 * 56 offset at which that file ends u64
 * 64 salt u64, drawn for this file; goes into the CRC of each frame
 * 72 CRC32C of bytes 0..71 u32
 * 76 zeros
 * </pre>
 */
record SegmentHeader(
    JournalIdentity identity, Lsn base, Lsn previousBase, long previousEndBytes, long salt) {
  static final int BYTES = 4096;
  static final int VERSION = 2;

  private static final byte[] MAGIC = "WEFTJRNL".getBytes(StandardCharsets.US_ASCII);
  private static final int CRC_OFFSET = 72;

  ByteBuffer encode() {
    ByteBuffer out = ByteBuffer.allocate(BYTES);
    out.put(MAGIC)
        .putInt(VERSION)
        .putInt(BYTES)
        .putLong(identity.volume().value())
        .put(HexFormat.of().parseHex(identity.cluster().value()))
        .putLong(base.value())
        .putLong(previousBase.value())
        .putLong(previousEndBytes)
        .putLong(salt);
    return out.putInt(crc(out)).clear();
  }

  /**
   * Reads a header from the start of a file; empty if it was never completely written.
   *
   * @throws IllegalArgumentException if it is whole, but of another format version
   */
  static Optional<SegmentHeader> decode(ByteBuffer file) {
    if (file.limit() < BYTES || !file.slice(0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
      return Optional.empty();
    }
    ByteBuffer in = file.duplicate().position(MAGIC.length);
    int version = in.getInt();
    int bytes = in.getInt();
    PartitionId volume = new PartitionId(in.getLong());
    byte[] cluster = new byte[16];
    in.get(cluster);
    Lsn base = new Lsn(in.getLong());
    Lsn previousBase = new Lsn(in.getLong());
    long previousEndBytes = in.getLong();
    long salt = in.getLong();
    if (in.getInt() != crc(file)) {
      return Optional.empty();
    }
    if (version != VERSION || bytes != BYTES) {
      throw new IllegalArgumentException(
          "it has format version " + version + ", this release reads " + VERSION);
    }
    ClusterId clusterId = new ClusterId(HexFormat.of().formatHex(cluster));
    return Optional.of(
        new SegmentHeader(
            new JournalIdentity(volume, clusterId), base, previousBase, previousEndBytes, salt));
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(0).limit(CRC_OFFSET));
    return (int) crc.getValue();
  }
}
