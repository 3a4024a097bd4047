package org.weft.soak;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.weft.client.FileStatus;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.StorageMap;

/**
 * Compares everything that clients logged with what a fresh client reads, while every process runs.
 * Puts the files of ended processes in order first. Such a file must hold one of its possible
 * states, and the same state for ever.
 */
final class FileVerifier {
  private static final long READ_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long ORDER_NANOS = TimeUnit.SECONDS.toNanos(90);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ClientFleet clients;
  private final SoakTally tally;
  private final Set<String> taken = new TreeSet<>();
  private final Set<String> gone = new TreeSet<>();

  /**
   * Files that were taken from an owner without a grant, and that were granted to this owner again
   * later. Owner and taker both change such a file, so no log has its whole history.
   */
  private final Set<String> shared = new TreeSet<>();

  FileVerifier(ClientFleet clients, SoakTally tally) {
    this.clients = clients;
    this.tally = tally;
  }

  /** Files that another client took. */
  int taken() {
    return taken.size();
  }

  /**
   * Compares everything.
   *
   * @param files of a client that has seen nothing yet
   */
  void verify(WeftFiles files) throws Exception {
    Set<String> ordered = clients.taken().all();
    findShared(ordered);
    for (ClientFleet.Log log : List.copyOf(clients.logs())) {
      log.update();
      for (LoggedFile file : List.copyOf(log.ledger().files().values())) {
        verify(files, log, file, ordered.contains(file.path()));
      }
      for (String name : List.copyOf(log.ledger().names().keySet())) {
        verifyName(files, log, name);
      }
    }
    tally.verification();
  }

  private void findShared(Set<String> ordered) throws Exception {
    for (ClientFleet.Log log : List.copyOf(clients.logs())) {
      log.update();
    }
    for (ClientFleet.Log log : List.copyOf(clients.logs())) {
      for (LoggedFile file : log.ledger().files().values()) {
        String path = file.path();
        Optional<ClientFleet.Log> taker = takerOf(path);
        boolean wasTaken =
            ordered.contains(path)
                && log.ledger().took(path) == null
                && taker.isPresent()
                && taker.get().ledger().took(path);
        if (wasTaken && !shared.contains(path)) {
          LoggedFile then = log.until(taker.get().tookNanos(path)).files().get(path);
          if (then != null && file.wentOnSince(then)) {
            byte[] found = Files.readAllBytes(taker.get().ledger().snapshotOf(path));
            report("taken and given back", ContentCheck.atRest(then, found));
            shared.add(path);
          }
        }
      }
    }
  }

  /**
   * Compares once more while an OSD is away, so that its share is decoded: parity has to be right,
   * too. No client writes any more, and every file has come to full redundancy: one that lacks a
   * component is a violation.
   */
  void verifyWithoutOneOsd(WeftFiles files) throws Exception {
    for (ClientFleet.Log log : clients.logs()) {
      for (LoggedFile file : log.ledger().files().values()) {
        boolean elsewhere =
            shared.contains(file.path())
                || clients.taken().all().contains(file.path())
                    && log.ledger().took(file.path()) == null;
        if (isWhole(files, file.path()) && !elsewhere) {
          byte[] found = content(files, file.path()).orElseThrow();
          read(found, report("degraded", ContentCheck.atRest(file, found)));
        }
      }
      for (String name : log.ledger().names().keySet()) {
        if (isWhole(files, name)) {
          byte[] found = content(files, name).orElseThrow();
          Set<Long> possible = log.ledger().names().get(name).possible();
          read(
              found,
              report(
                  "degraded", log.ledger().compare(name, possible, log.ledger().whole(), found)));
        }
      }
    }
  }

  /** False if there is no such file, or it lacks a component, which is reported. */
  private boolean isWhole(WeftFiles files, String path) throws IOException {
    Optional<StorageMap> map =
        gone.contains(path)
            ? Optional.empty()
            : files.find(WeftPath.of(path)).flatMap(FileStatus::map);
    Set<Integer> missing = map.map(StorageMap::missing).orElse(Collections.emptySortedSet());
    if (!missing.isEmpty()) {
      tally.violation(path + " lacks components " + missing + ", though every OSD was up");
    }
    return map.isPresent() && missing.isEmpty();
  }

  private void verify(WeftFiles files, ClientFleet.Log log, LoggedFile file, boolean ordered)
      throws Exception {
    if (gone.contains(file.path()) || shared.contains(file.path())) {
      return;
    }
    if (ordered && log.ledger().took(file.path()) == null) {
      Optional<ClientFleet.Log> taker = takerOf(file.path());
      if (taker.isEmpty() || taker.get().ledger().took(file.path()) == null) {
        return;
      }
      if (taker.get().ledger().took(file.path())) {
        verifyTaken(file, taker.get());
        return;
      }
    }
    if (log.ended()) {
      atRest(files, file);
    } else if (!ordered || file.isOpen()) {
      beside(files, log, file);
    }
  }

