package org.weft.metadata;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * A manager's data directory. It is locked for as long as it is open: two managers with one
 * identity would be one manager too many.
 *
 * <pre>
 *   manager.properties   identity, cluster and manager id
 *   lock                 locked by the process that uses the directory
 *   volume-N/            the journal of volume N
 *   volume-N.forgotten   volume N is being deleted or gone
 * </pre>
 */
final class DataDirectory implements AutoCloseable {
  private static final String FILE = "manager.properties";
  private static final int IDENTITY_BYTES = 16;
  private static final String JOURNAL = "volume-";
  private static final String FORGOTTEN = ".forgotten";
  private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

  private final Path folder;
  private final FileChannel lockFile;

  private DataDirectory(Path folder, FileChannel lockFile) {
    this.folder = folder;
    this.lockFile = lockFile;
  }

  /** Makes the folder if need be and locks it; UNAVAILABLE if another process uses it. */
  static DataDirectory open(Path folder) throws IOException {
    Files.createDirectories(folder);
    FileChannel file =
        FileChannel.open(
            folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (!lock(file)) {
      file.close();
      throw new RpcException(
          ErrorCode.UNAVAILABLE, folder + " is in use by another manager; stop that one first");
    }
    return new DataDirectory(folder, file);
  }

  private static boolean lock(FileChannel file) throws IOException {
    try {
      FileLock lock = file.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  /** The identity that is stored, or a new one, which is stored at once. */
  ManagerIdentity identity(RandomGenerator random) throws IOException {
    Path file = folder.resolve(FILE);
    if (Files.exists(file)) {
      return read(file);
    }
    byte[] drawn = new byte[IDENTITY_BYTES];
    random.nextBytes(drawn);
    ManagerIdentity fresh =
        new ManagerIdentity(HexFormat.of().formatHex(drawn), Optional.empty(), 0);
    store(fresh);
    return fresh;
  }

  private static ManagerIdentity read(Path file) throws IOException {
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(file)) {
      properties.load(in);
      String cluster = properties.getProperty("cluster", "");
      return new ManagerIdentity(
          required(properties, "identity"),
          cluster.isEmpty() ? Optional.empty() : Optional.of(new ClusterId(cluster)),
          Integer.parseInt(properties.getProperty("manager", "0")));
    } catch (IllegalArgumentException e) {
      throw new IOException(
          file + " is damaged: " + e.getMessage() + "; restore it from a copy", e);
    }
  }

  private static String required(Properties properties, String key) {
    String value = properties.getProperty(key, "");
    if (value.isEmpty()) {
      throw new IllegalArgumentException("it has no " + key);
    }
    return value;
  }

  /** Replaces the stored identity, atomically and durably. */
  void store(ManagerIdentity identity) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("identity", identity.identity());
    properties.setProperty("manager", Integer.toString(identity.managerId()));
    identity.cluster().ifPresent(id -> properties.setProperty("cluster", id.value()));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    properties.store(bytes, "A metadata manager of Weft. Do not copy to another directory.");
    Path fresh = folder.resolve(FILE + ".new");
    try (FileChannel out =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer content = ByteBuffer.wrap(bytes.toByteArray());
      while (content.hasRemaining()) {
        int unused = out.write(content);
      }
      out.force(true);
    }
    Files.move(
        fresh,
        folder.resolve(FILE),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  /** Where the journal of a volume lies. */
  Path journalFolder(PartitionId volume) {
    return folder.resolve(JOURNAL + volume);
  }

  /** The volume is gone, or about to be: its journal need not be kept when it has no row. */
  void markForgotten(PartitionId volume) throws IOException {
    Path mark = mark(volume);
    if (Files.isDirectory(journalFolder(volume)) && !Files.exists(mark)) {
      Files.createFile(mark);
    }
  }

  private Path mark(PartitionId volume) {
    return folder.resolve(JOURNAL + volume + FORGOTTEN);
  }

  /** Deletes the journal of a volume that nobody uses any more, and the mark. */
  void deleteJournal(PartitionId volume) throws IOException {
    Path journal = journalFolder(volume);
    if (Files.isDirectory(journal)) {
      try (Stream<Path> files = Files.walk(journal)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
    Files.deleteIfExists(mark(volume));
  }

  /**
   * Deletes what a process that ended in between has left: journals that are marked and belong to
   * no volume of the cluster. One without a mark is left alone, and named in the log.
   */
  void deleteForgotten(Set<Long> volumes) throws IOException {
    List<Path> journals;
    try (Stream<Path> files = Files.list(folder)) {
      journals = files.filter(Files::isDirectory).sorted().toList();
    }
    for (Path journal : journals) {
      OptionalLong volume = volumeOf(journal.getFileName().toString());
      if (volume.isEmpty() || volumes.contains(volume.getAsLong())) {
        continue;
      }
      PartitionId id = new PartitionId(volume.getAsLong());
      if (Files.exists(mark(id))) {
        deleteJournal(id);
      } else {
        LOG.warn(
            "{} belongs to no volume of the cluster; delete it if the cluster's volumes are right",
            journal);
      }
    }
  }

  private static OptionalLong volumeOf(String name) {
    return name.matches(JOURNAL + "[0-9]{1,18}")
        ? OptionalLong.of(Long.parseLong(name.substring(JOURNAL.length())))
        : OptionalLong.empty();
  }

  @Override
  public void close() throws IOException {
    lockFile.close();
  }
}
