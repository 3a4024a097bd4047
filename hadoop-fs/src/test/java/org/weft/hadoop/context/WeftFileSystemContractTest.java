package org.weft.hadoop.context;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystemContractBaseTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class WeftFileSystemContractTest extends FileSystemContractBaseTest {
  @BeforeEach
  void connect() throws IOException {
    fs = Contexts.fileSystem();
  }

  @Override
  @AfterEach
  public void tearDown() throws Exception {
    super.tearDown();
    fs.close();
  }
}
