package org.weft.metadata.volume.state;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.check.CheckedVolume.TreeUsage;
import org.weft.metadata.check.LiveNode;
import org.weft.metadata.quota.QuotaTable;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.quota.QuotaUsage;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/** Reads the live state of single objects, for the check of the volume (P 6.8d). */
public final class LiveNodes {
  private final VolumeState state;

  public LiveNodes(VolumeState state) {
    this.state = state;
  }

  /** The present state. */
  public LiveNode of(ObjectId object) {
    SortedSet<OsdId> beingMade = new TreeSet<>();
    state.rebuilds().find(object).ifPresent(rebuild -> beingMade.add(rebuild.target()));
    boolean busy =
        state.grants().find(object).isPresent()
            || state.unsettled().isUnsettled(object)
            || !state.unsettled().of(object).isEmpty()
            || state.lengths().isUnheard(object)
            || state.damaged().containsKey(object);
    return new LiveNode(
        state.cache().isBeingRemoved(object),
        state.grants().isOrphan(object),
        busy,
        state.damaged().containsKey(object),
        state.grants().openings(object),
        state.cache().laggingOn(object),
        beingMade);
  }

  /** As {@link org.weft.metadata.check.CheckedVolume#trees}. */
  public Map<ObjectId, TreeUsage> trees() {
    QuotaTable table = state.quotas().table();
    Map<ObjectId, TreeUsage> trees = new HashMap<>();
    for (QuotaTree tree : table.trees().values()) {
      QuotaUsage usage = table.usage(tree.directory());
      trees.put(
          tree.directory(),
          new TreeUsage(
              tree.parent(),
              tree.path(),
              tree.counted(),
              usage.bytes(),
              usage.files(),
              table.lastChange(tree.directory())));
    }
    return trees;
  }

  /** Counts write grants on the object from now on. */
  public void watch(ObjectId object) {
    state.grants().watchOpenings(object);
  }

  /** Counts them no more. */
  public void unwatch(ObjectId object) {
    state.grants().unwatchOpenings(object);
  }
}
