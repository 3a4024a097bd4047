package org.weft.hadoop.context;

import org.apache.hadoop.fs.FileContextURIBase;
import org.junit.jupiter.api.BeforeEach;

class WeftContextUriTest extends FileContextURIBase {
  @Override
  @BeforeEach
  public void setUp() throws Exception {
    fc1 = Contexts.context();
    fc2 = fc1;
    super.setUp();
  }
}
