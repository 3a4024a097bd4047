package org.weft.testkit.osd;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.ComponentTag;

/** The objects of one OSD, and the rights to touch them. Single-threaded; does no IO. */
final class FakeOsdStore {
  private final OsdId id;
  private final byte[] workingKey;
  private final TreeMap<ObjectName, FakeObject> objects = new TreeMap<>();
  private final TreeMap<ObjectName, Long> tombstones = new TreeMap<>();
  private final TreeSet<ObjectName> spoilt = new TreeSet<>();
  private long createFloor;
  private final TreeMap<Long, Long> fences = new TreeMap<>();
  private long executedWrites;
  private long changes;

  FakeOsdStore(OsdId id, byte[] workingKey) {
    this.id = id;
    this.workingKey = workingKey;
  }

  /** A change of one object; what it throws leaves the object as it was. */
  @FunctionalInterface
  interface Change<T> {
    T apply(FakeObject object) throws WeftException;
  }

  byte[] workingKey() {
    return workingKey;
  }

  SortedMap<ObjectName, FakeObject> objects() {
    return objects;
  }

  /** How many writes changed something. */
  long executedWrites() {
    return executedWrites;
  }

  void countWrite() {
    executedWrites++;
  }

  /** Changes an object that is there. */
  <T> T change(ObjectName name, Change<T> change) throws WeftException {
    FakeObject copy = new FakeObject(there(name));
    T result = change.apply(copy);
    copy.state(++changes);
    objects.put(name, copy);
    return result;
  }

  /** No smaller grant makes objects any more. */
  void createFloor(long floor) {
    createFloor = Long.compareUnsigned(floor, createFloor) > 0 ? floor : createFloor;
  }

  /** Changes an object, or makes it if it is absent. */
  <T> T changeOrCreate(ObjectName name, ComponentTag tag, long grant, Change<T> change)
      throws WeftException {
    FakeObject object = objects.get(name);
    if (object == null) {
      long tombstone = tombstones.getOrDefault(name, 0L);
      if (Long.compareUnsigned(grant, tombstone) < 0) {
        throw new WeftException(ErrorCode.TOMBSTONE, name + " has been removed");
      }
      if (Long.compareUnsigned(grant, createFloor) < 0) {
        throw new WeftException(ErrorCode.TOMBSTONE, name + " is not made by so old a grant");
      }
      object = new FakeObject(tag);
    } else {
      object = new FakeObject(object);
    }
    T result = change.apply(object);
    object.state(++changes);
    objects.put(name, object);
    return result;
  }

  /** True if there was one. */
  boolean remove(ObjectName name, long lsn) {
    tombstones.merge(name, lsn, (a, b) -> Long.compareUnsigned(a, b) > 0 ? a : b);
    return objects.remove(name) != null;
  }

  /** The epoch in force. */
  long fence(long partition, long epoch) {
    return fences.merge(partition, epoch, Math::max);
  }

  /** Nothing of the object can be read any more. */
  void spoil(ObjectName name) {
    spoilt.add(name);
  }

  /** The object, which this capability may touch. */
  FakeObject existing(Capability capability, ObjectName name, Right... rights)
      throws WeftException {
    require(capability, name, rights);
    if (spoilt.contains(name)) {
      throw new WeftException(ErrorCode.BAD_MEDIA, "the tables do not give object " + name);
    }
    FakeObject object = there(name);
    requireVersion(capability, name);
    return object;
  }

  private FakeObject there(ObjectName name) throws WeftException {
    return Optional.ofNullable(objects.get(name)).orElseThrow(() -> absent(name));
  }

  static ObjectName name(Capability capability, long objectId) {
    return ObjectName.of(capability.object().partition().value(), objectId);
  }

  /** Rights, of which one is enough, and the partition's fence for managers. */
  void require(Capability capability, ObjectName name, Right... rights) throws WeftException {
    if (!capability.covers(name) || !capability.allowsAny(rights)) {
      throw new WeftException(
          ErrorCode.CAPABILITY_INVALID,
          "the capability does not allow " + Arrays.toString(rights) + " on " + name);
    }
    boolean copies = capability.allows(Right.COPY) && !capability.allows(Right.MANAGE);
    boolean reads = capability.allows(Right.READ) && List.of(rights).contains(Right.READ);
    if (copies && !reads && capability.targetOsd() != id.value()) {
      throw new WeftException(
          ErrorCode.CAPABILITY_INVALID, "the capability is to copy to another OSD than " + id);
    }
    long fence = fences.getOrDefault(name.partition().value(), 0L);
    if (capability.isOfAnEpoch() && capability.epoch() < fence) {
      throw new WeftException(ErrorCode.FENCED, "epoch " + capability.epoch() + " is over");
    }
  }

  /**
   * A client's grant, or a manager's attempt to resolve, is not below the object's version, if
   * there is an object.
   */
  void requireVersion(Capability capability, ObjectName name) throws WeftException {
    FakeObject object = objects.get(name);
    boolean isBound =
        !capability.isOfAnEpoch()
            || capability.object().object().value() != Capability.WHOLE_PARTITION;
    if (object != null
        && isBound
        && Long.compareUnsigned(capability.grant(), object.version()) < 0) {
      throw new WeftException(
          ErrorCode.FENCED, "grant " + new Lsn(capability.grant()) + " has been revoked");
    }
  }

  static WeftException absent(ObjectName name) {
    return new WeftException(ErrorCode.NO_SUCH_OBJECT, "there is no object " + name + " here");
  }
}
