package org.weft.hadoop.context;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.FSMainOperationsBaseTest;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemTestWrapper;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
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

  /** Written anew: Hadoop's own logs by classes of Jetty, which the class path does not have. */
  @Override
  @Test
  public void testRenameNonExistentPath() throws IOException {
    FileSystemTestWrapper operations = new FileSystemTestWrapper(fSys);
    Path source = getTestRootPath(fSys, "test/hadoop/nonExistent");
    Path target = getTestRootPath(fSys, "test/new/newpath");
    for (Options.Rename option : List.of(Options.Rename.NONE, Options.Rename.OVERWRITE)) {
      assertThrows(FileNotFoundException.class, () -> operations.rename(source, target, option));
      assertFalse(fSys.exists(target));
    }
  }

  @Override
  protected Path getDefaultWorkingDirectory() {
    return fSys.getHomeDirectory();
  }
}
