package org.weft.simulator.end;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.PendingWrite;
import org.weft.osd.store.value.AttributeValue;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.workload.Safety;
import org.weft.simulator.world.World;

/**
 * The objects of all OSDs beside the names. Objects without a name go away, and copies of
 * directories and attributes become alike (P 4.4, 6.3, 6.6). Managers may take their time for both.
 */
final class RawObjects {
  /** The volume of "/". */
  static final PartitionId ROOT_VOLUME = new PartitionId(1);

  /** What every volume begins with. */
  static final long ROOT_DIRECTORY = 1;

  private static final int MAX_OBJECTS = 10_000;
  private static final int MAX_DIRECTORY_BYTES = 8 << 20;

  /** Where a directory's first block says how many blocks are in use. */
  private static final int NEXT_BLOCK = 40;

  private final World world;
  private final RawComponents components;
  private final Safety safety;
  private final PartitionId volume;
  private String difference = "";

  RawObjects(World world, RawComponents components, Safety safety, PartitionId volume) {
    this.world = world;
    this.safety = safety;
    this.components = components;
    this.volume = volume;
  }

  /** What was wrong at the last look. */
  String difference() {
    return difference;
  }

  private boolean differs(String what) {
    difference = what;
    return false;
  }

  /** Nothing is stored that no name leads to. */
  boolean areAllNamed(List<Long> named) {
    SortedSet<Long> known = new TreeSet<>(named);
    for (SimulatedOsd node : world.osds()) {
      if (!node.isRunning()) {
        continue;
      }
      try {
        for (ObjectId object : objects(node, volume)) {
          if (!known.contains(object.value())) {
            return differs(node.name() + " has object " + object + ", which no name leads to");
          }
        }
      } catch (WeftException e) {
        return differs(node.name() + ": " + e.code() + " " + e.getMessage());
      }
    }
    return true;
  }

  /** No OSD has anything of a file that has it elsewhere (P 5.8, 6.8). */
  boolean areWhereMapsSay(Map<Long, StorageMap> maps) {
    for (SimulatedOsd node : world.osds()) {
      if (!node.isRunning()) {
        continue;
      }
      OsdId osd = new OsdId(node.osdId());
      try {
        for (ObjectId object : objects(node, volume)) {
          StorageMap map = maps.get(object.value());
          boolean named =
              map == null
                  || map.attributeOsds().contains(osd)
                  || !map.presentOn(Set.of(osd)).isEmpty();
          if (!named) {
            return differs(node.name() + " has object " + object + ", which is at " + map);
          }
        }
      } catch (WeftException e) {
        return differs(node.name() + ": " + e.code() + " " + e.getMessage());
      }
    }
    return true;
  }

  static List<ObjectId> objects(SimulatedOsd node, PartitionId volume) throws WeftException {
    ObjectStore store = node.store();
    try {
      return store
          .list(volume, RawComponents.authority(store, volume), new ObjectId(0), MAX_OBJECTS)
          .objects();
    } catch (WeftException e) {
      if (e.code() == ErrorCode.NO_SUCH_PARTITION) {
        return List.of();
      }
      throw e;
    }
  }

  /** No object remembers a write that may be under way (P 5.4). */
  boolean areAllComplete(List<Long> named) {
    SortedSet<Long> known = new TreeSet<>(named);
    for (SimulatedOsd node : world.osds()) {
      if (!node.isRunning()) {
        continue;
      }
      try {
        ObjectStore store = node.store();
        for (ObjectId object : objects(node, volume)) {
          if (!known.contains(object.value())) {
            continue;
          }
          List<PendingWrite> pending =
              store
                  .listPending(
                      new ObjectName(volume, object), RawComponents.authority(store, volume))
                  .writes();
          if (!pending.isEmpty()) {
            return differs(
                node.name()
                    + " has pending writes of object "
                    + object
                    + ": "
                    + pending.get(0)
                    + (pending.size() > 1 ? " and " + (pending.size() - 1) + " more" : ""));
          }
        }
      } catch (WeftException e) {
        return differs(node.name() + ": " + e.code() + " " + e.getMessage());
      }
    }
    return true;
  }

  /** Copies of a directory say the same. */
  boolean areAlike(List<Long> directories) {
    return directories.stream().allMatch(this::isAlike);
  }

