package org.weft.hadoop;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.CompositeCrcFileChecksum;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.MD5MD5CRC32GzipFileChecksum;
import org.apache.hadoop.io.MD5Hash;
import org.apache.hadoop.util.DataChecksum;
import org.weft.client.ReadOptions;
import org.weft.client.ReadPattern;
import org.weft.client.WeftFiles;
import org.weft.client.WeftInputStream;
import org.weft.client.WeftPath;

/**
 * Checksums of whole files that depend on the contents alone, not on the layout: the CRC32C of all
 * bytes. HDFS gives the same for equal contents under {@code dfs.checksum.combine.mode =
 * COMPOSITE_CRC}. The file is read for it, and every byte is checked on the way.
 */
final class FileChecksums {
  private static final int BUFFER_BYTES = 1 << 20;

  /** What OSDs keep a checksum of. */
  private static final int BYTES_PER_CRC = 4096;

  /** HDFS digests so many zeros for a file without bytes, whatever its mode of combining. */
  private static final int ZEROS_OF_EMPTY_FILE = 32;

  private FileChecksums() {}

  /**
   * The checksum of what is published, up to a length.
   *
   * @param mostBytes bytes behind it do not count
   * @throws EOFException if the file was truncated while it was read
   */
  static FileChecksum of(WeftFiles files, WeftPath path, long mostBytes, ReadOptions reading)
      throws IOException {
    ReadOptions whole = reading.withPattern(ReadPattern.WHOLE).withLikelyEnd(mostBytes);
    try (WeftInputStream in = files.open(path, whole)) {
      long sizeBytes = Math.min(mostBytes, in.sizeBytes());
      return sizeBytes == 0
          ? ofEmptyFile()
          : new CompositeCrcFileChecksum(
              crcOf(in, sizeBytes), DataChecksum.Type.CRC32C, BYTES_PER_CRC);
    }
  }

  private static int crcOf(WeftInputStream in, long sizeBytes) throws IOException {
    CRC32C crc = new CRC32C();
    ByteBuffer buffer = ByteBuffer.allocateDirect((int) Math.min(BUFFER_BYTES, sizeBytes));
    long left = sizeBytes;
    while (left > 0) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), left));
      int count = in.read(buffer);
      if (count < 0) {
        throw new EOFException(
            in.status().path()
                + ": was truncated while its checksum was computed, at "
                + sizeBytes);
      }
      crc.update(buffer.flip());
      left -= count;
    }
    return (int) crc.getValue();
  }

  private static FileChecksum ofEmptyFile() {
    return new MD5MD5CRC32GzipFileChecksum(0, 0, MD5Hash.digest(new byte[ZEROS_OF_EMPTY_FILE]));
  }
}
