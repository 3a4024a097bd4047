package org.weft.simulator.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.simulator.node.SimManager;

/**
 * Which process served which volume in which epoch. At most one served it in each (P 6.2). It looks
 * from time to time, which is enough, since an epoch lasts longer than that.
 */
final class Primaries {
  private static final String SERVING = "serving";

  private record Term(long volume, long epoch) implements Comparable<Term> {
    @Override
    public int compareTo(Term other) {
      int byVolume = Long.compare(volume, other.volume);
      return byVolume != 0 ? byVolume : Long.compare(epoch, other.epoch);
    }
  }

  private final Map<Term, String> terms = new TreeMap<>();
  private final List<String> conflicts = new ArrayList<>();

  void look(List<SimManager> managers) {
    Map<Long, String> now = new TreeMap<>();
    for (SimManager manager : managers) {
      if (manager.isRunning() && !manager.isPaused()) {
        for (VolumeHealth volume : manager.health()) {
          if (volume.getState().equals(SERVING)) {
            serves(manager.name() + " in its life " + manager.life(), volume, now);
          }
        }
      }
    }
  }

  private void serves(String process, VolumeHealth volume, Map<Long, String> now) {
    long id = volume.getVolumeId();
    String inThisEpoch = terms.putIfAbsent(new Term(id, volume.getEpoch()), process);
    if (inThisEpoch != null && !inThisEpoch.equals(process)) {
      conflict("epoch " + volume.getEpoch() + " of volume " + id, inThisEpoch, process);
    }
    String beside = now.put(id, process);
    if (beside != null) {
      conflict("volume " + id, beside, process);
    }
  }

  private void conflict(String what, String one, String other) {
    String conflict = what + " is served by " + one + " and by " + other;
    if (!conflicts.contains(conflict)) {
      conflicts.add(conflict);
    }
  }

  /** Sentences; none if all was well. */
  List<String> conflicts() {
    return conflicts;
  }
}