  private boolean isAlike(long directory) {
    ObjectName name = new ObjectName(volume, new ObjectId(directory));
    String first = "";
    byte[] expected = null;
    for (SimulatedOsd node : world.osds()) {
      if (!node.isRunning()) {
        continue;
      }
      try {
        Optional<RawComponents.Range> range = components.read(node, name, 0, MAX_DIRECTORY_BYTES);
        if (range.isEmpty()) {
          continue;
        }
        byte[] found = inUse(range.get().bytes());
        BitSet bad = badInUse(range.get(), found.length);
        if (!bad.isEmpty() && !safety.isDamaged(node)) {
          return differs(
              "blocks "
                  + bad
                  + " of directory "
                  + directory
                  + " on "
                  + node.name()
                  + " do not fit their checksums");
        }
        if (bad.isEmpty() && expected == null) {
          expected = found;
          first = node.name();
        } else if (bad.isEmpty()) {
          int differs = mismatch(expected, found);
          if (differs >= 0) {
            return differs(
                "copies of directory "
                    + directory
                    + " on "
                    + first
                    + " and "
                    + node.name()
                    + " differ from byte "
                    + differs
                    + " on");
          }
        }
      } catch (WeftException e) {
        return differs(node.name() + ": " + e.code() + " " + e.getMessage());
      }
    }
    return expected != null || differs("directory " + directory + " is stored nowhere");
  }

  /**
   * Leaves out the blocks that the directory gave up when its last entry went. They are not read,
   * and a copy that was away then need not have them.
   */
  private static byte[] inUse(byte[] directory) {
    if (directory.length < Layout.BLOCK_BYTES) {
      return directory;
    }
    long bytes = (long) ByteBuffer.wrap(directory).getInt(NEXT_BLOCK) * Layout.BLOCK_BYTES;
    return bytes < directory.length ? Arrays.copyOf(directory, (int) bytes) : directory;
  }

  /**
   * The damaged blocks that are in use. A block that the directory gave up may be torn by a power
   * loss, and is not mended. A copy that comes back is only filled up to where the others end.
   * Where the first block is damaged, nothing says which are in use.
   */
  private static BitSet badInUse(RawComponents.Range directory, int bytesInUse) {
    BitSet bad = (BitSet) directory.bad().clone();
    int end = (bytesInUse + Layout.BLOCK_BYTES - 1) / Layout.BLOCK_BYTES;
    if (!bad.get(0) && end < bad.length()) {
      bad.clear(end, bad.length());
    }
    return bad;
  }

  /**
   * How many blocks of each directory are in use by the copy on that OSD; without those whose copy
   * is not there, or says nothing.
   */
  Map<ObjectName, Long> blocksInUse(SimulatedOsd node, List<Long> directories)
      throws WeftException {
    Map<ObjectName, Long> inUse = new HashMap<>();
    for (long directory : directories) {
      ObjectName name = new ObjectName(volume, new ObjectId(directory));
      Optional<RawComponents.Range> header = components.read(node, name, 0, Layout.BLOCK_BYTES);
      if (header.isPresent()
          && header.get().bytes().length == Layout.BLOCK_BYTES
          && header.get().bad().isEmpty()) {
        inUse.put(name, (long) ByteBuffer.wrap(header.get().bytes()).getInt(NEXT_BLOCK));
      }
    }
    return inUse;
  }

  /** The first byte that differs, -1 if none does; behind the end of either there are zeros. */
  private static int mismatch(byte[] one, byte[] other) {
    int length = Math.max(one.length, other.length);
    return Arrays.mismatch(Arrays.copyOf(one, length), Arrays.copyOf(other, length));
  }

  /** Attributes of a node are alike wherever they are kept. */
  boolean haveOneWord(List<Long> nodes) {
    return nodes.stream().allMatch(this::hasOneWord);
  }

  private boolean hasOneWord(long object) {
    ObjectName name = new ObjectName(volume, new ObjectId(object));
    String first = "";
    byte[] expected = null;
    for (SimulatedOsd node : world.osds()) {
      if (!node.isRunning()) {
        continue;
      }
      try {
        ObjectStore store = node.store();
        List<AttributeValue> pages =
            store.attributes(name, RawComponents.authority(store, volume), 0).pages();
        if (pages.isEmpty()) {
          continue;
        }
        byte[] found = pages.get(0).value();
        if (expected == null) {
          expected = found;
          first = node.name();
        } else if (!Arrays.equals(expected, found)) {
          return differs(
              "attributes of object "
                  + object
                  + " on "
                  + first
                  + " and "
                  + node.name()
                  + " differ");
        }
      } catch (WeftException e) {
        if (!e.code().isAbsent()) {
          return differs(node.name() + ": " + e.code() + " " + e.getMessage());
        }
      }
    }
    return expected != null || differs("attributes of object " + object + " are stored nowhere");
  }
}
