package org.weft.hadoop.context;

import java.io.IOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextTestHelper;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.weft.hadoop.SharedCluster;

/** The shared cluster, as the suites want it. */
final class Contexts {
  private static final String ROOT = "/tmp/suites";

  private Contexts() {}

  static URI uri() {
    return URI.create(SharedCluster.get().uri());
  }

  static Configuration configuration() {
    Configuration conf = new Configuration();
    FileSystem.setDefaultUri(conf, uri());
    return conf;
  }

  static FileContext context() throws IOException {
    return FileContext.getFileContext(uri(), configuration());
  }

  /** One of its own: suites change its working directory and its umask. */
  static FileSystem fileSystem() throws IOException {
    return FileSystem.newInstance(uri(), configuration());
  }

  /** The suites that want to be refused something cannot be the superuser. */
  static FileSystem fileSystemOf(String user) throws IOException {
    SharedCluster.get().makeHome();
    try {
      return UserGroupInformation.createUserForTesting(user, new String[] {"people"})
          .doAs((PrivilegedExceptionAction<FileSystem>) Contexts::fileSystem);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  static FileContextTestHelper helper() {
    return new FileContextTestHelper(ROOT);
  }
}
