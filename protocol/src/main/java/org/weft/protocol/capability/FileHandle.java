package org.weft.protocol.capability;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;

/**
 * A node of a volume, named to a client that came to it along a path and might search each
 * directory on the way. The holder of the handle reaches the node, whatever happens to its names
 * and to the directories above it. The node's own permissions hold as always. It is no secret
 * between users that trust each other, may be stored, and is good for as long as the node exists.
 * Object ids are never used again, so that it never means another node. A node has one handle:
 * equal bytes, equal node.
 *
 * <p>Encoded in 32 bytes, big-endian:
 *
 * <pre>
 *  0 version u8 = 1 | reserved u8, zero | number of the key u16
 *  4 volume id u64          12 object id u64
 * 20 MAC, 12 bytes: the first of HMAC-SHA256(the volume's handle key, "weft-handle", bytes 0 to 19)
 * </pre>
 *
 * @param keyNumber which of the volume's keys it was signed with
 * @param mac says that the volume's manager made it; only the manager can tell
 */
public record FileHandle(PartitionId volume, ObjectId object, int keyNumber, ByteString mac) {
  public static final int BYTES = 32;
  public static final int MAC_BYTES = 12;

  private static final byte VERSION = 1;
  private static final int SIGNED_BYTES = BYTES - MAC_BYTES;

  public FileHandle {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(object, "object");
    if (mac.size() != MAC_BYTES) {
      throw new IllegalArgumentException(
          "a handle's MAC has " + MAC_BYTES + " bytes, got " + mac.size());
    }
  }

  /** What the MAC covers. */
  public static byte[] signedPart(PartitionId volume, ObjectId object, int keyNumber) {
    return ByteBuffer.allocate(SIGNED_BYTES)
        .put(VERSION)
        .put((byte) 0)
        .putShort((short) keyNumber)
        .putLong(volume.value())
        .putLong(object.value())
        .array();
  }

  public ByteString encode() {
    return ByteString.copyFrom(signedPart(volume, object, keyNumber)).concat(mac);
  }

  /**
   * Reads a handle; says nothing of whether it is genuine.
   *
   * @throws WeftException HANDLE_INVALID if these bytes are none of a version known here
   */
  public static FileHandle decode(ByteString encoded) throws WeftException {
    if (encoded.size() != BYTES) {
      throw new WeftException(
          ErrorCode.HANDLE_INVALID, "a handle has " + BYTES + " bytes, got " + encoded.size());
    }
    ByteBuffer in = encoded.asReadOnlyByteBuffer();
    byte version = in.get();
    byte reserved = in.get();
    if (version != VERSION || reserved != 0) {
      throw new WeftException(
          ErrorCode.HANDLE_INVALID, "a handle of version " + version + " is not known here");
    }
    int keyNumber = in.getShort() & 0xffff;
    return new FileHandle(
        new PartitionId(in.getLong()),
        new ObjectId(in.getLong()),
        keyNumber,
        encoded.substring(SIGNED_BYTES));
  }
}
