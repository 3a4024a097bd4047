package org.weft.client.volume;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.weft.client.cluster.VolumeDirectory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.VolumeRow;

/**
 * Finds the volume that holds a path, by the longest volume path of the cluster's table. It keeps
 * one session with the manager of each volume that was asked for. A manager that meets another
 * volume on the way answers CROSS_VOLUME. The table at hand was old, or a symbolic link led out of
 * the volume. Then the path is looked at anew.
 *
 * <p>Thread-safe. Paths are absolute in the cluster and normalised. Futures complete on the
 * sessions' home executor.
 */
public final class VolumeRouter {
  private final VolumeDirectory directory;
  private final Function<VolumeRow, VolumeSession> sessions;

  // Guarded by this. One per volume of the table at most.
  private final Map<Long, VolumeCalls> open = new TreeMap<>();
  private boolean closed;

  /**
   * @param sessions makes the session with a volume's manager, without waiting for it
   */
  public VolumeRouter(VolumeDirectory directory, Function<VolumeRow, VolumeSession> sessions) {
    this.directory = directory;
    this.sessions = sessions;
  }

  /** Opens the session with the volume that holds the path, so that a refusal shows early. */
  public CompletableFuture<Void> open(String path) {
    try {
      return calls(holding(path)).session().open();
    } catch (WeftException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The volume that holds the path, if it was asked before; nothing is waited for. */
  public Optional<VolumeCalls> known(String path) {
    Optional<VolumeRow> row = directory.volumeHolding(path);
    if (row.isEmpty()) {
      return Optional.empty();
    }
    synchronized (this) {
      return Optional.ofNullable(open.get(row.get().getVolumeId()));
    }
  }

  /** A volume by its number, if it was asked before; nothing is waited for. */
  public Optional<VolumeCalls> known(long volumeId) {
    if (directory.volume(volumeId).isEmpty()) {
      return Optional.empty();
    }
    synchronized (this) {
      return Optional.ofNullable(open.get(volumeId));
    }
  }

  /** How many sessions managers have ended, of the volumes that were asked. */
  public synchronized long lostSessions() {
    return open.values().stream().mapToLong(calls -> calls.session().losses()).sum();
  }

  /** Asks the volume that holds the path. */
  public <T> CompletableFuture<T> at(
      String path, Function<VolumeCalls, CompletableFuture<T>> call) {
    Function<VolumeRow, CompletableFuture<T>> ask =
        row -> {
          try {
            return call.apply(calls(row));
          } catch (WeftException e) {
            return CompletableFuture.failedFuture(e);
          }
        };
    return routed(path, ask);
  }

  /**
   * Asks a volume by its number; STALE if the cluster has none, as far as a table says that is
   * asked for now.
   */
  public <T> CompletableFuture<T> in(
      long volumeId, Function<VolumeCalls, CompletableFuture<T>> call) {
    Optional<VolumeRow> row = directory.volume(volumeId);
    if (row.isPresent()) {
      return ask(row.get(), call);
    }
    return directory
        .refresh()
        .thenCompose(
            table ->
                directory
                    .volume(volumeId)
                    .map(found -> ask(found, call))
                    .orElseGet(
                        () ->
                            CompletableFuture.failedFuture(
                                new WeftException(
                                    ErrorCode.STALE,
                                    "volume " + volumeId + " is no more, or never was"))));
  }

  private <T> CompletableFuture<T> ask(
      VolumeRow row, Function<VolumeCalls, CompletableFuture<T>> call) {
    try {
      return call.apply(calls(row));
    } catch (WeftException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Asks the volume that holds both paths; CROSS_VOLUME if they lie in two.
   *
   * @param action what is to be done, for the message: "rename"
   */
  public <T> CompletableFuture<T> within(
      String action, String path, String other, Function<VolumeCalls, CompletableFuture<T>> call) {
    Function<VolumeRow, CompletableFuture<T>> ask =
        row -> {
          try {
            VolumeRow second = holding(other);
            if (second.getVolumeId() != row.getVolumeId()) {
              throw crossing(action, path, row, other, second);
            }
            return call.apply(calls(row));
          } catch (WeftException e) {
            return CompletableFuture.failedFuture(e);
          }
        };
    return routed(path, ask);
  }

  /**
   * As {@link #at}, for a change that takes the path's entry away: refused for the directory of a
   * volume and for directories above one.
   *
   * @param action what is to be done, for the message: "remove"
   */
  public <T> CompletableFuture<T> removing(
      String action, String path, Function<VolumeCalls, CompletableFuture<T>> call) {
    Optional<WeftException> refusal = pinned(action, path);
    return refusal.isPresent() ? CompletableFuture.failedFuture(refusal.get()) : at(path, call);
  }

  /** As {@link #within}, refusing as {@link #removing} does for either path. */
  public <T> CompletableFuture<T> moving(
      String action, String path, String other, Function<VolumeCalls, CompletableFuture<T>> call) {
    Optional<WeftException> refusal = pinned(action, path).or(() -> pinned("replace", other));
    return refusal.isPresent()
        ? CompletableFuture.failedFuture(refusal.get())
        : within(action, path, other, call);
  }

  /** Why an entry cannot be taken away, if a volume stands there or below. */
  private Optional<WeftException> pinned(String action, String path) {
    Optional<VolumeRow> itself =
        directory.volumeHolding(path).filter(row -> row.getPath().equals(path));
    if (itself.isPresent() && path.length() > 1) {
      return Optional.of(
          new WeftException(
              ErrorCode.INVALID_ARGUMENT,
              path
                  + ": a volume stands here, and "
                  + action
                  + " does not work on it; `weft volume delete "
                  + path
                  + "` removes one that is empty"));
    }
    return directory
        .volumeBelow(path)
        .filter(row -> path.length() > 1)
        .map(
            row ->
                new WeftException(
                    ErrorCode.NOT_EMPTY,
                    path
                        + ": the volume "
                        + row.getPath()
                        + " stands below it, so that "
                        + action
                        + " does not work; `weft volume delete "
                        + row.getPath()
                        + "` removes one that is empty"));
  }

  private static WeftException crossing(
      String action, String path, VolumeRow row, String other, VolumeRow second) {
    return new WeftException(
        ErrorCode.CROSS_VOLUME,
        path
            + " -> "
            + other
            + ": "
            + action
            + " does not work from volume "
            + row.getPath()
            + " to volume "
            + second.getPath()
            + "; copy the file");
  }

  private <T> CompletableFuture<T> routed(
      String path, Function<VolumeRow, CompletableFuture<T>> ask) {
    VolumeRow row;
    try {
      row = holding(path);
    } catch (WeftException e) {
      return CompletableFuture.failedFuture(e);
    }
    return ask.apply(row)
        .exceptionallyCompose(failure -> again(path, row, WeftException.of(failure), ask));
  }

  /** The manager knows of a volume that the table at hand does not have: once more, if it does. */
  private <T> CompletableFuture<T> again(
      String path,
      VolumeRow asked,
      WeftException failure,
      Function<VolumeRow, CompletableFuture<T>> ask) {
    if (failure.code() != ErrorCode.CROSS_VOLUME) {
      return CompletableFuture.failedFuture(failure);
    }
    return directory
        .refresh()
        .handle((table, unreachable) -> directory.volumeHolding(path))
        .thenCompose(
            row ->
                row.isEmpty() || row.get().getVolumeId() == asked.getVolumeId()
                    ? CompletableFuture.failedFuture(failure)
                    : ask.apply(row.get()));
  }

  private VolumeRow holding(String path) throws WeftException {
    return directory
        .volumeHolding(path)
        .orElseThrow(
            () ->
                new WeftException(
                    ErrorCode.UNAVAILABLE,
                    "the cluster has no root volume yet; `weft status` shows its state"));
  }

  private synchronized VolumeCalls calls(VolumeRow row) throws WeftException {
    if (closed) {
      throw new WeftException(ErrorCode.CANCELLED, "the client is closed");
    }
    return open.computeIfAbsent(row.getVolumeId(), id -> new VolumeCalls(sessions.apply(row)));
  }

  /**
   * Sessions hear of the epochs of their volumes. Sessions with volumes that are gone end; what
   * waits for them is told NOT_FOUND.
   */
  public void tableChanged(ClusterTable table) {
    Set<Long> known =
        table.getVolumesList().stream().map(VolumeRow::getVolumeId).collect(Collectors.toSet());
    List<VolumeSession> gone;
    synchronized (this) {
      gone =
          openSessions().stream().filter(session -> !known.contains(session.volumeId())).toList();
      gone.forEach(session -> open.remove(session.volumeId()));
    }
    for (VolumeRow row : table.getVolumesList()) {
      VolumeCalls calls;
      synchronized (this) {
        calls = open.get(row.getVolumeId());
      }
      if (calls != null) {
        calls.session().tableChanged(row);
      }
    }
    for (VolumeSession session : gone) {
      var unused =
          session.shutdown(
              new WeftException(
                  ErrorCode.NOT_FOUND,
                  "the volume " + session.mount().path() + " has been deleted"));
    }
  }

  private synchronized List<VolumeSession> openSessions() {
    return open.values().stream().map(VolumeCalls::session).toList();
  }

  /** Ends all sessions, as {@link VolumeSession#shutdown()} does. */
  public CompletableFuture<Void> shutdown() {
    List<VolumeSession> last;
    synchronized (this) {
      closed = true;
      last = openSessions();
      open.clear();
    }
    return CompletableFuture.allOf(
        last.stream().map(VolumeSession::shutdown).toArray(CompletableFuture[]::new));
  }
}
