package org.weft.hadoop;

import static org.apache.hadoop.fs.impl.PathCapabilitiesSupport.validatePathCapabilityArgs;

import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.util.Progressable;
import org.weft.client.WeftFiles;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.client.internal.ClientParts;

/**
 * Weft as a Hadoop file system, for {@code weft://host:port/} and for the names of clusters that
 * the configuration has. Behaves as HDFS does where HDFS's users depend on it. It refuses what it
 * does not have with {@link UnsupportedOperationException}. Thread-safe.
 *
 * <p>Instances of one process, cluster and user share one client, for the user that made the
 * instance. It connects at the first call that needs the cluster, and ends some time after the last
 * instance was closed or collected as garbage. {@link #close} closes the files that this instance
 * has open, and no others.
 */
public final class WeftHadoopFileSystem extends NamespaceFileSystem {
  static {
    // FileContext has no service file: it finds us by a key, which this resource adds.
    Configuration.addDefaultResource("weft-default.xml");
  }

  private FileReading reading;

  /** For the service loader and for reflection; {@link #initialize} makes it usable. */
  public WeftHadoopFileSystem() {}

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    reading = new FileReading(connection(), settings());
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return look(
        StoreStatisticNames.OP_LIST_STATUS,
        path,
        (files, where) -> {
          org.weft.client.FileStatus file = notDirectory(files, where);
          return file == null
              ? files.listAll(where).stream().map(statuses()::of).toArray(FileStatus[]::new)
              : new FileStatus[] {statuses().of(file)};
        });
  }

  /** The status of what has no entries; null for a directory. */
  private static org.weft.client.FileStatus notDirectory(WeftFiles files, WeftPath path)
      throws IOException {
    org.weft.client.FileStatus status = files.attributes(path);
    return status.isDirectory() ? null : status;
  }

  @Override
  public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
    return look(
        StoreStatisticNames.OP_LIST_STATUS,
        path,
        (files, where) -> {
          org.weft.client.FileStatus file = notDirectory(files, where);
          return file == null
              ? new PagedListing<>(files.list(where), status -> statuses().of(status))
              : Single.of(statuses().of(file));
        });
  }

  @Override
  protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter)
      throws IOException {
    return look(
        StoreStatisticNames.OP_LIST_LOCATED_STATUS,
        path,
        (files, where) -> {
          org.weft.client.FileStatus file = notDirectory(files, where);
          BlockHosts hosts = new BlockHosts(ClientParts.of(connection().client()).cluster());
          RemoteIterator<WeftFileStatus> all =
              file == null
                  ? new PagedListing<>(files.list(where), status -> statuses().of(status))
                  : Single.of(statuses().of(file));
          return new FilteredListing(all, filter, hosts);
        });
  }

  @Override
  public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length)
      throws IOException {
    if (file == null) {
      return null;
    }
    if (start < 0 || length < 0) {
      throw new IllegalArgumentException(
          "a range of " + file.getPath() + " is negative: " + start + ", " + length);
    }
    if (file.isDirectory() || file.getLen() <= start) {
      return new BlockLocation[0];
    }
    WeftFileStatus status =
        file instanceof WeftFileStatus known && known.map().isPresent()
            ? known
            : (WeftFileStatus) getFileStatus(file.getPath());
    return new BlockHosts(ClientParts.of(connection().client()).cluster())
        .locate(status, start, length);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return look(
        StoreStatisticNames.OP_OPEN, path, (files, where) -> reading.open(where, statistics));
  }

  @Override
  protected CompletableFuture<FSDataInputStream> openFileWithOptions(
      Path path, OpenFileParameters parameters) throws IOException {
    FileReading.checkOptions(parameters, path);
    statistics.incrementReadOps(1);
    return reading.openAsynchronously(at(path), parameters, statistics);
  }

  @Override
  protected PathHandle createPathHandle(FileStatus status, HandleOpt... options) {
    return reading.handle(status, names(), options);
  }

  @Override
  public FSDataInputStream open(PathHandle handle, int bufferSize) throws IOException {
    statistics.incrementReadOps(1);
    return reading.open(handle, statistics);
  }

  /** The checksum of all published bytes, as {@link #getFileChecksum(Path, long)}. */
  @Override
  public FileChecksum getFileChecksum(Path path) throws IOException {
    return getFileChecksum(path, Long.MAX_VALUE);
  }

  /**
   * The CRC32C of the contents, for which the file is read; null if {@code fs.weft.file.checksum}
   * says so.
   *
   * @param length bytes behind it do not count
   */
  @Override
  public FileChecksum getFileChecksum(Path path, long length) throws IOException {
    if (length < 0) {
      throw new IllegalArgumentException("a length cannot be negative: " + length);
    }
    return look(
        StoreStatisticNames.OP_GET_FILE_CHECKSUM,
        path,
        (files, where) -> {
          if (settings().fileChecksums()) {
            return FileChecksums.of(files, where, length, settings().reading());
          }
          NamespaceChanges.requireFile(files, where);
          return null;
        });
  }

  /** Replaces what may be there, as in HDFS; {@code createFile} knows layouts besides. */
  @Override
  public CreateBuilder createFile(Path path) {
    return new CreateBuilder(this, path).create().overwrite(true);
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return create(
        path,
        new FileCreation(
            masked(permission, FsPermission.getFileDefault()),
            flags(overwrite),
            true,
            Optional.empty()));
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      ChecksumOpt checksum)
      throws IOException {
    return create(
        path,
        new FileCreation(
            masked(permission, FsPermission.getFileDefault()), flags, true, Optional.empty()));
  }

  @Override
  public FSDataOutputStream createNonRecursive(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return create(
        path,
        new FileCreation(
            masked(permission, FsPermission.getFileDefault()), flags, false, Optional.empty()));
  }

  /** Called by FileContext, which has taken the umask off. */
  @Override
  @Deprecated
  protected FSDataOutputStream primitiveCreate(
      Path path,
      FsPermission absolutePermission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      ChecksumOpt checksum)
      throws IOException {
    return create(path, new FileCreation(absolutePermission, flags, true, Optional.empty()));
  }

  private static EnumSet<CreateFlag> flags(boolean overwrite) {
    return overwrite
        ? EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE)
        : EnumSet.of(CreateFlag.CREATE);
  }

  FSDataOutputStream create(Path path, FileCreation creation) throws IOException {
    return change(
        StoreStatisticNames.OP_CREATE,
        path,
        (files, where) -> stream(where, creation.open(files, where, settings())));
  }

  private FSDataOutputStream stream(WeftPath path, WeftOutputStream output) throws IOException {
    try {
      FSDataOutputStream stream =
          new FSDataOutputStream(
              new WeftHadoopOutputStream(path, output, connection()),
              statistics,
              output.positionBytes());
      connection().requireOpen();
      return stream;
    } catch (IOException | RuntimeException | Error e) {
      // The client goes on for others: nothing else would end this file's writing.
      var unused = output.asynchronous().abort();
      throw e;
    }
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress)
      throws IOException {
    return change(
        StoreStatisticNames.OP_APPEND,
        path,
        (files, where) -> stream(where, FileCreation.append(files, where, settings())));
  }

  /** The truncation is done when this returns: the caller need not wait for the file. */
  @Override
  public boolean truncate(Path path, long newLength) throws IOException {
    return change(
        StoreStatisticNames.OP_TRUNCATE,
        path,
        (files, where) -> {
          NamespaceChanges.requireShorter(files.attributes(where), newLength);
          files.truncate(where, newLength);
          return true;
        });
  }

  /**
   * Refused always: a file has one layout and objects of its own (P 4.1), so no map can say that
   * another file's objects follow. Joining files would be to copy them.
   *
   * @param target may be null, as distcp asks whether there is a concat at all
   * @throws UnsupportedOperationException which says what to do
   */
  @Override
  public void concat(Path target, Path[] sources) {
    throw new UnsupportedOperationException(
        (target == null ? "concat" : target)
            + ": Weft does not join files, for a file has one layout and objects of its own, which"
            + " cannot become a part of another file without being copied. Append the parts to one"
            + " file instead: `hadoop fs -cat PART... | hadoop fs -appendToFile - FILE`; with"
            + " distcp leave -blocksperchunk out");
  }

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    return switch (validatePathCapabilityArgs(makeQualified(path), capability)) {
      case CommonPathCapabilities.FS_ACLS,
          CommonPathCapabilities.FS_APPEND,
          CommonPathCapabilities.FS_PATHHANDLES,
          CommonPathCapabilities.FS_PERMISSIONS,
          CommonPathCapabilities.FS_SYMLINKS,
          CommonPathCapabilities.FS_TRUNCATE,
          CommonPathCapabilities.FS_XATTRS,
          CommonPathCapabilities.ETAGS_AVAILABLE,
          CommonPathCapabilities.LEASE_RECOVERABLE ->
          true;
      case CommonPathCapabilities.FS_CHECKSUMS -> settings().fileChecksums();
      case CommonPathCapabilities.FS_CONCAT -> false;
      default -> super.hasPathCapability(path, capability);
    };
  }
}
