package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tasks are killed by interrupting their threads, which close their files afterwards. */
@Timeout(120)
class InterruptedWriterTest {
  private static final Path ROOT = new Path("/tmp/interrupted");

  /** Before which call the thread is interrupted. */
  private enum Before {
    WRITE,
    LARGE_WRITE,
    HFLUSH,
    HSYNC,
    CLOSE
  }

  private static FileSystem open() throws IOException {
    return FileSystem.newInstance(URI.create(SharedCluster.get().uri()), new Configuration());
  }

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    for (int index = 0; index < count; index++) {
      bytes[index] = (byte) (index * 31 + index / 251);
    }
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(Before.class)
  void theFileOfAnInterruptedWriterIsWholeAndClosed(Before step) throws IOException {
    Path file = new Path(ROOT, step.name());
    byte[] content = bytes(step == Before.LARGE_WRITE ? 3_000_000 : 1000);
    try (FileSystem fs = open();
        FileSystem other = open()) {
      FSDataOutputStream out = fs.create(file, true);
      try {
        out.write(content, 0, 100);
        out.hflush();
        interruptIf(step == Before.WRITE || step == Before.LARGE_WRITE);
        out.write(content, 100, content.length - 100);
        interruptIf(step == Before.HFLUSH);
        out.hflush();
        interruptIf(step == Before.HSYNC);
        out.hsync();
        interruptIf(step == Before.CLOSE);
        out.close();
      } finally {
        assertTrue(Thread.interrupted(), "the interrupt was forgotten");
      }
      assertTrue(((WeftHadoopFileSystem) other).isFileClosed(file));
      assertEquals(content.length, other.getFileStatus(file).getLen());
      try (FSDataOutputStream next = other.append(file)) {
        next.write(7);
      }
      try (FSDataInputStream in = other.open(file)) {
        byte[] read = in.readAllBytes();
        assertEquals(content.length + 1, read.length);
        assertArrayEquals(content, java.util.Arrays.copyOf(read, content.length));
      }
    }
  }

  private static void interruptIf(boolean now) {
    if (now) {
      Thread.currentThread().interrupt();
    }
  }
}
