package org.weft.hadoop.context;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystemTestWrapper;
import org.junit.jupiter.api.BeforeAll;

class WeftSymlinkFileSystemTest extends WeftSymlinkSuite {
  @BeforeAll
  static void connect() throws IOException {
    wrapper = new FileSystemTestWrapper(Contexts.fileSystem());
  }
}
