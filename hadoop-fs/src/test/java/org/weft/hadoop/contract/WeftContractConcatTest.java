package org.weft.hadoop.contract;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractConcatTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.apache.hadoop.fs.contract.ContractTestUtils;

/** Counted as skipped, with the reason; {@code ConnectorTest} has how concat is refused. */
class WeftContractConcatTest extends AbstractContractConcatTest {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new WeftContract(conf);
  }

  @Override
  protected void skipIfUnsupported(String feature) throws IOException {
    if (!isSupported(feature)) {
      ContractTestUtils.skip(
          "A file has one layout and objects of its own; concat is refused and says what to do.");
    }
  }
}
