package org.weft.simulator.world;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.VolumeOperation;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.base.Violation;
import org.weft.simulator.node.ClusterPlace;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Volumes that operators make and delete while others work, beside the one that all clients work
 * in. An operator may die at any step; its request may happen or not.
 */
public final class ExtraVolumes {
  private static final int MAX_PARITY = 2;
  private static final int MAX_TRIES = 20;
  private static final long MAX_MILLIS = 60_000;

  private final OperatorView cluster;
  private final SimContext setting;
  private final ClusterPlace place;
  private final RandomGenerator random;
  private final List<String> paths = new ArrayList<>();
  private final SortedSet<String> there = new TreeSet<>();
  private final SortedSet<String> unwanted = new TreeSet<>();
  private final SortedSet<String> gone = new TreeSet<>();
  private Operator operator;
  private int made;

  ExtraVolumes(OperatorView cluster, SimContext setting, ClusterPlace place) {
    this.cluster = cluster;
    this.setting = setting;
    this.place = place;
    this.random = setting.random("operators");
  }

  private Operator newOperator() {
    killOperator();
    operator = new Operator(setting, place, random.nextLong());
    return operator;
  }

  /** An operator asks for another volume. */
  public void make() {
    String path = "/extra-" + ++made;
    paths.add(path);
    setting.trace().note("operator", () -> "makes " + path);
    var unused =
        newOperator()
            .createVolume(path, MAX_PARITY)
            .thenAccept(
                done -> {
                  setting.trace().note("operator", () -> path + " is there");
                  if (!unwanted.contains(path)) {
                    there.add(path);
                  }
                });
  }

  /** An operator asks to delete the volume that was made first; false if there is none. */
  public boolean delete() {
    if (paths.isEmpty()) {
      return false;
    }
    String path = paths.get(0);
    setting.trace().note("operator", () -> "deletes " + path);
    Operator asking = newOperator();
    there.remove(path);
    unwanted.add(path);
    var unused =
        asking
            .deleteVolume(path)
            .thenAccept(
                done -> {
                  setting.trace().note("operator", () -> path + " is gone");
                  paths.remove(path);
                  gone.add(path);
                });
    return true;
  }

  /** What was acknowledged and is not so. Sentences. */
  List<String> lost(Configuration known) {
    SortedSet<String> rows = new TreeSet<>();
    known.volumes().values().forEach(volume -> rows.add(volume.path()));
    List<String> lost = new ArrayList<>();
    there.stream()
        .filter(path -> !rows.contains(path))
        .forEach(path -> lost.add("volume " + path + " was made"));
    gone.stream()
        .filter(rows::contains)
        .forEach(path -> lost.add("volume " + path + " was deleted"));
    return lost;
  }

  /** The operator that asked last dies, whatever has become of it. */
  public void killOperator() {
    if (operator != null) {
      operator.leave();
      operator = null;
    }
  }

  /**
   * Deletes what is left, in a world where all is well again.
   *
   * @throws Violation if that is not possible
   */
  public void deleteAll() {
    for (String path : List.copyOf(paths)) {
      gone(path);
    }
    killOperator();
  }

  private void gone(String path) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      CompletableFuture<VolumeOperation> deleted = newOperator().deleteVolume(path);
      cluster.await(path + " is deleted", MAX_MILLIS, deleted::isDone);
      if (!deleted.isCompletedExceptionally()) {
        return;
      }
      ErrorCode code = WeftException.of(deleted.handle((done, thrown) -> thrown).join()).code();
      if (code == ErrorCode.NOT_FOUND) {
        return;
      }
      setting.trace().note("operator", () -> path + " is not deleted yet: " + code);
      cluster.pass(1_000);
    }
    throw new Violation("the volume " + path + " cannot be deleted although all is well again");
  }
}
