package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client whose process is short of memory blames no OSD, and harms no file. {@code
 * -Dweft.direct-memory=4m,12m,24m} tries other sizes of direct memory.
 */
@Timeout(300)
class ShortOfMemoryTest {
  private static final Path FILE = new Path("/tmp/short-of-memory");
  private static final int BYTES = 20_000_000;

  private static Stream<String> sizes() {
    return Stream.of(System.getProperty("weft.direct-memory", "4m").split(","));
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void memoryFailureNamesThisProcessAndNoOsd(String directMemory) throws Exception {
    String uri = SharedCluster.get().uri();
    try (FileSystem fs = FileSystem.newInstance(URI.create(uri), new Configuration())) {
      try (FSDataOutputStream out = fs.create(FILE, true)) {
        out.write(new byte[BYTES]);
      }
      List<String> lines =
          new ChildJvm("-Xmx128m", "-XX:MaxDirectMemorySize=" + directMemory)
              .run(ShortOfMemoryProgram.class, uri, FILE.toString());
      assertTrue(lines.contains("end"), lines::toString);
      for (String line : lines) {
        if (line.startsWith("failed")) {
          boolean late = line.contains("no connection and handshake within");
          assertTrue(late || line.contains("this process") || line.contains("OutOfMemory"), line);
          assertFalse(line.contains("are lost"), line);
        }
      }
      try (FSDataInputStream in = fs.open(FILE)) {
        assertEquals(BYTES, in.readAllBytes().length);
      }
    }
  }
}
