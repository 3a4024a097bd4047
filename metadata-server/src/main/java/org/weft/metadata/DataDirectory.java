package org.weft.metadata;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.backup.CopyPlaces;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.journal.JournalPlace;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.BootIdentity;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;
import org.weft.protocol.wire.CopyIdentity;

/**
 * What a manager keeps, and where.
 *
 * <pre>
 *   manager.properties   identity, cluster, manager id and the number of the last start
 *   progress             how far the journals have come ({@link JournalProgress})
 *   lock                 locked by the process that uses the directory
 *   volume-N/            the journal of volume N
 *   volume-N-0-0/        the same, set aside since another manager's journal is copied here
 *   volume-N-E-A/        a copy of another manager's journal of volume N, of its epoch E
 *   volume-N.copy        which folder holds the journal of volume N, if it is a copy
 *   volume-N.forgotten   volume N is being deleted or gone
 * </pre>
 */
final class DataDirectory implements CopyPlaces, AutoCloseable {
  private static final String FILE = "manager.properties";
  private static final String FRESH_FILE = FILE + ".new";
  private static final int IDENTITY_BYTES = 16;
  private static final int HEXADECIMAL = 16;
  private static final String JOURNAL = "volume-";
  private static final String FORGOTTEN = ".forgotten";
  private static final String COPY = ".copy";
  private static final String ASIDE = "-0-0";
  private static final long LAST_ATTEMPT = Long.MAX_VALUE;
  private static final Pattern FOLDER = Pattern.compile(JOURNAL + "([0-9]{1,18})(-[0-9]+-[0-9]+)?");
  private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

  private final DataFolders folders;
  private final SegmentDirectory files;
  private final JournalOptions copyOptions;

  /**
   * @param options of journals that are copies
   */
  DataDirectory(DataFolders folders, JournalOptions options) {
    this.copyOptions = options;
    this.folders = folders;
    this.files = folders.files();
  }

  /**
   * The identity for a new start: the one that is stored, or a new one, with the next incarnation.
   * It is durable when this returns, so that no two starts have one number.
   */
  ManagerIdentity start(RandomGenerator random, BootIdentity boot) throws IOException {
    ManagerIdentity last = files.list().contains(FILE) ? read() : drawn(random);
    ManagerIdentity now = last.startedAgain(random.nextLong() | 1, folders.life(boot));
    store(now);
    return now;
  }

  private static ManagerIdentity drawn(RandomGenerator random) {
    byte[] bytes = new byte[IDENTITY_BYTES];
    random.nextBytes(bytes);
    return new ManagerIdentity(
        HexFormat.of().formatHex(bytes), Optional.empty(), 0, 0, List.of(), "", true);
  }

  /**
   * What it says of its manager, without a new start.
   *
   * @throws WeftException NOT_FOUND: no manager has joined a cluster with it
   */
  ManagerIdentity identity() throws IOException {
    Optional<ManagerIdentity> found =
        files.list().contains(FILE) ? Optional.of(read()) : Optional.empty();
    return found
        .filter(each -> each.managerId() != 0 && each.cluster().isPresent())
        .orElseThrow(
            () ->
                new WeftException(
                    ErrorCode.NOT_FOUND,
                    folders.placeOf(FILE) + " does not name a manager that has joined a cluster"));
  }

  /**
   * The files of a volume's journal, to be looked at.
   *
   * @param epoch of the volume; copies of a later one than the journal's are older
   * @param owns this manager had the volume in that epoch; else it was the backup
   * @throws WeftException NOT_FOUND: there is none; FENCED: what is here is not the newest
   */
  SegmentDirectory journalToLookAt(PartitionId volume, long epoch, boolean owns)
      throws IOException {
    Optional<CopyPointer> copy = CopyPointer.read(files, JOURNAL + volume + COPY);
    if (copy.isPresent() && copy.get().epoch() >= (owns ? epoch : epoch + 1)) {
      throw new WeftException(
          ErrorCode.FENCED,
          "%s holds the copy of another manager's journal of volume %s, of epoch %d: that manager has the newer one"
              .formatted(folders.placeOf(copy.get().folder()), volume, copy.get().epoch()));
    }
    String folder = journalFolder(volume);
    if (!folders.hasFolder(folder)) {
      throw new WeftException(
          ErrorCode.NOT_FOUND,
          "there is no journal of volume %s in %s; bring back the manager's data directory"
              .formatted(volume, folders.placeOf("")));
    }
    return folders.folder(folder);
  }

