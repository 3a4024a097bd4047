package org.weft.metadata.grant;

import com.google.protobuf.ByteString;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.InitialAttributesSignature;
import org.weft.protocol.capability.Right;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;

/**
 * Makes and signs the capabilities of one volume (P 5.7). Pure and immutable; the wall clock is
 * handed in and only decides the expiry, on which no safety rests.
 */
public final class CapabilityMint {
  /** Long, because no request renews a capability: what ends one is the object's version. */
  public static final long LIFE_MILLIS = 7L * 24 * 60 * 60 * 1_000;

  /**
   * Life of a right to copy. It is far longer than a renewal takes, and than clocks of OSDs differ.
   */
  public static final long COPIERS_LIFE_MILLIS = 15L * 60 * 1_000;

  /** Those of a manager, and nothing that others are given in their place. */
  private static final int MANAGERS =
      Right.bits(Right.READ, Right.WRITE, Right.CREATE, Right.READ_ATTRIBUTES, Right.MANAGE);

  private static final long NEVER_MILLIS = Long.MAX_VALUE;

  private final PartitionId partition;
  private final WorkingKeys keys;

  public CapabilityMint(PartitionId partition, WorkingKeys keys) {
    this.partition = partition;
    this.keys = keys;
  }

  /** The right to create, write and read one object under a write grant that shuts others out. */
  public SignedCapability writer(
      ObjectId object, Lsn grant, int mapGeneration, SessionId client, long nowMillis) {
    return writer(object, grant, grant, mapGeneration, client, nowMillis);
  }

  /**
   * As the other one, beside other grants.
   *
   * @param floor the smallest of those that are written under
   */
  public SignedCapability writer(
      ObjectId object, Lsn grant, Lsn floor, int mapGeneration, SessionId client, long nowMillis) {
    int rights = Right.bits(Right.READ, Right.WRITE, Right.CREATE, Right.READ_ATTRIBUTES);
    return sign(
        object, rights, grant, floor, mapGeneration, client.value(), nowMillis + LIFE_MILLIS);
  }

  /**
   * The right to read one object. Its grant is the last LSN of the volume, which no version of the
   * object can exceed before it is raised again.
   */
  public SignedCapability reader(
      ObjectId object, Lsn lastLsn, int mapGeneration, SessionId client, long nowMillis) {
    int rights = Right.bits(Right.READ, Right.READ_ATTRIBUTES);
    return sign(
        object, rights, lastLsn, Lsn.ZERO, mapGeneration, client.value(), nowMillis + LIFE_MILLIS);
  }

  /**
   * The manager's own right to everything in the partition, as of an epoch (P 6.2). Fences end it,
   * and no clock does: an OSD whose clock is wrong must not refuse its manager.
   */
  public SignedCapability manager(long epoch) {
    return sign(
        new ObjectId(Capability.WHOLE_PARTITION),
        MANAGERS,
        Lsn.of(epoch, 0),
        Lsn.ZERO,
        0,
        0,
        NEVER_MILLIS);
  }

  /**
   * The right to look at everything in the partition, as of an epoch, of a check that serves no
   * clients (P 6.8d). It allows to list objects, and to read bytes and attributes, in quarantine
   * too. OSDs refuse all else, and fences end it. An OSD of a release before this right refuses to
   * list.
   */
  public SignedCapability looker(long epoch) {
    int rights = Right.bits(Right.READ, Right.READ_ATTRIBUTES, Right.LOOK);
    return sign(
        new ObjectId(Capability.WHOLE_PARTITION),
        rights,
        Lsn.of(epoch, 0),
        Lsn.ZERO,
        0,
        0,
        NEVER_MILLIS);
  }

  /**
   * The manager's right to everything on one object under a number of its own, which no tombstone
   * and no version refuses. It ends as {@link #manager} does.
   */
  public SignedCapability resolver(ObjectId object, Lsn number) {
    return sign(object, MANAGERS, number, Lsn.ZERO, 0, 0, NEVER_MILLIS);
  }

  /**
   * The right of another manager to write one component of an object anew, under a number of this
   * manager (P 6.8). It allows to read the object everywhere. It allows to make, shut, write and
   * flush it under that number and on that OSD alone. It ends as {@link #resolver} does, and by the
   * OSDs' clocks.
   *
   * @param start incarnation of the target that alone is meant
   */
  public SignedCapability copier(
      ObjectId object, Lsn number, OsdId target, long start, long nowMillis) {
    Capability capability =
        unsigned(
            object,
            Right.bits(Right.READ, Right.COPY),
            number,
            Lsn.ZERO,
            0,
            0,
            nowMillis + COPIERS_LIFE_MILLIS);
    return SignedCapability.sign(capability.withTarget(target.value(), start), keys.key());
  }

  /**
   * As {@link #resolver}, for changes that the manager makes in the place of a writer. The first of
   * these changes on each component shuts out smaller numbers, as a writer's does (P 5.7).
   */
  public SignedCapability cutter(ObjectId object, Lsn number) {
    return sign(object, MANAGERS, number, number, 0, 0, NEVER_MILLIS);
  }

  /** Signs an attribute page that the first write to an object may store (P 6.6). */
  public ByteString initialAttributes(ObjectId object, int page, Lsn lsn, ByteString value) {
    return ByteString.copyFrom(
        InitialAttributesSignature.sign(
            keys.key(),
            new ObjectName(partition, object),
            page,
            lsn.value(),
            value.asReadOnlyByteBuffer()));
  }

  private SignedCapability sign(
      ObjectId object,
      int rights,
      Lsn grant,
      Lsn floor,
      int mapGeneration,
      long clientId,
      long expiryMillis) {
    return SignedCapability.sign(
        unsigned(object, rights, grant, floor, mapGeneration, clientId, expiryMillis), keys.key());
  }

  private Capability unsigned(
      ObjectId object,
      int rights,
      Lsn grant,
      Lsn floor,
      int mapGeneration,
      long clientId,
      long expiryMillis) {
    return new Capability(
        new ObjectName(partition, object),
        rights,
        keys.version(),
        grant.value(),
        floor.value(),
        Long.MAX_VALUE,
        expiryMillis,
        clientId,
        mapGeneration,
        0);
  }
}
