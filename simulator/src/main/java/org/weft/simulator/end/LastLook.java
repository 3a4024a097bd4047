package org.weft.simulator.end;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.client.DirectoryListing;
import org.weft.client.FileStatus;
import org.weft.client.WeftFile;
import org.weft.client.WeftFileSystem;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.FileLimits;
import org.weft.simulator.check.CrowdHistory;
import org.weft.simulator.check.FileHistory;
import org.weft.simulator.check.NameHistory;
import org.weft.simulator.check.Seen;
import org.weft.simulator.check.Writer;
import org.weft.simulator.model.NameOperation;
import org.weft.simulator.workload.Crowd;
import org.weft.simulator.workload.Crowds;
import org.weft.simulator.workload.Histories;
import org.weft.simulator.workload.NameTurns;
import org.weft.simulator.workload.Safety;
import org.weft.simulator.workload.WorldWait;
import org.weft.testkit.names.NameKind;

/**
 * A client without any knowledge walks through everything that has a name, in a world where all is
 * well again. It reads every file and is let in to write it. A failed operation is a violation; all
 * results go into the histories.
 */
final class LastLook {
  private static final int CROWD_PAGE = 24;
  private static final String ACTOR = "last look";
  private static final int STRETCHED_OF = 4;

  /** A file as it was read. */
  record Content(FileStatus status, byte[] bytes) {}

  private final Histories histories;
  private final WeftFileSystem files;
  private final String home;
  private final Crowds crowds;
  private final WorldWait patience;
  private final Safety safety;
  private final SortedMap<Long, Content> contents = new TreeMap<>();
  private final List<FileStatus> directoryStatuses = new ArrayList<>();
  private final List<FileStatus> fileStatuses = new ArrayList<>();
  private final List<Long> nodes = new ArrayList<>();
  private final List<Long> directories = new ArrayList<>();

  /**
   * A look by a client that is connected.
   *
   * @param home prefix of all paths, which the model does not know
   * @param safety whether more was lost than files can bear
   */
  LastLook(
      Histories histories,
      WeftFileSystem files,
      String home,
      Crowds crowds,
      WorldWait patience,
      Safety safety) {
    this.histories = histories;
    this.files = files;
    this.home = home;
    this.crowds = crowds;
    this.patience = patience;
    this.safety = safety;
  }

  /** Everything under the root. */
  void walk() {
    nodes.add(1L);
    look(home.isEmpty() ? WeftPath.ROOT : WeftPath.of(home), 1);
  }

  private void look(WeftPath directory, long objectId) {
    directories.add(objectId);
    for (FileStatus entry : list(directory)) {
      nodes.add(entry.objectId());
      if (entry.isFile()) {
        fileStatuses.add(entry);
      }
      Optional<Crowd> crowd = crowds.at(inModel(entry.path()));
      if (crowd.isPresent()) {
        crowd(crowd.get(), entry);
      } else if (entry.isDirectory()) {
        directoryStatuses.add(entry);
        look(entry.path(), entry.objectId());
      } else if (entry.isFile() && !contents.containsKey(entry.objectId())) {
        file(entry.path(), entry.objectId());
      }
    }
  }

  private String inModel(WeftPath path) {
    String rest = path.toString().substring(home.length());
    return rest.isEmpty() ? "/" : rest;
  }

  private void failed(String what, WeftException failure) {
    histories.found(
        "not to be had although all is well again",
        what + ": " + failure.code() + " " + failure.getMessage());
  }

  private List<FileStatus> list(WeftPath directory) {
    NameHistory names = histories.names();
    int asked = names.asked(ACTOR, histories.moment(), new NameOperation.Names(inModel(directory)));
    try {
      List<FileStatus> page = patience.await(files.list(directory).nextPage()).orElse(List.of());
      names.done(asked, histories.moment(), NameTurns.listing(page));
      page.stream()
          .filter(entry -> crowds.at(inModel(entry.path())).isEmpty())
          .forEach(this::attributes);
      return page;
    } catch (WeftException e) {
      failed("the entries of " + directory, e);
      return List.of();
    }
  }

