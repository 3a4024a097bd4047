package org.weft.client.cluster;

import com.google.protobuf.MessageLite;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.BladeSetRow;
import org.weft.protocol.wire.ChangeBladeSetRequest;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.DrainManagerRequest;
import org.weft.protocol.wire.DrainOsdRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.MoveVolumeRequest;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.RecoverVolumeRequest;
import org.weft.protocol.wire.RemoveManagerRequest;
import org.weft.protocol.wire.RemoveOsdRequest;
import org.weft.protocol.wire.VolumeRow;

/**
 * Moves volumes from manager to manager, drains and removes managers, and removes OSDs that are
 * lost. SysMgr records what is wanted and the managers carry it out, whichever of them stops and
 * starts meanwhile. What is not done when the time is over goes on by itself. Each request may be
 * repeated.
 *
 * <p>Thread-safe. Futures complete on the home executor and fail with a {@link WeftException}.
 */
public final class PlacementAdmin {
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ClusterView cluster;
  private final Environment environment;
  private final Executor home;
  private final long timeoutNanos;

  /**
   * @param home a serial executor that the caller owns
   * @param timeoutMillis how long to wait until something is done
   */
  public PlacementAdmin(
      ClusterView cluster, Environment environment, Executor home, long timeoutMillis) {
    this.cluster = cluster;
    this.environment = environment;
    this.home = home;
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  /**
   * Moves a volume; completes when the manager is its primary. NOT_FOUND without such a volume or
   * manager, INVALID_ARGUMENT if the manager takes no volumes. CANCELLED if the move was called off
   * or given up, DEADLINE_EXCEEDED if it goes on by itself.
   */
  public CompletableFuture<Void> move(MoveVolumeRequest wanted) {
    return carryOut(Opcode.MOVE_VOLUME, wanted, table -> moved(table, wanted));
  }

  /**
   * Drains a manager; completes when it serves no volume. Or lets it have volumes again; completes
   * when that is recorded.
   */
  public CompletableFuture<Void> drain(DrainManagerRequest wanted) {
    return carryOut(Opcode.DRAIN_MANAGER, wanted, table -> drained(table, wanted));
  }

  /**
   * A manager that is down does not come back; completes when it stands in the table no more.
   * NOT_FOUND without such a manager. INVALID_ARGUMENT if it is not down, or is the primary of a
   * volume. UNAVAILABLE if it is still named as a backup when the time is over.
   */
  public CompletableFuture<Void> remove(RemoveManagerRequest wanted) {
    return carryOut(Opcode.REMOVE_MANAGER, wanted, table -> removed(table, wanted));
  }

  private static Optional<String> removed(ClusterTable table, RemoveManagerRequest wanted) {
    boolean isThere =
        table.getManagersList().stream()
            .anyMatch(row -> row.getManagerId() == wanted.getManagerId());
    return isThere
        ? Optional.of("manager-" + wanted.getManagerId() + " is in the table still")
        : Optional.empty();
  }

  /**
   * An OSD that is down does not come back; completes when that is recorded. NOT_FOUND without such
   * an OSD, INVALID_ARGUMENT if it is not down.
   */
  public CompletableFuture<Void> remove(RemoveOsdRequest wanted) {
    return carryOut(Opcode.REMOVE_OSD, wanted, table -> removed(table, wanted));
  }

  /**
   * What an OSD holds is copied to others from now on, or stays; completes when that is recorded.
   * NOT_FOUND without such an OSD, INVALID_ARGUMENT if it was removed or no other OSD is there.
   */
  public CompletableFuture<Void> drainOsd(DrainOsdRequest wanted) {
    return carryOut(Opcode.DRAIN_OSD, wanted, table -> drainRecorded(table, wanted));
  }

  /**
   * BladeSets are made, grown, set, merged or deleted; completes when it is done. An OSD that comes
   * into one and holds nothing goes over within seconds. NOT_FOUND, EXISTS, NOT_EMPTY and
   * INVALID_ARGUMENT say what is in the way; DEADLINE_EXCEEDED if it goes on by itself.
   */
  public CompletableFuture<Void> changeBladeSet(ChangeBladeSetRequest wanted) {
    return carryOut(Opcode.CHANGE_BLADE_SET, wanted, table -> changed(table, wanted));
  }

  private static Optional<String> changed(ClusterTable table, ChangeBladeSetRequest wanted) {
    Optional<BladeSetRow> row =
        table.getBladeSetsList().stream()
            .filter(each -> each.getName().equals(wanted.getName()))
            .findFirst();
    return switch (wanted.getChangeCase()) {
      case DELETE, MERGE_INTO -> row.map(each -> "BladeSet " + each.getName() + " is there still");
      case CREATE, SET_DOMAIN ->
          row.isPresent()
              ? Optional.empty()
              : Optional.of("BladeSet " + wanted.getName() + " is not in the table yet");
      case GROW -> coming(table, wanted);
      case CHANGE_NOT_SET -> Optional.empty();
    };
  }

  private static Optional<String> coming(ClusterTable table, ChangeBladeSetRequest wanted) {
    Set<Integer> asked = new HashSet<>(wanted.getGrow().getOsdIdList());
    String waiting =
        table.getOsdsList().stream()
            .filter(row -> asked.contains(row.getOsdId()))
            .filter(row -> !row.getBladeSet().equals(wanted.getName()))
            .filter(row -> isComing(table, wanted.getName(), row.getOsdId()))
            .map(row -> "osd-" + row.getOsdId() + " is in " + row.getBladeSet())
            .collect(Collectors.joining(", "));
    return waiting.isEmpty() ? Optional.empty() : Optional.of(waiting);
  }

  /** Fails if it does not come any more. */
  private static boolean isComing(ClusterTable table, String name, int osd) {
    boolean isComing =
        table.getBladeSetsList().stream()
            .anyMatch(row -> row.getName().equals(name) && row.getComingOsdList().contains(osd));
    if (!isComing) {
      throw ReplyReader.failure(
          ErrorCode.CANCELLED,
          "osd-"
              + osd
              + " does not come into BladeSet "
              + name
              + " any more: it is drained no more");
    }
    return true;
  }

  private static Optional<String> drainRecorded(ClusterTable table, DrainOsdRequest wanted) {
    boolean recorded =
        table.getOsdsList().stream()
            .filter(row -> row.getOsdId() == wanted.getOsdId())
            .allMatch(row -> row.getDraining() != wanted.getUndrain());
    return recorded
        ? Optional.empty()
        : Optional.of("osd-" + wanted.getOsdId() + " stands in the table as before");
  }

  private static Optional<String> removed(ClusterTable table, RemoveOsdRequest wanted) {
    boolean recorded =
        table.getOsdsList().stream()
            .filter(row -> row.getOsdId() == wanted.getOsdId())
            .allMatch(OsdRow::getRemoved);
    return recorded
        ? Optional.empty()
        : Optional.of("osd-" + wanted.getOsdId() + " is in the table still");
  }

  /**
   * A volume whose journal is lost is recovered from its OSDs; completes when that is recorded, and
   * goes on by itself. NOT_FOUND without such a volume or manager, INVALID_ARGUMENT while a manager
   * is heard that may have the journal, UNAVAILABLE if no manager is up.
   */
  public CompletableFuture<Void> recover(RecoverVolumeRequest wanted) {
    return carryOut(Opcode.RECOVER_VOLUME, wanted, table -> Optional.empty());
  }

  /** What is still to be done; empty: nothing. */
  private static Optional<String> moved(ClusterTable table, MoveVolumeRequest wanted) {
    VolumeRow row =
        table.getVolumesList().stream()
            .filter(each -> each.getPath().equals(wanted.getPath()))
            .findFirst()
            .orElseThrow(
                () ->
                    ReplyReader.failure(
                        ErrorCode.NOT_FOUND, wanted.getPath() + ": the volume is gone"));
    if (row.getManagerId() == wanted.getManagerId()) {
      return Optional.empty();
    }
    if (row.getMoveTo() != wanted.getManagerId() || !row.getMoveFailure().isEmpty()) {
      throw ReplyReader.failure(
          ErrorCode.CANCELLED,
          wanted.getPath()
              + " did not move to manager-"
              + wanted.getManagerId()
              + ": "
              + (row.getMoveFailure().isEmpty()
                  ? "another move was asked for, or this one was called off"
                  : row.getMoveFailure()));
    }
    return Optional.of(wanted.getPath() + " is at manager-" + row.getManagerId() + " still");
  }

  private static Optional<String> drained(ClusterTable table, DrainManagerRequest wanted) {
    boolean draining =
        table.getManagersList().stream()
            .filter(row -> row.getManagerId() == wanted.getManagerId())
            .anyMatch(ManagerRow::getDraining);
    if (wanted.getUndrain()) {
      return draining ? Optional.of("it is drained still") : Optional.empty();
    }
    if (!draining) {
      throw ReplyReader.failure(
          ErrorCode.CANCELLED, "manager-" + wanted.getManagerId() + " is not drained any more");
    }
    long left =
        table.getVolumesList().stream()
            .filter(row -> row.getManagerId() == wanted.getManagerId())
            .count();
    return left == 0
        ? Optional.empty()
        : Optional.of("manager-" + wanted.getManagerId() + " has " + left + " volumes still");
  }

  private CompletableFuture<Void> carryOut(
      Opcode opcode, MessageLite body, Function<ClusterTable, Optional<String>> left) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    ask(opcode, body, left, environment.ticker().nowNanos() + timeoutNanos, done);
    return done;
  }

