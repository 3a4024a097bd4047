package org.weft.sysmgr.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.system.PrivateFolder;

/**
 * A member's data directory, in use by this process alone:
 *
 * <pre>
 * lock          held while a member runs
 * member        whose directory this is ({@link MemberFile})
 * join-token    once there is a cluster; mode 0600
 * ratis/        the replicated log and its snapshots
 * </pre>
 *
 * <p>Formatting is writing {@code member}, atomically. A directory that holds anything else without
 * it is refused, and so is one of another member or cluster. Not thread-safe.
 */
public final class DataDirectory implements AutoCloseable {
  private static final String LOCK = "lock";
  private static final String MEMBER = "member";
  private static final String LOG = "ratis";

  private final Path path;
  private final FileChannel lock;
  private MemberFile member;

  private DataDirectory(Path path, FileChannel lock, MemberFile member) {
    this.path = path;
    this.lock = lock;
    this.member = member;
  }

  /**
   * Opens the directory of that member, formats it if it is new.
   *
   * @param members the members' ids and addresses, as they must stay
   * @throws IOException if it is in use, or belongs to somebody else, or is something else
   */
  public static DataDirectory open(Path path, int memberId, String clusterName, String members)
      throws IOException {
    refuseForeign(path);
    PrivateFolder.prepare(path);
    FileChannel lock = lock(path);
    try {
      MemberFile wanted =
          new MemberFile(
              memberId, clusterName, members, group(clusterName, members), Optional.empty());
      Path file = path.resolve(MEMBER);
      if (!Files.exists(file)) {
        AtomicFile.write(file, wanted.encode(), "rw-r--r--");
        return new DataDirectory(path, lock, wanted);
      }
      MemberFile found = read(file);
      check(path, found, wanted);
      return new DataDirectory(path, lock, found);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /** The log of members who agree on their name and on each other, and of no others. */
  private static UUID group(String clusterName, String members) {
    return UUID.nameUUIDFromBytes(
        ("weft sysmgr " + clusterName + " " + members).getBytes(StandardCharsets.UTF_8));
  }

  private static void refuseForeign(Path path) throws IOException {
    if (!Files.exists(path) || Files.exists(path.resolve(MEMBER))) {
      return;
    }
    Set<String> ours = Set.of(LOCK, MEMBER + AtomicFile.TEMPORARY_SUFFIX);
    try (Stream<Path> files = Files.list(path)) {
      TreeSet<String> foreign = new TreeSet<>();
      files.map(Path::getFileName).map(Objects::toString).forEach(foreign::add);
      foreign.removeAll(ours);
      if (!foreign.isEmpty()) {
        throw new IOException(
            path
                + " is not empty and is no SysMgr data directory (it holds "
                + foreign.first()
                + "); give SysMgr a directory of its own");
      }
    }
  }

  private static FileChannel lock(Path path) throws IOException {
    FileChannel channel =
        FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock held = null;
    try {
      held = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      // Held by another member in this JVM; reported like any other holder.
      held = null;
    }
    if (held == null) {
      channel.close();
      throw new IOException(
          path + " is in use by another SysMgr process; stop it or choose another data directory");
    }
    return channel;
  }

  private static MemberFile read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
    try {
      return MemberFile.decode(lines);
    } catch (IOException e) {
      throw new IOException(file + " " + e.getMessage(), e);
    }
  }

  private static void check(Path path, MemberFile found, MemberFile wanted) throws IOException {
    if (found.memberId() != wanted.memberId()) {
      throw new IOException(
          path
              + " belongs to SysMgr member "
              + found.memberId()
              + ", this is member "
              + wanted.memberId()
              + "; each member needs a directory of its own");
    }
    if (!found.clusterName().equals(wanted.clusterName())) {
      throw new IOException(
          path
              + " belongs to cluster '"
              + found.clusterName()
              + "'"
              + found.clusterId().map(id -> " (" + id + ")").orElse("")
              + ", not to cluster '"
              + wanted.clusterName()
              + "'; choose another directory or that cluster's name");
    }
    if (!found.members().equals(wanted.members())) {
      throw new IOException(
          path
              + " belongs to SysMgr with members "
              + found.members()
              + ", but the members given"
              + " are "
              + wanted.members()
              + "; members cannot be changed yet");
    }
    Path log = path.resolve(LOG);
    if (found.clusterId().isPresent() && !Files.isDirectory(log)) {
      throw new IOException(
          log
              + " is missing: the configuration of cluster "
              + found.clusterId().get()
              + " is gone. Restore it from a copy; SysMgr does not make a new cluster in its place");
    }
  }

  /** Where the replicated log lives. */
  public Path log() {
    return path.resolve(LOG);
  }

  /** Names the replicated log among all that there are. */
  public UUID group() {
    return member.group();
  }

  /**
   * The cluster is known: notes its id for good and puts the join token where an operator finds it.
   *
   * @throws IOException if this directory belongs to another cluster, or cannot be written
   */
  public void clusterKnown(ClusterId id, byte[] joinToken) throws IOException {
    ClusterId known = member.clusterId().orElse(id);
    if (!known.equals(id)) {
      throw new IOException(
          path + " belongs to cluster " + known + ", but its log is that of cluster " + id);
    }
    if (member.clusterId().isEmpty()) {
      MemberFile named = member.withCluster(id);
      AtomicFile.write(path.resolve(MEMBER), named.encode(), "rw-r--r--");
      member = named;
    }
    JoinTokenFile.provide(path.resolve(JoinTokenFile.NAME), joinToken);
  }

  /** Lets another process use the directory. */
  @Override
  public void close() throws IOException {
    lock.close();
  }
}
