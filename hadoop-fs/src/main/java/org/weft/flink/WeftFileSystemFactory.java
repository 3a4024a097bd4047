package org.weft.flink;

import java.io.IOException;
import java.net.URI;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;

/**
 * Flink finds this class by its service file and asks it for every path of {@code weft://}. Without
 * it Flink would take its Hadoop support, whose recoverable writer refuses other schemes than
 * HDFS's.
 *
 * <p>It names only classes of Flink's core. So it loads, and can report it, where other classes are
 * missing.
 *
 * <p>Flink configures a factory before it asks, and asks from many threads.
 */
public final class WeftFileSystemFactory implements FileSystemFactory {
  static final String SCHEME = "weft";

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
   * The file system of a path: an instance of its own, which no other code of the process closes.
   *
   * @throws UnsupportedFileSystemSchemeException if jars of Hadoop or Flink are missing, or do not
   *     fit
   * @throws IOException if Hadoop's configuration has no address for the path's cluster, or leads
   *     the scheme to another class than Weft's
   */
  @Override
  public FileSystem create(URI uri) throws IOException {
    try {
      return WeftFlinkFileSystem.of(uri, settings);
    } catch (LinkageError e) {
      throw new UnsupportedFileSystemSchemeException(
          "a class that weft:// needs cannot be used ("
              + e
              + "): put hadoop-client-api, hadoop-client-runtime and flink-hadoop-fs of Flink's"
              + " release into lib/ of Flink, beside the client jar of Weft",
          e);
    }
  }
}
