package org.weft.sysmgr.storage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.system.AtomicFile;
import org.weft.protocol.system.DirectoryLock;
import org.weft.protocol.system.PrivateFolder;

/**
 * A member's data directory, in use by this process alone:
 *
 * <pre>
 * lock          held while a member runs
 * member        whose directory this is ({@link MemberFile})
 * place, place-mark  tell it from a copy ({@link OwnPlace})
 * join-token    once there is a cluster; mode 0600
 * restored      a configuration that is taken over at the first start; mode 0600 ({@link #restore})
 * ratis/        the replicated log and its snapshots
 * </pre>
 *
 * <p>Formatting is writing {@code member}, atomically. A directory that holds anything else without
 * it is refused, and so is one of another member or cluster. Not thread-safe.
 */
public final class MemberDirectory implements MemberNotes, AutoCloseable {
  private static final String LOCK = "lock";
  private static final String MEMBER = "member";
  private static final String LOG = "ratis";
  private static final String RESTORED = "restored";

  private static final DirectoryLock.Use USE =
      new DirectoryLock.Use(
          LOCK, "is in use by another SysMgr member", "stop it or choose another data directory");

  private final Path path;
  private final DirectoryLock lock;
  private volatile MemberFile member;

  private MemberDirectory(Path path, DirectoryLock lock, MemberFile member) {
    this.path = path;
    this.lock = lock;
    this.member = member;
  }

  /**
   * Opens the directory of that member, formats it if it is new. The disk must take a little more:
   * the replicated log meets a full disk on threads of its own, and then waits for ever.
   *
   * @param memberId 0: the one whose directory it is, or 1
   * @param members the first members' ids and addresses
   * @param fresh names the log of a cluster that begins with one member, and the directory if it is
   *     new
   * @throws IOException if it is in use, or belongs to another member, or is something else
   */
  public static MemberDirectory open(
      Path path, int memberId, String clusterName, String members, UUID fresh) throws IOException {
    int first = memberId == 0 ? 1 : memberId;
    boolean several = members.contains("@");
    UUID group = several ? group(clusterName, members) : fresh;
    return open(
        path,
        memberId,
        new MemberFile(
            first,
            clusterName,
            members,
            group,
            !several,
            Optional.empty(),
            fresh.toString(),
            new TreeMap<>()));
  }

  /**
   * Formats the directory of a process that others are to add to a log of theirs.
   *
   * @param group names that log
   */
  public static MemberDirectory openJoined(Path path, int memberId, String clusterName, UUID group)
      throws IOException {
    return open(
        path,
        memberId,
        new MemberFile(
            memberId,
            clusterName,
            MemberFile.JOINED,
            group,
            true,
            Optional.empty(),
            "",
            new TreeMap<>()));
  }