  private ManagerIdentity read() throws IOException {
    Properties properties = new Properties();
    try (SegmentFile file = files.open(FILE)) {
      ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(file.sizeBytes()));
      file.read(content, 0);
      properties.load(new ByteArrayInputStream(content.array()));
      String cluster = properties.getProperty("cluster", "");
      List<Long> starts =
          Arrays.stream(properties.getProperty("starts", "").split(","))
              .filter(each -> !each.isEmpty())
              .map(each -> Long.parseUnsignedLong(each, HEXADECIMAL))
              .toList();
      return new ManagerIdentity(
          required(properties, "identity"),
          cluster.isEmpty() ? Optional.empty() : Optional.of(new ClusterId(cluster)),
          Integer.parseInt(properties.getProperty("manager", "0")),
          Long.parseLong(properties.getProperty("incarnation", "0")),
          starts,
          properties.getProperty("life", ""),
          oneLife(properties, starts));
    } catch (IllegalArgumentException e) {
      throw new IOException(
          folders.placeOf(FILE) + " is damaged: " + e.getMessage() + "; restore it from a copy", e);
    }
  }

  /** An older release tells of the last start alone in which life it was. */
  private static boolean oneLife(Properties properties, List<Long> starts) {
    String told = properties.getProperty("oneLife", "");
    return told.isEmpty() ? starts.size() <= 1 : Boolean.parseBoolean(told);
  }

  /** How far the journals here have come. */
  JournalProgress progress() throws IOException {
    return JournalProgress.read(files);
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
    StringBuilder text =
        new StringBuilder("# A metadata manager of Weft. Do not copy to another directory.\n");
    text.append("identity=").append(identity.identity()).append('\n');
    text.append("manager=").append(identity.managerId()).append('\n');
    text.append("incarnation=").append(identity.incarnation()).append('\n');
    text.append("starts=")
        .append(identity.starts().stream().map(Long::toHexString).collect(Collectors.joining(",")))
        .append('\n');
    text.append("life=").append(identity.life()).append('\n');
    text.append("oneLife=").append(identity.oneLife()).append('\n');
    identity.cluster().ifPresent(id -> text.append("cluster=").append(id.value()).append('\n'));
    if (files.list().contains(FRESH_FILE)) {
      files.delete(FRESH_FILE);
    }
    try (SegmentFile fresh = files.create(FRESH_FILE)) {
      byte[] content = text.toString().getBytes(StandardCharsets.ISO_8859_1);
      fresh.write(new ByteBuffer[] {ByteBuffer.wrap(content)}, 0);
      fresh.sync();
    }
    files.rename(FRESH_FILE, FILE);
    files.sync();
  }

  /**
   * Where the journal of a volume lies. To open it fails if another manager has begun to copy its
   * own journal here in that epoch or a later one.
   *
   * @param epoch in which this manager serves the volume
   */
  JournalPlace journal(PartitionId volume, long epoch, JournalOptions options) {
    return new JournalPlace(
        folders.placeOf(JOURNAL + volume),
        () -> folders.folder(journalFolder(volume, epoch)),
        options);
  }

  /** Where the journal of a volume lies that is served, or recovered, here. */
  JournalPlace journalOf(VolumeAssignment assignment, JournalOptions options) {
    PartitionId volume = assignment.settings().volume();
    return assignment.recovers()
        ? recoveredJournal(volume, assignment.epoch(), assignment.recoveredSince(), options)
        : journal(volume, assignment.epoch(), options);
  }

  /**
   * Where the journal of a volume lies that is recovered from OSDs: a new, empty one each time it
   * is opened (P 6.8e). Journals of before the recovery stay where they are, and count no more;
   * those of attempts of this recovery go.
   *
   * @param epoch in which this manager recovers the volume
   * @param firstEpoch in which that was ordered
   */
  JournalPlace recoveredJournal(
      PartitionId volume, long epoch, long firstEpoch, JournalOptions options) {
    return new JournalPlace(
        folders.placeOf(JOURNAL + volume),
        () -> beginRecovered(volume, epoch, firstEpoch),
        options);
  }

  /**
   * As {@link #beginCopy}: no folder goes that the pointer on disk may name. The pointer names the
   * last folder of the epoch before. So no primary of that epoch copies anything here any more, and
   * primaries of this epoch and later ones may.
   */
  private synchronized SegmentDirectory beginRecovered(
      PartitionId volume, long epoch, long firstEpoch) throws IOException {
    String pointer = JOURNAL + volume + COPY;
    Optional<CopyPointer> before = CopyPointer.read(files, pointer);
    if (before.isPresent() && before.get().epoch() >= epoch) {
      throw new IOException(
          "volume %s was to be recovered in epoch %d, and a primary of epoch %d copies its journal here"
              .formatted(volume, epoch, before.get().epoch()));
    }
    String unused = setAside(volume);
    String name = recoveredName(volume, epoch - 1);
    folders.deleteFolder(name);
    SegmentDirectory made = folders.folder(name);
    made.sync();
    files.sync();
    new CopyPointer(name, epoch - 1, LAST_ATTEMPT).write(files, pointer);
    for (long attempt = firstEpoch - 1; attempt < epoch - 1; attempt++) {
      folders.deleteFolder(recoveredName(volume, attempt));
    }
    return made;
  }

  private static String recoveredName(PartitionId volume, long epoch) {
    return JOURNAL + volume + "-" + epoch + "-" + LAST_ATTEMPT;
  }

  private synchronized String journalFolder(PartitionId volume, long epoch) throws IOException {
    Optional<CopyPointer> copy = CopyPointer.read(files, JOURNAL + volume + COPY);
    if (copy.isPresent() && copy.get().epoch() >= epoch) {
      throw new IOException(
          "volume %s was acquired in epoch %d, and its primary of epoch %d copies its journal here"
              .formatted(volume, epoch, copy.get().epoch()));
    }
    return journalFolder(volume);
  }

  private String journalFolder(PartitionId volume) throws IOException {
    return CopyPointer.read(files, JOURNAL + volume + COPY)
        .map(CopyPointer::folder)
        .orElseGet(() -> firstFolder(volume));
  }

  /** Under another name if a process ended between renaming it and writing the pointer. */
  private String firstFolder(PartitionId volume) {
    String aside = JOURNAL + volume + ASIDE;
    return folders.hasFolder(aside) ? aside : JOURNAL + volume;
  }

  /**
   * A release that knows no copies looks for the journal under its first name alone: it is to find
   * none, and not an old one.
   */
  private String setAside(PartitionId volume) throws IOException {
    String current = journalFolder(volume);
    if (!current.equals(JOURNAL + volume) || !folders.hasFolder(current)) {
      return current;
    }
    folders.renameFolder(current, JOURNAL + volume + ASIDE);
    files.sync();
    return JOURNAL + volume + ASIDE;
  }

  /** In this order: no folder goes that the pointer on disk may name. */
  @Override
  public synchronized JournalPlace beginCopy(CopyIdentity identity) throws IOException {
    PartitionId volume = new PartitionId(identity.getVolumeId());
    String pointer = JOURNAL + volume + COPY;
    Optional<CopyPointer> before = CopyPointer.read(files, pointer);
    if (before.isPresent()
        && !before.get().isOlderThan(identity.getEpoch(), identity.getAttempt())) {
      throw new WeftException(
          ErrorCode.FENCED, "a newer copy of volume " + volume + " has been begun here");
    }
    String archived = setAside(volume);
    String name = JOURNAL + volume + "-" + identity.getEpoch() + "-" + identity.getAttempt();
    folders.deleteFolder(name);
    folders.folder(name).sync();
    files.sync();
    new CopyPointer(name, identity.getEpoch(), identity.getAttempt()).write(files, pointer);
    for (String folder : folders.folders()) {
      if (isOf(folder, volume) && !folder.equals(name) && !folder.equals(archived)) {
        folders.deleteFolder(folder);
      }
    }
    return new JournalPlace(folders.placeOf(name), () -> folders.folder(name), copyOptions);
  }

  private static boolean isOf(String folder, PartitionId volume) {
    OptionalLong found = volumeOf(folder);
    return found.isPresent() && found.getAsLong() == volume.value();
  }

  /** The volume is gone, or about to be: its journal need not be kept when it has no row. */
  void markForgotten(PartitionId volume) throws IOException {
    String mark = mark(volume);
    if (folders.hasFolder(journalFolder(volume)) && !files.list().contains(mark)) {
      files.create(mark).close();
    }
  }

  private static String mark(PartitionId volume) {
    return JOURNAL + volume + FORGOTTEN;
  }

  /** Deletes the journal of a volume that is no longer used, its copies, and the mark. */
  @Override
  public synchronized void deleteJournal(PartitionId volume) throws IOException {
    for (String folder : folders.folders()) {
      if (isOf(folder, volume)) {
        folders.deleteFolder(folder);
      }
    }
    if (files.list().contains(JOURNAL + volume + COPY)) {
      files.delete(JOURNAL + volume + COPY);
    }
    if (files.list().contains(mark(volume))) {
      files.delete(mark(volume));
    }
  }

  /**
   * Deletes what a process that ended in between has left: journals that are marked and belong to
   * no volume of the cluster. One without a mark is left alone, and named in the log.
   */
  void deleteForgotten(Set<Long> volumes) throws IOException {
    for (String journal : folders.folders()) {
      OptionalLong volume = volumeOf(journal);
      if (volume.isEmpty() || volumes.contains(volume.getAsLong())) {
        continue;
      }
      PartitionId id = new PartitionId(volume.getAsLong());
      if (files.list().contains(mark(id))) {
        deleteJournal(id);
      } else {
        LOG.warn(
            "{} belongs to no volume of the cluster; delete it if the cluster's volumes are right",
            folders.placeOf(journal));
      }
    }
  }

  private static OptionalLong volumeOf(String name) {
    Matcher matcher = FOLDER.matcher(name);
    return matcher.matches()
        ? OptionalLong.of(Long.parseLong(matcher.group(1)))
        : OptionalLong.empty();
  }

  @Override
  public void close() throws IOException {
    folders.close();
  }
}
