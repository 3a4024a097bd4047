package org.weft.hadoop.context;

import java.io.IOException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextPermissionBase;
import org.apache.hadoop.fs.FileContextTestHelper;

class WeftContextPermissionTest extends FileContextPermissionBase {
  @Override
  protected FileContextTestHelper getFileContextHelper() {
    return Contexts.helper();
  }

  @Override
  protected FileContext getFileContext() throws IOException {
    return Contexts.context();
  }
}
