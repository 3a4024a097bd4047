package org.weft.hadoop.context;

import java.io.IOException;
import org.apache.hadoop.fs.FSMainOperationsBaseTest;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

class WeftMainOperationsTest extends FSMainOperationsBaseTest {
  private static FileSystem ordinary;

  WeftMainOperationsTest() {
    super("/tmp/operations");
  }

  @BeforeAll
  static void connect() throws IOException {
    ordinary = Contexts.fileSystemOf("mary");
  }

  @AfterAll
  static void disconnect() throws IOException {
    ordinary.close();
  }

  @Override
  protected FileSystem createFileSystem() {
    return ordinary;
  }

  @Override
  @Test
  @Disabled(
      "The suite logs by Jetty, of a release that is not here; FileContext's suite has the same.")
  public void testRenameNonExistentPath() {}

  @Override
  protected Path getDefaultWorkingDirectory() {
    return fSys.getHomeDirectory();
  }
}
