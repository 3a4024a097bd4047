package org.weft.hadoop.ends;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.hadoop.ChildJvm;
import org.weft.hadoop.SharedCluster;

/** Nothing of clients and file systems that were closed is left in a process. */
@Timeout(300)
class LeftBehindTest {
  private static final int FILE_SYSTEMS = 50 * Integer.getInteger("weft.times", 1);
  private static final ChildJvm LITTLE = new ChildJvm("-Xmx256m");

  private final String uri = SharedCluster.get().uri();

  /** Other suites of the shared cluster remove everything below the root. */
  @BeforeEach
  void temporaryDirectory() throws IOException {
    SharedCluster.get().makeHome();
  }

  /**
   * JDK 17 keeps the last class whose {@code equals} of a record was linked (JDK-8078641), and so
   * one class loader at most.
   */
  @ParameterizedTest
  @Tag("long")
  @ValueSource(classes = {JavaApiTask.class, HadoopTask.class})
  void classLoadersThatUsedWeftAreCollected(Class<?> task) throws Exception {
    List<String> lines =
        LITTLE.run(LoaderProgram.class, uri.substring("weft://".length()), task.getName(), "4");
    assertTrue(lines.contains("left 0") || lines.contains("left 1"), lines::toString);
    assertTrue(lines.contains("threads []"), lines::toString);
  }

  @Test
  void manyFileSystemsLeaveNoThreadDescriptorOrMemory() throws Exception {
    List<String> lines = LITTLE.run(ManyEnds.class, uri, String.valueOf(FILE_SYSTEMS));
    assertTrue(lines.contains("no more"), lines::toString);
  }

  /** Hadoop's shutdown hook closes them; a job that calls exit() counts on it. */
  @Test
  void unclosedFileIsCompleteAfterItsProgramEnds() throws Exception {
    try (FileSystem fs = FileSystem.newInstance(URI.create(uri), new Configuration(false))) {
      Path there = new Path("/tmp/ends-there");
      try (FSDataOutputStream out = fs.create(there, true)) {
        out.write(7);
      }
      Path whole = new Path("/tmp/ends-whole");
      List<String> lines = LITTLE.run(LeavesAllOpen.class, uri, whole.toString(), there.toString());
      assertTrue(lines.contains("read 7"), lines::toString);
      byte[] wanted = new byte[LeavesAllOpen.BYTES];
      Arrays.fill(wanted, LeavesAllOpen.VALUE);
      try (FSDataInputStream in = fs.open(whole)) {
        assertArrayEquals(wanted, in.readAllBytes());
      }
      // No grant of the program's is left: another client writes both at once.
      for (Path each : List.of(whole, new Path(whole + "-endless"))) {
        fs.append(each).close();
      }
    }
  }
}
