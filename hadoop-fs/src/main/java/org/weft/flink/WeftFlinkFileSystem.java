package org.weft.flink;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.RecoverableWriter;
import org.apache.flink.runtime.fs.hdfs.HadoopFileSystem;
import org.apache.flink.runtime.util.HadoopUtils;
import org.apache.hadoop.conf.Configuration;
import org.weft.hadoop.WeftHadoopFileSystem;

/** Flink's Hadoop file system, with Weft's own recoverable writer. Safe for many threads. */
final class WeftFlinkFileSystem extends HadoopFileSystem {
  private static final String IMPLEMENTATION = "fs." + WeftFileSystemFactory.SCHEME + ".impl";

  private final WeftHadoopFileSystem files;

  private WeftFlinkFileSystem(WeftHadoopFileSystem files) {
    super(files);
    this.files = files;
  }

  /**
   * Makes an instance that is not in Hadoop's cache: other code may close a cached one, and end the
   * files of all of Flink's jobs.
   *
   * @throws IOException if the configuration has no address for the cluster, or names another class
   */
  static FileSystem of(URI uri, org.apache.flink.configuration.Configuration settings)
      throws IOException {
    Configuration hadoop = HadoopUtils.getHadoopConfiguration(settings);
    String wanted = WeftHadoopFileSystem.class.getName();
    String configured = hadoop.getTrimmed(IMPLEMENTATION, wanted);
    if (!configured.equals(wanted)) {
      throw new IOException(
          IMPLEMENTATION
              + " names "
              + configured
              + ", which is not Weft's file system; remove the key from core-site.xml");
    }
    WeftHadoopFileSystem files = new WeftHadoopFileSystem();
    files.initialize(withAuthority(uri, hadoop), hadoop);
    return new WeftFlinkFileSystem(files);
  }

  /** A path that names no cluster is of the default one, as Hadoop has it. */
  private static URI withAuthority(URI uri, Configuration hadoop) {
    URI standard = org.apache.hadoop.fs.FileSystem.getDefaultUri(hadoop);
    return uri.getAuthority() == null && WeftFileSystemFactory.SCHEME.equals(standard.getScheme())
        ? standard
        : uri;
  }

  @Override
  public RecoverableWriter createRecoverableWriter() {
    return new WeftRecoverableWriter(files, RandomGenerator.of("SecureRandom"));
  }

  /**
   * What Flink 2 asks for; the class that this one is compiled against does not have it yet.
   *
   * @param options hints that are HDFS's alone
   */
  public RecoverableWriter createRecoverableWriter(Map<String, String> options) {
    return createRecoverableWriter();
  }
}
