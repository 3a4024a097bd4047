package org.weft.hadoop.ends;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.hadoop.ChildJvm;
import org.weft.hadoop.SharedCluster;

/** Nothing of clients and file systems that were closed is left in a process. */
@Timeout(300)
class LeftBehindTest {
  private static final int FILE_SYSTEMS = 120 * Integer.getInteger("weft.times", 1);
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
}
