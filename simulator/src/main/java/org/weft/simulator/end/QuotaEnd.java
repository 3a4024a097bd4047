package org.weft.simulator.end;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.client.WeftQuota;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.workload.Histories;
import org.weft.simulator.workload.WorldWait;
import org.weft.simulator.world.World;

/**
 * Checks quotas once everything runs again (P 6.6a). Every tree holds what its usage says, and
 * nothing is promised to any client.
 */
final class QuotaEnd {
  private static final int TRIES = 120;
  private static final long PAUSE_MILLIS = 1_000;

  private final World world;
  private final Histories histories;
  private final ClientNode client;
  private final WorldWait patience;
  private final WeftPath home;
  private final boolean linking;

  /**
   * @param linking files may have had several names: then one counts where it did first
   */
  QuotaEnd(
      World world, Histories histories, ClientNode client, WorldWait patience, boolean linking) {
    this.linking = linking;
    this.world = world;
    this.histories = histories;
    this.client = client;
    this.patience = patience;
    this.home = world.homePath().isEmpty() ? WeftPath.ROOT : WeftPath.of(world.homePath());
  }

  /** No limits any more, so that the last look may do what it likes; all is counted further on. */
  void clear() {
    try {
      requireNothingPromised();
      for (WeftQuota quota : patience.await(client.files().quotas(home)).quotas()) {
        if (quota.path().equals(home)
            && quota.usedBytes() + quota.reservedBytes() > quota.limits().hardBytes()) {
          histories.found("a hard limit was exceeded", quota.toString());
        }
        patience.await(client.files().setQuota(quota.path(), WeftQuota.Limits.NONE));
      }
    } catch (WeftException e) {
      failed(e);
    }
  }

  /**
   * No client writes any more; a client that opens a file now would end what was promised for it.
   */
  private void requireNothingPromised() throws WeftException {
    List<WeftQuota> promised = List.of();
    for (int tries = 0; tries < TRIES; tries++) {
      promised =
          patience.await(client.files().quotas(home)).quotas().stream()
              .filter(quota -> quota.reservedBytes() != 0)
              .toList();
      if (promised.isEmpty()) {
        return;
      }
      world.pass(PAUSE_MILLIS);
    }
    histories.found("bytes are promised to writers that are gone", promised.toString());
  }

  private void failed(WeftException failure) {
    histories.found(
        "not to be had although all is well again",
        "quotas: " + failure.code() + " " + failure.getMessage());
  }

  /**
   * @param lossy files may be unreadable, and directories lost
   */
  void check(LastLook look, boolean lossy) {
    if (lossy) {
      return;
    }
    String difference = "";
    for (int tries = 0; tries < TRIES; tries++) {
      try {
        difference = difference(look);
      } catch (WeftException e) {
        failed(e);
        return;
      }
      if (difference.isEmpty()) {
        return;
      }
      world.pass(PAUSE_MILLIS);
    }
    histories.found("the usage of a tree is not what it holds", difference);
  }

  private String difference(LastLook look) throws WeftException {
    Map<WeftPath, WeftQuota> trees = new TreeMap<>(Comparator.comparing(WeftPath::toString));
    Map<String, Long> sums = new TreeMap<>();
    List<FileStatus> directories = new ArrayList<>(look.directoryStatuses());
    directories.add(patience.await(client.files().attributes(home)));
    TreeSet<String> roots = new TreeSet<>();
    Map<String, List<WeftQuota>> over = new TreeMap<>();
    for (FileStatus directory : directories) {
      WeftQuota.Over found = patience.await(client.files().quotasOver(directory.path()));
      over.put(directory.path().toString(), found.quotas());
      if (found.own()) {
        roots.add(directory.path().toString());
      }
    }
    if (!roots.contains(home.toString())) {
      return "the volume itself is not counted";
    }
    Set<Long> seen = new TreeSet<>();
    for (FileStatus file : look.fileStatuses()) {
      List<WeftQuota> quotas = patience.await(client.files().quotasOver(file.path())).quotas();
      if (!linking) {
        over.put(file.path().toString(), quotas);
      }
      if (seen.add(file.objectId())) {
        quotas.forEach(quota -> sums.merge(quota.path().toString(), file.sizeBytes(), Long::sum));
      }
    }
    for (Map.Entry<String, List<WeftQuota>> each : over.entrySet()) {
      each.getValue().forEach(quota -> trees.put(quota.path(), quota));
      List<String> found = each.getValue().stream().map(quota -> quota.path().toString()).toList();
      List<String> expected = roots.stream().filter(root -> isWithin(each.getKey(), root)).toList();
      if (!found.equals(expected)) {
        return each.getKey() + " counts in " + found + ", and lies in " + expected;
      }
    }
    for (WeftQuota quota : trees.values()) {
      long sum = sums.getOrDefault(quota.path().toString(), 0L);
      if (quota.counting() || quota.reservedBytes() != 0 || quota.usedBytes() != sum) {
        return quota + " is to hold " + sum + " bytes, all counted, none promised";
      }
    }
    return "";
  }

  private static boolean isWithin(String path, String root) {
    return path.equals(root) || path.startsWith(root.equals("/") ? root : root + "/");
  }
}
