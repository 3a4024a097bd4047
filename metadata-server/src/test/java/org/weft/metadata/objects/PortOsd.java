package org.weft.metadata.objects;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.metadata.objects.CopyWrite.RemoveCopy;
import org.weft.metadata.objects.CopyWrite.WriteAttributes;
import org.weft.metadata.objects.CopyWrite.WriteBlocks;
import org.weft.metadata.objects.OsdPort.CheckpointState;
import org.weft.metadata.objects.OsdPort.StoredAttributes;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * The metadata of one OSD, as an {@link OsdPort} shows it, written as P 6.3 says: what is newer
 * stays. Each round makes it forget the tombstones of those before, as a create floor that nothing
 * holds back does (P 6.6). A crash of the process loses nothing, a loss of power everything since
 * the last checkpoint; both begin a new incarnation.
 */
public final class PortOsd {
  public static final class Stored {
    public StoredAttributes attributes;
    public final SortedMap<Integer, byte[]> blocks = new TreeMap<>();

    Stored copy() {
      Stored copy = new Stored();
      copy.attributes = attributes;
      copy.blocks.putAll(blocks);
      return copy;
    }
  }

  public final OsdId id;
  public SortedMap<ObjectId, Stored> objects = new TreeMap<>();
  SortedMap<ObjectId, Lsn> tombstones = new TreeMap<>();
  private final Set<ObjectId> everRemoved = new HashSet<>();
  private long life;
  private long purgeRound;
  private SortedMap<ObjectId, Stored> durableObjects = new TreeMap<>();
  private SortedMap<ObjectId, Lsn> durableTombstones = new TreeMap<>();
  private long durableCheckpoint;
  private boolean dirty;
  public long incarnation = 1;
  public Predicate<CopyWrite> busy = write -> false;
  public boolean running = true;
  public boolean reachable = true;
  public boolean down;
  public boolean rotten;
  public boolean failed;

  PortOsd(OsdId id) {
    this.id = id;
  }

  boolean answers() {
    return running && reachable;
  }

  StoredAttributes attributes(ObjectId object) throws WeftException {
    Stored stored = objects.get(object);
    if (stored == null || stored.attributes == null) {
      throw new WeftException(ErrorCode.NO_SUCH_OBJECT, "OSD " + id + " has no " + object);
    }
    return stored.attributes;
  }

  boolean hasAttributes(ObjectId object) {
    Stored stored = objects.get(object);
    return stored != null && stored.attributes != null;
  }

  SortedMap<Integer, byte[]> blocks(ObjectId directory, List<Integer> numbers)
      throws WeftException {
    Stored stored = objects.get(directory);
    if (stored == null) {
      throw new WeftException(ErrorCode.NO_SUCH_OBJECT, "OSD " + id + " has no " + directory);
    }
    if (rotten) {
      throw new WeftException(ErrorCode.BAD_CHECKSUM, "OSD " + id + " holds damaged blocks");
    }
    SortedMap<Integer, byte[]> found = new TreeMap<>();
    for (int number : numbers) {
      if (stored.blocks.containsKey(number)) {
        found.put(number, stored.blocks.get(number));
      }
    }
    return found;
  }

  /**
   * @param managersLife grows with each manager: rounds of different ones have nothing in common
   */
  public List<CopyOutcome> apply(List<CopyWrite> writes, long managersLife, FlushStamp stamp) {
    if (managersLife > life) {
      life = managersLife;
      purgeRound = 0;
    }
    if (stamp.round() > purgeRound && !tombstones.isEmpty()) {
      purgeRound = stamp.round();
      tombstones.clear();
    }
    List<CopyOutcome> outcomes = new ArrayList<>();
    for (CopyWrite write : writes) {
      if (write instanceof RemoveCopy remove) {
        objects.remove(remove.object());
        everRemoved.add(remove.object());
        tombstones.merge(remove.object(), remove.lsn(), (a, b) -> a.compareTo(b) > 0 ? a : b);
      } else if (busy.test(write)) {
        outcomes.add(CopyOutcome.refused(new WeftException(ErrorCode.BUSY, "too many grants")));
        continue;
      } else if (tombstones.containsKey(write.object())) {
        outcomes.add(CopyOutcome.refused(new WeftException(ErrorCode.TOMBSTONE, "removed")));
        continue;
      } else if (!objects.containsKey(write.object()) && stamp.round() < purgeRound) {
        outcomes.add(CopyOutcome.refused(new WeftException(ErrorCode.BUSY, "an earlier round")));
        continue;
      } else {
        if (!objects.containsKey(write.object()) && everRemoved.contains(write.object())) {
          throw new AssertionError("OSD " + id + " makes " + write.object() + " again");
        }
        store(objects.computeIfAbsent(write.object(), object -> new Stored()), write);
      }
      dirty = true;
      outcomes.add(CopyOutcome.taken(durableCheckpoint + 1));
    }
    return outcomes;
  }

  private static void store(Stored stored, CopyWrite write) {
    if (write instanceof WriteAttributes attributes) {
      if (stored.attributes == null || attributes.lsn().compareTo(stored.attributes.lsn()) > 0) {
        stored.attributes = new StoredAttributes(attributes.attributes(), attributes.lsn());
      }
    } else if (write instanceof WriteBlocks blocks) {
      blocks
          .blocks()
          .forEach(
              (number, block) -> {
                byte[] old = stored.blocks.get(number);
                if (old == null
                    || DirectoryBlock.lsnOf(block).compareTo(DirectoryBlock.lsnOf(old)) > 0) {
                  stored.blocks.put(number, block);
                }
              });
    }
  }

  public void checkpoint() {
    if (dirty) {
      dirty = false;
      durableCheckpoint++;
      durableObjects = copyOf(objects);
      durableTombstones = new TreeMap<>(tombstones);
    }
  }

  public CheckpointState status() {
    return new CheckpointState(incarnation, durableCheckpoint);
  }

  public void crash() {
    running = false;
    incarnation++;
  }

  public void losePower() {
    crash();
    objects = copyOf(durableObjects);
    tombstones = new TreeMap<>(durableTombstones);
    everRemoved.clear();
    everRemoved.addAll(tombstones.keySet());
  }

  private static SortedMap<ObjectId, Stored> copyOf(SortedMap<ObjectId, Stored> objects) {
    SortedMap<ObjectId, Stored> copy = new TreeMap<>();
    objects.forEach((object, stored) -> copy.put(object, stored.copy()));
    return copy;
  }
}
