package org.weft.hadoop.context;

import java.io.IOException;
import org.apache.hadoop.fs.FileContextTestWrapper;
import org.junit.jupiter.api.BeforeAll;

class WeftSymlinkFileContextTest extends WeftSymlinkSuite {
  @BeforeAll
  static void connect() throws IOException {
    wrapper = new FileContextTestWrapper(Contexts.context());
  }
}
