package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CompositeCrcFileChecksum;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.CrcComposer;
import org.apache.hadoop.util.CrcUtil;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.hadoop.config.ConnectorKey;

/** Checksums of whole files, by which distcp compares contents. */
class FileChecksumTest {
  private static final Path ROOT = new Path("/tmp/checksums");
  private static final int SIZE_BYTES = 1_000_003;

  private WeftHadoopFileSystem fs;

  @BeforeEach
  void connect() throws IOException {
    fs = open(new Configuration());
    fs.delete(ROOT, true);
    fs.mkdirs(ROOT);
  }

  @AfterEach
  void disconnect() throws IOException {
    fs.close();
  }

  private static WeftHadoopFileSystem open(Configuration conf) throws IOException {
    return (WeftHadoopFileSystem)
        FileSystem.newInstance(URI.create(SharedCluster.get().uri()), conf);
  }

  private static Path path(String name) {
    return new Path(ROOT, name);
  }

  private static byte[] bytes(long seed) {
    byte[] bytes = new byte[SIZE_BYTES];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  private Path write(String name, byte[] content) throws IOException {
    try (FSDataOutputStream out = fs.create(path(name))) {
      out.write(content);
    }
    return path(name);
  }

  /** As HDFS's client composes the checksums of chunks to those of blocks, and these to one. */
  private static CompositeCrcFileChecksum asHdfs(byte[] content, int chunk, int block)
      throws IOException {
    CrcComposer file = CrcComposer.newCrcComposer(DataChecksum.Type.CRC32C, block);
    for (int start = 0; start < content.length; start += block) {
      CrcComposer inBlock = CrcComposer.newCrcComposer(DataChecksum.Type.CRC32C, chunk);
      int end = Math.min(content.length, start + block);
      for (int at = start; at < end; at += chunk) {
        CRC32C crc = new CRC32C();
        int length = Math.min(chunk, end - at);
        crc.update(content, at, length);
        inBlock.update((int) crc.getValue(), length);
      }
      file.update(CrcUtil.readInt(inBlock.digest(), 0), end - start);
    }
    return new CompositeCrcFileChecksum(
        CrcUtil.readInt(file.digest(), 0), DataChecksum.Type.CRC32C, chunk);
  }

  @Test
  void equalContentsHaveTheChecksumThatHdfsComposes() throws IOException {
    byte[] content = bytes(1);
    Path file = write("usual", content);
    Path narrow = path("narrow");
    try (FSDataOutputStream out =
        fs.createFile(narrow)
            .opt("fs.option.weft.data-units", 2)
            .opt("fs.option.weft.parity-units", 1)
            .opt("fs.option.weft.unit", 4096)
            .build()) {
      out.write(content);
    }
    assertEquals(asHdfs(content, 512, 128 << 10), fs.getFileChecksum(file));
    assertEquals(fs.getFileChecksum(file), fs.getFileChecksum(narrow));
    assertEquals("COMPOSITE-CRC32C", fs.getFileChecksum(file).getAlgorithmName());
    FileContext context =
        FileContext.getFileContext(URI.create(SharedCluster.get().uri()), new Configuration());
    assertEquals(fs.getFileChecksum(file), context.getFileChecksum(file));
    assertTrue(fs.hasPathCapability(file, CommonPathCapabilities.FS_CHECKSUMS));
  }

  @Test
  void otherContentsOfTheSameSizeHaveAnother() throws IOException {
    byte[] content = bytes(2);
    Path file = write("one", content);
    content[SIZE_BYTES / 2] ^= 1;
    assertNotEquals(fs.getFileChecksum(file), fs.getFileChecksum(write("other", content)));
  }

  @Test
  void aLengthEndsWhatCounts() throws IOException {
    byte[] content = bytes(3);
    Path file = write("whole", content);
    Path part = write("part", Arrays.copyOf(content, 70_001));
    assertEquals(fs.getFileChecksum(part), fs.getFileChecksum(file, 70_001));
    assertEquals(fs.getFileChecksum(file), fs.getFileChecksum(file, SIZE_BYTES + 1L));
    assertThrows(IllegalArgumentException.class, () -> fs.getFileChecksum(file, -1));
  }

  @Test
  void aFileWithoutBytesHasTheOneThatHdfsGivesIt() throws IOException {
    Path empty = write("empty", new byte[0]);
    assertEquals("MD5-of-0MD5-of-0CRC32", fs.getFileChecksum(empty).getAlgorithmName());
    assertEquals(fs.getFileChecksum(empty), fs.getFileChecksum(write("some", bytes(4)), 0));
  }

  @Test
  void checksumOfAWrittenFileCoversThePublishedBytes() throws IOException {
    byte[] content = bytes(5);
    try (WeftHadoopFileSystem other = open(new Configuration());
        FSDataOutputStream out = fs.create(path("written"))) {
      out.write(content, 0, 10_000);
      out.hflush();
      out.write(content, 10_000, 10_000);
      Path published = write("published", Arrays.copyOf(content, 10_000));
      assertEquals(other.getFileChecksum(published), other.getFileChecksum(path("written")));
    }
  }

  @Test
  void missingFilesAndDirectoriesHaveNoChecksum() {
    assertThrows(FileNotFoundException.class, () -> fs.getFileChecksum(path("missing")));
    assertThrows(FileNotFoundException.class, () -> fs.getFileChecksum(ROOT));
  }

  @Test
  void theConfigurationTurnsThemOff() throws IOException {
    Path file = write("file", bytes(6));
    Configuration conf = new Configuration();
    conf.set(ConnectorKey.FILE_CHECKSUM.key(), "none");
    try (WeftHadoopFileSystem none = open(conf)) {
      assertNull(none.getFileChecksum(file));
      assertFalse(none.hasPathCapability(file, CommonPathCapabilities.FS_CHECKSUMS));
      assertThrows(FileNotFoundException.class, () -> none.getFileChecksum(path("missing")));
    }
    conf.set(ConnectorKey.FILE_CHECKSUM.key(), "md5");
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> open(conf));
    assertTrue(refused.getMessage().contains("composite-crc32c or none"), refused::toString);
  }
}
