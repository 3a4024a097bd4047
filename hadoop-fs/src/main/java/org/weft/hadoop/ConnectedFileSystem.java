package org.weft.hadoop;

import static org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding.trackDuration;

import java.io.IOException;
import java.lang.ref.Reference;
import java.net.URI;
import java.util.function.BiFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.apache.hadoop.security.UserGroupInformation;
import org.weft.client.SpaceStatus;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.hadoop.config.ClusterAddress;
import org.weft.hadoop.config.Settings;
import org.weft.protocol.error.WeftException;

/**
 * What every operation needs: the cluster that a name leads to and the client for it. It also
 * translates names, turns failures into Hadoop's, and keeps statistics. Subclasses add the
 * operations on names and files, since Hadoop's class is wide.
 */
abstract class ConnectedFileSystem extends FileSystem implements IOStatisticsSource {
  /** An operation on the files of the cluster. */
  interface Call<T> {
    T on(WeftFiles files, WeftPath path) throws IOException;
  }

  private final IOStatisticsStore operations = StatisticsStores.storeStatistics();
  private ClusterAddress address;
  private Settings settings;
  private Connection connection;
  private PathNames names;
  private Statuses statuses;

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
    address = ClusterAddress.of(name, conf);
    settings = Settings.of(conf);
    connection =
        new Connection(address, settings, UserGroupInformation.getCurrentUser(), operations);
    names = new PathNames(address.uri(), new Path(settings.homePrefix() + "/" + connection.user()));
    statuses = new Statuses(names, settings.blockBytes());
  }

  @Override
  public String getScheme() {
    return ClusterAddress.SCHEME;
  }

  @Override
  public URI getUri() {
    return address.uri();
  }

  @Override
  protected int getDefaultPort() {
    return ClusterAddress.DEFAULT_PORT;
  }

  /** The authority names a cluster whose addresses stand elsewhere. */
  final boolean isNamed() {
    return address.logical();
  }

  /** The name of a cluster has no port. */
  @Override
  protected URI canonicalizeUri(URI uri) {
    return address.logical() ? uri : super.canonicalizeUri(uri);
  }

  /**
   * Null: there are no delegation tokens, since a client needs no secret to be taken for the user
   * it states. Hadoop asks no further then; its own answer would look up the name of a cluster as a
   * host, and fail.
   */
  @Override
  public String getCanonicalServiceName() {
    return null;
  }

  final Settings settings() {
    return settings;
  }

  final Connection connection() {
    return connection;
  }

  final PathNames names() {
    return names;
  }

  final Statuses statuses() {
    return statuses;
  }

  /** Inside the cluster; a path of another file system is refused. */
  final WeftPath at(Path path) {
    checkPath(path);
    return names.weftPath(path);
  }

  /** Looks at something, which must be there. */
  final <T> T look(String operation, Path path, Call<T> call) throws IOException {
    statistics.incrementReadOps(1);
    return timed(operation, path, call, HadoopFailures::ofLookup);
  }

  /** Makes or changes something. */
  final <T> T change(String operation, Path path, Call<T> call) throws IOException {
    statistics.incrementWriteOps(1);
    return timed(operation, path, call, HadoopFailures::ofChange);
  }

  private <T> T timed(
      String operation,
      Path path,
      Call<T> call,
      BiFunction<WeftException, WeftPath, IOException> translated)
      throws IOException {
    WeftPath where = at(path);
    return trackDuration(
        operations,
        operation,
        () -> {
          try {
            return call.on(connection.files(), where);
          } catch (WeftException e) {
            throw translated.apply(e, where);
          } finally {
            // While a call is under way, the instance keeps its client.
            Reference.reachabilityFence(this);
          }
        });
  }

  /** Every answer is the newest there is. */
  @Override
  public void msync() {}

  @Override
  public FsStatus getStatus(Path path) throws IOException {
    SpaceStatus space =
        look(
            StoreStatisticNames.OP_GET_STATUS,
            path == null ? new Path("/") : path,
            (files, where) -> files.statfs(where));
    return new FsStatus(space.capacityBytes(), space.usedBytes(), space.freeBytes());
  }

  @Override
  public Path getHomeDirectory() {
    return names.qualified(new Path(settings.homePrefix() + "/" + connection.user()));
  }

  @Override
  protected Path getInitialWorkingDirectory() {
    return getHomeDirectory();
  }

  @Override
  public Path getWorkingDirectory() {
    return names.workingDirectory();
  }

  @Override
  public void setWorkingDirectory(Path directory) {
    checkPath(directory);
    names.setWorkingDirectory(directory);
  }

  @Override
  @Deprecated
  public long getDefaultBlockSize() {
    return settings.blockBytes();
  }

  @Override
  public IOStatistics getIOStatistics() {
    if (connection != null) {
      connection.hedges().ifPresent(hedges -> StatisticsStores.tell(hedges, operations));
      connection.dataCache().ifPresent(counts -> StatisticsStores.tell(counts, operations));
    }
    return operations;
  }

  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      if (connection != null) {
        connection.close();
      }
    }
  }

  @Override
  public String toString() {
    return getClass().getSimpleName()
        + "{"
        + (address == null ? "not initialized" : address.uri())
        + "}";
  }
}
