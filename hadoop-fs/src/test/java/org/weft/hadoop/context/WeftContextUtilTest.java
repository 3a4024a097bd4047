package org.weft.hadoop.context;

import org.apache.hadoop.fs.FileContextUtilBase;
import org.junit.jupiter.api.BeforeEach;

class WeftContextUtilTest extends FileContextUtilBase {
  @Override
  @BeforeEach
  public void setUp() throws Exception {
    fc = Contexts.context();
    super.setUp();
  }
}
