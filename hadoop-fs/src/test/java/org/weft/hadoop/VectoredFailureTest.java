package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Vectored reads whose caller has no memory left: every range gets an outcome. */
@Timeout(120)
class VectoredFailureTest {
  private static final Path FILE = new Path("/tmp/vectored-failures");
  private static final int APART = 300_000;
  private static final int RANGES = 6;

  private final List<FileRange> ranges = new ArrayList<>();
  private final Set<ByteBuffer> out = ConcurrentHashMap.newKeySet();
  private FileSystem fs;

  @BeforeEach
  void write() throws IOException {
    fs = FileSystem.newInstance(URI.create(SharedCluster.get().uri()), new Configuration());
    try (FSDataOutputStream file = fs.create(FILE)) {
      file.write(new byte[RANGES * APART]);
    }
  }

  @AfterEach
  void close() throws IOException {
    fs.close();
  }

  private void want(int apartBytes) {
    for (int i = 0; i < RANGES; i++) {
      ranges.add(FileRange.createFileRange((long) i * apartBytes, 100));
    }
  }

  private int failures() throws Exception {
    int failures = 0;
    for (FileRange range : ranges) {
      try {
        assertEquals(100, range.getData().get(20, TimeUnit.SECONDS).remaining());
      } catch (ExecutionException e) {
        assertInstanceOf(OutOfMemoryError.class, e.getCause());
        failures++;
      }
    }
    return failures;
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, APART})
  void everyRangeEndsWhenTheCallerHasNoMemoryForSome(int apartBytes) throws Exception {
    want(apartBytes);
    AtomicInteger asked = new AtomicInteger();
    try (FSDataInputStream in = fs.open(FILE)) {
      in.readVectored(
          ranges,
          length -> {
            if (asked.incrementAndGet() % 2 == 0) {
              throw new OutOfMemoryError("of the caller");
            }
            return ByteBuffer.allocate(length);
          });
      assertEquals(RANGES / 2, failures());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, APART})
  void aBufferThatIsTooSmallIsGivenBack(int apartBytes) throws Exception {
    want(apartBytes);
    try (FSDataInputStream in = fs.open(FILE)) {
      in.readVectored(
          ranges,
          length -> {
            ByteBuffer buffer = ByteBuffer.allocate(length / 2 + out.size());
            out.add(buffer);
            return buffer;
          },
          buffer -> {
            out.remove(buffer);
            throw new IllegalStateException("the caller's pool is closed");
          });
      for (FileRange range : ranges) {
        assertThrows(ExecutionException.class, () -> range.getData().get(20, TimeUnit.SECONDS));
      }
      assertTrue(out.isEmpty(), out::toString);
    }
  }

  @Test
  void otherReadsOfTheStreamGoOn() throws Exception {
    want(APART);
    try (FSDataInputStream in = fs.open(FILE)) {
      in.readVectored(
          ranges,
          length -> {
            throw new OutOfMemoryError("of the caller");
          });
      assertEquals(RANGES, failures());
      assertEquals(RANGES * APART, in.readAllBytes().length);
    }
  }
}