  private Optional<ClientFleet.Log> takerOf(String path) {
    return clients.logs().stream().filter(log -> log.ledger().took(path) != null).findFirst();
  }

  /** What the taker found must be what the former owner knows, also of answers that came late. */
  private void verifyTaken(LoggedFile file, ClientFleet.Log taker) throws IOException {
    byte[] found = Files.readAllBytes(taker.ledger().snapshotOf(file.path()));
    if (report("taken", ContentCheck.atRest(file, found))) {
      taken.add(file.path());
    }
  }

  private void beside(WeftFiles files, ClientFleet.Log log, LoggedFile file) throws Exception {
    log.update();
    boolean mustExist = file.mustExist();
    boolean mustBeGone = file.mustBeGone();
    file.watch();
    Optional<byte[]> found = content(files, file.path());
    log.update();
    List<FileState> states = file.watched();
    if (found.isEmpty()) {
      verifyGone(file, mustExist && file.mustExist(), mustBeGone);
    } else if (mustBeGone) {
      tally.violation(file + " is there, though it was removed");
    } else {
      read(found.get(), report("live", ContentCheck.beside(file, states, found.get())));
    }
  }

  private void verifyGone(LoggedFile file, boolean mustExist, boolean forEver) {
    if (mustExist) {
      tally.violation(file + " is gone");
    } else if (forEver) {
      gone.add(file.path());
    }
  }

  private void atRest(WeftFiles files, LoggedFile file) throws Exception {
    if (!isPutInOrder(files, file)) {
      return;
    }
    Optional<byte[]> found = content(files, file.path());
    if (found.isEmpty()) {
      verifyGone(file, file.mustExist(), true);
    } else if (file.mustBeGone()) {
      tally.violation(file + " is there, though it was removed");
    } else if (report("at rest", ContentCheck.atRest(file, found.get()))) {
      read(found.get(), true);
      file.settle(found.get());
    }
  }

  private boolean isPutInOrder(WeftFiles files, LoggedFile file) throws Exception {
    WeftPath path = WeftPath.of(file.path());
    long beginNanos = System.nanoTime();
    while (true) {
      try {
        if (files.recoverLease(path)) {
          return true;
        }
        long spentNanos = System.nanoTime() - beginNanos;
        if (spentNanos > ORDER_NANOS) {
          tally.violation(file + " was not put in order");
          return false;
        }
      } catch (WeftException e) {
        if (e.code() == ErrorCode.NOT_FOUND) {
          return true;
        }
        if (System.nanoTime() - beginNanos > ORDER_NANOS) {
          tally.violation(file + " cannot be put in order: " + e.getMessage());
          return false;
        }
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private void verifyName(WeftFiles files, ClientFleet.Log log, String path) throws Exception {
    log.update();
    LoggedName name = log.ledger().names().get(path);
    if (gone.contains(path)) {
      return;
    }
    boolean stays = path.contains("/stream-") && name.possible().equals(Set.of(LoggedName.NONE));
    name.watch();
    Set<Long> whole = log.ledger().whole();
    Optional<byte[]> found = content(files, path);
    log.update();
    Set<Long> possible = name.watched();
    if (found.isPresent()) {
      boolean right = report("name", log.ledger().compare(path, possible, whole, found.get()));
      read(found.get(), right);
    } else if (!possible.contains(LoggedName.NONE)) {
      tally.violation(path + " is gone; it led to the streams " + possible);
    } else if (stays) {
      // No later stream gets this name.
      gone.add(path);
    }
  }

  private void read(byte[] bytes, boolean right) {
    if (right) {
      tally.verified(bytes.length);
    }
  }

  private boolean report(String how, Optional<String> wrong) {
    wrong.ifPresent(text -> tally.violation(how + ": " + text));
    return wrong.isEmpty();
  }

  /** Every process runs: what cannot be read for so long is lost. */
  private static Optional<byte[]> content(WeftFiles files, String path) {
    long deadlineNanos = System.nanoTime() + READ_NANOS;
    while (true) {
      try (InputStream in = files.open(WeftPath.of(path))) {
        return Optional.of(in.readAllBytes());
      } catch (IOException e) {
        if (e instanceof WeftException refused && refused.code() == ErrorCode.NOT_FOUND) {
          return Optional.empty();
        }
        if (System.nanoTime() - deadlineNanos > 0) {
          throw new AssertionError(path + " cannot be read: " + e.getMessage(), e);
        }
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
