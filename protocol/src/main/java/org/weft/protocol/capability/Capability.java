package org.weft.protocol.capability;

import java.nio.ByteBuffer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;

/**
 * The right of one client to touch one object, or a whole partition, on every OSD that holds it (P
 * 5.7). Its secret is HMAC-SHA256(partition working key, encoded capability); the holder of the
 * secret signs requests with it. Encoded in 96 bytes, big-endian:
 *
 * <pre>
 *  0 version u16 = 1 | rights u16 | keyVersion u32
 *  8 partitionId u64          16 objectId u64 (0: every object)
 * 24 grant u64                32 floor u64
 * 40 byteLimit u64            48 expiryMillis u64
 * 56 clientId u64             64 mapGeneration u32 | snapshotNumber u32
 * 72 targetOsd u32 | reserved, zero (4 bytes)
 * 80 targetStart u64          88 reserved, zero (8 bytes)
 * </pre>
 *
 * @param grant refused where smaller than the object's version; a manager's has its epoch on top
 * @param floor the lowest live grant on the file: a write raises the object's version to it
 * @param byteLimit no write may reach beyond this offset of a component
 * @param expiryMillis wall clock; hygiene only, safety never rests on it
 * @param targetOsd of a right to copy: the one OSD on which the component may be made and written;
 *     0 in all others
 * @param targetStart incarnation of that OSD which alone is meant; 0: any
 */
public record Capability(
    ObjectName object,
    int rights,
    int keyVersion,
    long grant,
    long floor,
    long byteLimit,
    long expiryMillis,
    long clientId,
    int mapGeneration,
    int snapshotNumber,
    int targetOsd,
    long targetStart) {
  public static final int ENCODED_BYTES = 96;

  private static final short VERSION = 1;
  private static final int TARGET_OSD_AT = 72;
  private static final int TARGET_START_AT = 80;

  /** The object id that stands for the whole partition. */
  public static final long WHOLE_PARTITION = 0;

  /** One that is the same to all OSDs. */
  public Capability(
      ObjectName object,
      int rights,
      int keyVersion,
      long grant,
      long floor,
      long byteLimit,
      long expiryMillis,
      long clientId,
      int mapGeneration,
      int snapshotNumber) {
    this(
        object,
        rights,
        keyVersion,
        grant,
        floor,
        byteLimit,
        expiryMillis,
        clientId,
        mapGeneration,
        snapshotNumber,
        0,
        0);
  }

  /** The same with a target. */
  public Capability withTarget(int osd, long start) {
    return new Capability(
        object,
        rights,
        keyVersion,
        grant,
        floor,
        byteLimit,
        expiryMillis,
        clientId,
        mapGeneration,
        snapshotNumber,
        osd,
        start);
  }

  public boolean allows(Right right) {
    return (rights & right.bit()) != 0;
  }

  public boolean allowsAny(Right... some) {
    return (rights & Right.bits(some)) != 0;
  }

  /**
   * True for a capability of a manager, or of a process that acts for one. The fence of its epoch
   * ends it, and no version of an object does.
   */
  public boolean isOfAnEpoch() {
    return allowsAny(Right.MANAGE, Right.LOOK, Right.COPY);
  }

  /** True if it names this object, or the object's whole partition. */
  public boolean covers(ObjectName name) {
    return object.partition().equals(name.partition())
        && (object.object().value() == WHOLE_PARTITION || object.object().equals(name.object()));
  }

  /** A manager's epoch: the high bits of its grant number. */
  public long epoch() {
    return grant >>> 40;
  }

  public byte[] encode() {
    return ByteBuffer.allocate(ENCODED_BYTES)
        .putShort(VERSION)
        .putShort((short) rights)
        .putInt(keyVersion)
        .putLong(object.partition().value())
        .putLong(object.object().value())
        .putLong(grant)
        .putLong(floor)
        .putLong(byteLimit)
        .putLong(expiryMillis)
        .putLong(clientId)
        .putInt(mapGeneration)
        .putInt(snapshotNumber)
        .putInt(targetOsd)
        .putInt(0)
        .putLong(targetStart)
        .array();
  }

  /** Reads an encoded capability; says nothing of whether it is genuine. */
  public static Capability decode(ByteBuffer encoded) throws WeftException {
    if (encoded.remaining() != ENCODED_BYTES) {
      throw new WeftException(
          ErrorCode.CAPABILITY_INVALID,
          "a capability has " + ENCODED_BYTES + " bytes, got " + encoded.remaining());
    }
    ByteBuffer in = encoded.duplicate();
    short version = in.getShort();
    if (version != VERSION) {
      throw new WeftException(
          ErrorCode.CAPABILITY_INVALID, "capability version " + version + " is not known here");
    }
    int rights = in.getShort() & 0xffff;
    int keyVersion = in.getInt();
    ObjectName object = ObjectName.of(in.getLong(), in.getLong());
    int targetOsd = encoded.getInt(encoded.position() + TARGET_OSD_AT);
    long targetStart = encoded.getLong(encoded.position() + TARGET_START_AT);
    return new Capability(
        object,
        rights,
        keyVersion,
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getInt(),
        in.getInt(),
        targetOsd,
        targetStart);
  }
}
