package org.weft.hadoop.context;

import java.io.IOException;
import org.apache.hadoop.fs.FileContextMainOperationsBaseTest;
import org.apache.hadoop.fs.FileContextTestHelper;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeAll;

class WeftContextMainOperationsTest extends FileContextMainOperationsBaseTest {
  @BeforeAll
  static void connect() throws IOException {
    fc = Contexts.context();
  }

  @Override
  protected FileContextTestHelper createFileContextHelper() {
    return Contexts.helper();
  }

  @Override
  protected Path getDefaultWorkingDirectory() {
    return fc.makeQualified(new Path("/user/" + System.getProperty("user.name")));
  }

  @Override
  protected boolean listCorruptedBlocksSupported() {
    return false;
  }
}