  private static MemberDirectory open(Path path, int memberId, MemberFile wanted)
      throws IOException {
    refuseForeign(path);
    PrivateFolder.prepare(path);
    DirectoryLock lock = DirectoryLock.take(path, USE);
    try {
      DiskRoom.require(path);
      Path file = path.resolve(MEMBER);
      if (!Files.exists(file)) {
        OwnPlace.note(path);
        AtomicFile.write(file, wanted.encode(), "rw-r--r--");
        return new MemberDirectory(path, lock, wanted);
      }
      MemberFile found = read(file);
      check(path, found, wanted, memberId == 0);
      OwnPlace.require(path, found.memberId());
      return new MemberDirectory(path, lock, found);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /**
   * Takes a member's directory that was moved or copied here. Only an operator knows that the
   * member has not run anywhere since.
   *
   * @throws IOException if it is no member's directory, or in use
   */
  public static void believeMoved(Path path) throws IOException {
    if (!isFormatted(path)) {
      throw new IOException(path + " is no data directory of SysMgr; start without --moved");
    }
    DirectoryLock lock = DirectoryLock.take(path, USE);
    try {
      OwnPlace.believe(path);
    } finally {
      lock.close();
    }
  }

  /** Whether the directory is a member's already. */
  public static boolean isFormatted(Path path) {
    return Files.exists(path.resolve(MEMBER));
  }

  /** {@link #restore} was here; the next start goes on with what it has laid. */
  public static boolean isRestored(Path path) {
    return Files.exists(path.resolve(RESTORED));
  }

  /**
   * Lays a configuration into a new directory, which the first start takes over in place of making
   * a cluster. Durable when it returns; a crash before leaves an empty directory.
   *
   * @throws IOException if the directory is not empty
   */
  public static void restore(Path path, byte[] configuration) throws IOException {
    if (isFormatted(path) || Files.exists(path.resolve(RESTORED))) {
      throw new IOException(
          path + " holds a SysMgr already; restore into an empty directory, or remove this one");
    }
    refuseForeign(path);
    PrivateFolder.prepare(path);
    DirectoryLock lock = DirectoryLock.take(path, USE);
    try {
      AtomicFile.write(path.resolve(RESTORED), configuration, "rw-------");
    } finally {
      lock.close();
    }
  }

  /** What {@link #restore} has laid here, until the cluster is known. */
  public Optional<byte[]> restored() throws IOException {
    Path file = path.resolve(RESTORED);
    return Files.exists(file) && member.clusterId().isEmpty()
        ? Optional.of(Files.readAllBytes(file))
        : Optional.empty();
  }

  /** The log of members that agree on their name and on each other, and of no others. */
  private static UUID group(String clusterName, String members) {
    return UUID.nameUUIDFromBytes(
        ("weft sysmgr " + clusterName + " " + members).getBytes(StandardCharsets.UTF_8));
  }

  private static void refuseForeign(Path path) throws IOException {
    if (!Files.exists(path) || Files.exists(path.resolve(MEMBER))) {
      return;
    }
    Set<String> ours =
        Set.of(
            LOCK,
            DiskRoom.NAME,
            RESTORED,
            RESTORED + AtomicFile.TEMPORARY_SUFFIX,
            OwnPlace.MARK,
            OwnPlace.NAME,
            OwnPlace.NAME + AtomicFile.TEMPORARY_SUFFIX,
            MEMBER + AtomicFile.TEMPORARY_SUFFIX);
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

  private static MemberFile read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
    try {
      return MemberFile.decode(lines);
    } catch (IOException e) {
      throw new IOException(file + " " + e.getMessage(), e);
    }
  }

  private static void check(Path path, MemberFile found, MemberFile wanted, boolean anyMember)
      throws IOException {
    boolean joined = found.members().equals(MemberFile.JOINED);
    // One that joined got its number from the others, whatever number the first one here had.
    if (!anyMember && !joined && found.memberId() != wanted.memberId()) {
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
    if (found.clusterId().isEmpty() && !joined && !found.members().equals(wanted.members())) {
      throw new IOException(
          path
              + " belongs to SysMgr with members "
              + found.members()
              + ", but the members given are "
              + wanted.members()
              + "; before there is a cluster they cannot be changed: give all of them empty"
              + " directories");
    }
    Path log = path.resolve(LOG);
    if (found.clusterId().isPresent() && !Files.isDirectory(log)) {
      throw new IOException(
          log
              + " is missing: the configuration of cluster "
              + found.clusterId().get()
              + " is gone. If other members are left, remove this one (weft sysmgr member remove "
              + found.memberId()
              + ") and start it with --join and an empty directory; else `weft sysmgr restore`"
              + " builds it from the OSDs. SysMgr does not make a new cluster in its place");
    }
  }

  /** Where the replicated log lives. */
  public Path log() {
    return path.resolve(LOG);
  }

  /** The replicated log was opened here before. */
  public boolean hasLog() {
    return Files.isDirectory(log());
  }

  /**
   * Refuses a directory without its log where this number may be a member's: the log may have held
   * votes (P 6.2a.1).
   *
   * @throws IOException that says what to do
   */
  public void requireLog() throws IOException {
    if (!hasLog()) {
      throw new IOException(
          "%s is missing, and no other member says that SysMgr member %d has never voted. If `weft sysmgr member list` shows it, remove it (weft sysmgr member remove %d); start it with --join and an empty data directory"
              .formatted(log(), memberId(), memberId()));
    }
  }

  @Override
  public int memberId() {
    return member.memberId();
  }

  @Override
  public boolean joined() {
    return member.members().equals(MemberFile.JOINED);
  }

  @Override
  public Optional<ClusterId> clusterId() {
    return member.clusterId();
  }

  @Override
  public boolean isReady() {
    return member.ready() || member.clusterId().isPresent();
  }

  @Override
  public String instance() {
    return member.instance();
  }

  @Override
  public SortedMap<Integer, String> seen() {
    return member.seen();
  }

  /**
   * Notes durably that all first members are new. From then on this one knows a directory that was
   * made in place of one of theirs.
   *
   * @param others their instances by member id
   */
  public void madeReady(SortedMap<Integer, String> others) throws IOException {
    MemberFile ready = member.madeReady(others);
    AtomicFile.write(path.resolve(MEMBER), ready.encode(), "rw-r--r--");
    member = ready;
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
    Files.deleteIfExists(path.resolve(RESTORED));
  }

  /** Lets another process use the directory. */
  @Override
  public void close() throws IOException {
    lock.close();
  }
}
