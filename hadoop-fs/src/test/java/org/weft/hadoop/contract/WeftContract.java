package org.weft.hadoop.contract;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.weft.hadoop.SharedCluster;

/** What Weft promises Hadoop's contract suites, in {@code contract/weft.xml}, and the cluster. */
final class WeftContract extends AbstractFSContract {
  static final String RESOURCE = "contract/weft.xml";

  WeftContract(Configuration conf) {
    super(conf);
    addConfResource(RESOURCE);
  }

  @Override
  public FileSystem getTestFileSystem() throws IOException {
    return FileSystem.get(URI.create(SharedCluster.get().uri()), getConf());
  }

  @Override
  public String getScheme() {
    return "weft";
  }

  @Override
  public Path getTestPath() {
    return new Path("/test");
  }
}
