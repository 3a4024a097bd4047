package org.weft.testkit.storage;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.system.FileSegmentDirectory;

/** A folder of the local file system keeps the contract that the fake keeps. */
class FileSegmentDirectoryTest extends SegmentDirectoryContract {
  @TempDir Path folder;

  @Override
  SegmentDirectory openEmpty() throws IOException {
    return new FileSegmentDirectory(folder);
  }
}
