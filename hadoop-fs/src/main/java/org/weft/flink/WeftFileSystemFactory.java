package org.weft.flink;

import java.io.IOException;
import java.net.URI;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.runtime.util.HadoopUtils;
import org.apache.hadoop.fs.LeaseRecoverable;

/**
 * Flink finds this class by its service file and asks it for every path of {@code weft://}. Without
 * it Flink would take its Hadoop support, whose recoverable writer refuses other schemes than
 * HDFS's.
 *
 * <p>Flink configures a factory before it asks, and asks from many threads.
 */
public final class WeftFileSystemFactory implements FileSystemFactory {
  private static final String SCHEME = "weft";

  private volatile Configuration settings = new Configuration();

  /** For Flink. */
  public WeftFileSystemFactory() {}

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public void configure(Configuration settings) {
    this.settings = settings;
  }

  /**
   * The file system of a path.
   *
   * @throws IOException if no cluster answers, or if Hadoop's configuration leads the scheme to
   *     another class than Weft's
   */
  @Override
  public FileSystem create(URI uri) throws IOException {
    org.apache.hadoop.fs.FileSystem files =
        org.apache.hadoop.fs.FileSystem.get(uri, HadoopUtils.getHadoopConfiguration(settings));
    if (files instanceof LeaseRecoverable leases) {
      return new WeftFileSystem(files, leases);
    }
    throw new IOException(
        "fs.weft.impl names "
            + files.getClass().getName()
            + ", which is not Weft's file system; remove the key from core-site.xml");
  }
}
