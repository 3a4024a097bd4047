package org.weft.hadoop.context;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.fs.FCStatisticsBaseTest;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem.Statistics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class WeftContextStatisticsTest extends FCStatisticsBaseTest {
  @BeforeEach
  void connect() throws IOException {
    // All contexts of a process count together: those of other tests do not count here.
    FileContext.clearStatistics();
    fc = Contexts.context();
    fc.mkdir(fileContextTestHelper.getTestRootPath(fc, "test"), FileContext.DEFAULT_PERM, true);
  }

  @AfterEach
  void removeFiles() throws IOException {
    fc.delete(fileContextTestHelper.getTestRootPath(fc, "test"), true);
  }

  /** One block read in order, one at a position. */
  @Override
  protected void verifyReadBytes(Statistics stats) {
    assertEquals(2L * blockSize, stats.getBytesRead());
  }

  @Override
  protected void verifyWrittenBytes(Statistics stats) {
    assertEquals(blockSize, stats.getBytesWritten());
  }

  @Override
  protected URI getFsUri() {
    return Contexts.uri();
  }
}
