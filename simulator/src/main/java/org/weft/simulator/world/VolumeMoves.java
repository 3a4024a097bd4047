package org.weft.simulator.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.weft.protocol.id.ManagerId;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.base.Violation;
import org.weft.simulator.node.ClusterPlace;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Moves of volumes and drained managers that operators ask for while others work. An operator may
 * die at any step; its request may happen or not.
 */
public final class VolumeMoves {
  private static final long MAX_MILLIS = 60_000;

  private final SimContext setting;
  private final ClusterPlace place;
  private final OperatorView cluster;
  private final RandomGenerator random;

  /** As was acknowledged of managers, unless something else was asked for since. */
  private final SortedMap<Integer, Boolean> drained = new TreeMap<>();

  /** The volumes for which an operator's request has no answer. */
  private final SortedSet<Integer> inDoubt = new TreeSet<>();

  private Operator operator;
  private int done;

  VolumeMoves(OperatorView cluster, SimContext setting, ClusterPlace place) {
    this.cluster = cluster;
    this.setting = setting;
    this.place = place;
    this.random = setting.random("moves");
  }

  /** The one before dies, whatever has become of what was asked. */
  private Operator newOperator() {
    leave();
    operator = new Operator(setting, place, random.nextLong());
    return operator;
  }

  /** How many moves and drains came to their ends while the operator waited. */
  public int done() {
    return done;
  }

  private List<Integer> managers() {
    return cluster.configuration().stream()
        .flatMap(known -> known.managers().keySet().stream())
        .map(ManagerId::value)
        .toList();
  }

  /** An operator asks that a volume moves, mostly to where it is not. */
  public CompletableFuture<Void> move(String path, int manager) {
    setting.trace().note("operator", () -> "moves " + path + " to manager-" + manager);
    return newOperator().moveVolume(path, manager).thenRun(() -> done++);
  }

  /** An operator orders that a volume whose managers have lost their disks is recovered. */
  public CompletableFuture<Void> recover(String path) {
    setting.trace().note("operator", () -> "orders that " + path + " is recovered");
    return newOperator().recoverVolume(path);
  }

  /** An operator asks that a manager is drained, or has volumes again. */
  public CompletableFuture<Void> drain(int manager, boolean undrain) {
    setting
        .trace()
        .note("operator", () -> (undrain ? "undrains" : "drains") + " manager-" + manager);
    Operator asking = newOperator();
    drained.remove(manager);
    boolean isFirst = inDoubt.add(manager);
    return asking
        .drain(manager, undrain)
        .thenRun(
            () -> {
              done++;
              // What another operator asked for, dead by now, may come late.
              if (isFirst) {
                inDoubt.remove(manager);
                drained.put(manager, !undrain);
              }
            });
  }

  /** What was acknowledged and is not so. Sentences. */
  List<String> lost(Configuration known) {
    SortedSet<ManagerId> draining = known.history().placement().draining();
    List<String> lost = new ArrayList<>();
    drained.forEach(
        (manager, is) -> {
          if (draining.contains(new ManagerId(manager)) != is) {
            lost.add("manager-" + manager + " was " + (is ? "drained" : "undrained"));
          }
        });
    return lost;
  }

  /** An operator asks for something. */
  public void any(String path) {
    List<Integer> managers = managers();
    if (managers.isEmpty()) {
      return;
    }
    int manager = managers.get(random.nextInt(managers.size()));
    var unused =
        switch (random.nextInt(6)) {
          case 0 -> drain(manager, false);
          case 1, 2 -> drain(manager, true);
          default -> move(path, manager);
        };
  }

  /** In a world where all is well again: no manager is drained. */
  public void undrainAll() {
    leave();
    for (int manager : managers()) {
      CompletableFuture<Void> undrained = drain(manager, true);
      cluster.await("manager-" + manager + " has volumes again", MAX_MILLIS, undrained::isDone);
      if (undrained.isCompletedExceptionally()) {
        throw new Violation("manager-" + manager + " stays drained although all is well again");
      }
    }
    leave();
  }

  /** The manager that the volume's row names. */
  public Optional<Integer> primary(long volume) {
    return cluster.configuration().stream()
        .flatMap(known -> known.volumes().values().stream())
        .filter(row -> row.id().value() == volume)
        .findFirst()
        .flatMap(row -> row.owner().map(ManagerId::value));
  }

  private void leave() {
    if (operator != null) {
      operator.leave();
      operator = null;
    }
  }
}
