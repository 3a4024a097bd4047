package org.weft.simulator.end;

import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreStatus;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.world.World;

/** Finds buffers and blocks of stores that are no longer used and were not given back. */
public final class Leaks {
  private final World world;
  private String difference = "";

  public Leaks(World world) {
    this.world = world;
  }

  /** What was wrong at the last look. */
  public String difference() {
    return difference;
  }

  private boolean differs(String what) {
    difference = what;
    return false;
  }

  /** Receivers of payloads have released them. */
  public boolean areBuffersReleased() {
    int unreleased = world.unreleasedPayloads();
    return unreleased == 0 || differs(unreleased + " payloads of replies are not released");
  }

  /** No block is used but those of objects: none is pinned, or waits for what never comes. */
  boolean areBlocksFreed() {
    for (SimulatedOsd node : world.osds()) {
      if (!node.isRunning()) {
        continue;
      }
      try {
        long used = used(node, RawObjects.ROOT_VOLUME);
        if (!world.homeVolume().equals(RawObjects.ROOT_VOLUME)) {
          used += used(node, world.homeVolume());
        }
        StoreStatus status = node.store().status();
        if (status.usedBytes() != used) {
          return differs(
              node.name() + " uses " + status.usedBytes() + " bytes, its objects " + used);
        }
      } catch (WeftException e) {
        return differs(node.name() + ": " + e.code() + " " + e.getMessage());
      }
    }
    return true;
  }

  private static long used(SimulatedOsd node, PartitionId volume) throws WeftException {
    ObjectStore store = node.store();
    Authority authority = RawComponents.authority(store, volume);
    long used = 0;
    for (ObjectId object : RawObjects.objects(node, volume)) {
      used += store.attributes(new ObjectName(volume, object), authority).usedBytes();
    }
    return used;
  }
}
