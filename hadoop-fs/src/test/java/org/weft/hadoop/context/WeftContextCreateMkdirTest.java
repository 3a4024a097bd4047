package org.weft.hadoop.context;

import java.io.IOException;
import org.apache.hadoop.fs.FileContextCreateMkdirBaseTest;
import org.apache.hadoop.fs.FileContextTestHelper;
import org.junit.jupiter.api.BeforeAll;

class WeftContextCreateMkdirTest extends FileContextCreateMkdirBaseTest {
  @BeforeAll
  static void connect() throws IOException {
    fc = Contexts.context();
  }

  @Override
  protected FileContextTestHelper createFileContextHelper() {
    return Contexts.helper();
  }
}