  /** A large directory: its names are not those of the model. */
  private void crowd(Crowd crowd, FileStatus directory) {
    directories.add(directory.objectId());
    CrowdHistory.Listing listing = crowd.history().listing(histories.moment());
    DirectoryListing pages = files.list(directory.path(), CROWD_PAGE, false);
    List<FileStatus> all = new ArrayList<>();
    try {
      Optional<List<FileStatus>> page = patience.await(pages.nextPage());
      while (page.isPresent()) {
        page.get().forEach(entry -> listing.saw(entry.path().name(), entry.objectId()));
        all.addAll(page.get());
        page = patience.await(pages.nextPage());
      }
      listing.ended();
      crowd
          .history()
          .counted(patience.await(files.attributes(directory.path())).entries(), all.size());
      for (FileStatus entry : all) {
        nodes.add(entry.objectId());
        if (entry.isDirectory()) {
          directories.add(entry.objectId());
        }
        long start = histories.moment();
        FileStatus found = patience.await(files.linkAttributes(entry.path()));
        crowd.history().looked(entry.path().name(), start, found.objectId());
      }
    } catch (WeftException e) {
      failed("the names in " + directory.path(), e);
    }
  }

  private void attributes(FileStatus entry) {
    NameHistory names = histories.names();
    int asked =
        names.asked(
            ACTOR, histories.moment(), new NameOperation.Look(inModel(entry.path()), false));
    try {
      FileStatus status = patience.await(files.linkAttributes(entry.path()));
      names.done(asked, histories.moment(), NameTurns.seen(status));
    } catch (WeftException e) {
      failed("the attributes of " + entry.path(), e);
    }
  }

  private void file(WeftPath path, long objectId) {
    FileHistory history = histories.file(objectId);
    contents.put(objectId, read(path, history));
    try {
      long asked = histories.moment();
      WeftFile file = patience.await(files.openForUpdate(path));
      Writer writer = history.opened(ACTOR, false, asked, histories.moment(), file.sizeBytes());
      stretch(file);
      Writer.Attempt closing = writer.close(histories.moment());
      FileStatus status = patience.await(file.close());
      closing.acknowledged(histories.moment(), histories.nanos());
      contents.put(objectId, new Content(status, read(path, history).bytes()));
    } catch (WeftException e) {
      if (!mayBeUnreadable(Optional.ofNullable(contents.get(objectId).status()))) {
        failed("the right to write " + path, e);
      }
    }
  }

  /**
   * Some files get the greatest length, then are cut to where components once ended, and then get
   * their own length again. OSDs must accept every length that a manager journals (P 4.3).
   */
  private void stretch(WeftFile file) throws WeftException {
    if (file.objectId() % STRETCHED_OF != 0 || safety.isBeyond() || safety.isDoubted()) {
      return;
    }
    long size = file.sizeBytes();
    patience.await(file.setLength(FileLimits.MAX_FILE_BYTES));
    patience.await(file.setLength(FileLimits.MAX_FILE_BYTES / 2));
    patience.await(file.setLength(size));
  }

  /**
   * @param status of the file, if it could be opened: then its components say what it bears
   */
  private boolean mayBeUnreadable(Optional<FileStatus> status) {
    return status
        .flatMap(FileStatus::map)
        .map(safety::mayBeUnreadable)
        .orElseGet(() -> safety.isBeyond() || safety.isDoubted());
  }

  private Content read(WeftPath path, FileHistory history) {
    NameHistory names = histories.names();
    long opened = histories.moment();
    int asked = names.asked(ACTOR, opened, new NameOperation.Open(inModel(path)));
    FileStatus status = null;
    try (WeftInput input = patience.await(files.open(path))) {
      status = input.status();
      status.map().ifPresent(map -> safety.writtenAround(history.name(), map));
      names.done(
          asked, histories.moment(), Seen.object(status.objectId(), Optional.of(NameKind.FILE)));
      ByteBuffer target = ByteBuffer.allocate((int) status.sizeBytes() + 1);
      long start = histories.moment();
      int count = patience.await(input.read(0, target));
      byte[] found = new byte[Math.max(0, count)];
      target.get(0, found);
      history.read(ACTOR, opened, start, histories.moment(), 0, target.capacity(), found);
      return new Content(status, found);
    } catch (WeftException e) {
      if (!mayBeUnreadable(Optional.ofNullable(status))) {
        failed("the bytes of " + path + ", " + history.name(), e);
      }
      return new Content(status, null);
    }
  }

  /** Files by object id, as they were read last; without bytes where they could not be. */
  SortedMap<Long, Content> contents() {
    return contents;
  }

  /** Directories as they were seen, except large ones. */
  List<FileStatus> directoryStatuses() {
    return directoryStatuses;
  }

  /** Files as they were seen, by each of their names. */
  List<FileStatus> fileStatuses() {
    return fileStatuses;
  }

  /** Objects that have a name. */
  List<Long> nodes() {
    return nodes;
  }

  List<Long> directories() {
    return directories;
  }
}