  private void ask(
      Opcode opcode,
      MessageLite body,
      Function<ClusterTable, Optional<String>> left,
      long deadlineNanos,
      CompletableFuture<Void> done) {
    var unused =
        cluster
            .ask(opcode, body, Empty.parser())
            .whenComplete(
                (recorded, failure) -> {
                  if (failure == null) {
                    look(left, deadlineNanos, done);
                  } else if (WeftException.of(failure).code() == ErrorCode.UNAVAILABLE
                      && environment.ticker().nowNanos() - deadlineNanos < 0) {
                    later(() -> ask(opcode, body, left, deadlineNanos, done));
                  } else {
                    done.completeExceptionally(WeftException.of(failure));
                  }
                });
  }

  private void look(
      Function<ClusterTable, Optional<String>> left,
      long deadlineNanos,
      CompletableFuture<Void> done) {
    var unused =
        cluster
            .refresh()
            .whenCompleteAsync(
                (table, failure) -> {
                  try {
                    Optional<String> open =
                        failure == null
                            ? left.apply(table)
                            : Optional.of(WeftException.of(failure).getMessage());
                    if (open.isEmpty()) {
                      done.complete(null);
                    } else if (environment.ticker().nowNanos() - deadlineNanos > 0) {
                      done.completeExceptionally(late(open.get()));
                    } else {
                      later(() -> look(left, deadlineNanos, done));
                    }
                  } catch (RuntimeException e) {
                    done.completeExceptionally(WeftException.of(e));
                  }
                },
                home);
  }

  private WeftException late(String left) {
    return new WeftException(
        ErrorCode.DEADLINE_EXCEEDED,
        "not done within "
            + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos)
            + " s ("
            + left
            + "); it goes on by itself, `weft status` shows how it stands");
  }

  private void later(Runnable task) {
    environment.scheduler().schedule(LOOK_AGAIN_NANOS, home, task);
  }
}
