package org.weft.nfs.exports;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.weft.client.ids.NodeId;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.id.ClusterId;

/**
 * The handles that clients keep. Every gateway makes the same bytes for a file in an export, since
 * clients compare handles byte by byte. A client that guesses ids gets nowhere: the MAC says that a
 * gateway of the cluster led it there. 48 bytes, big-endian:
 *
 * <pre>
 *  0 version u8 = 1 | reserved u8, zero | number of the key u16
 *  4 id of the export u32
 *  8 first half of the cluster's id
 * 16 volume u64          24 object u64
 * 32 MAC, 16 bytes: the first of HMAC-SHA256(key, "weft-nfs-handle", cluster's id, bytes 0 to 31)
 * </pre>
 *
 * <p>Immutable.
 */
public final class HandleCodec {
  public static final int BYTES = 48;
  public static final int KEY_BYTES = 32;

  private static final byte VERSION = 1;
  private static final int SIGNED_BYTES = 32;
  private static final byte[] LABEL = "weft-nfs-handle".getBytes(StandardCharsets.US_ASCII);

  /** What a genuine handle names. */
  public record Named(int export, NodeId file) {}

  private final byte[] cluster;
  private final long clusterHalf;
  private final int keyNumber;
  private final byte[] key;

  /**
   * @param keyNumber 1 to 65535
   * @param key the same at all gateways, while handles are to be good
   * @throws IllegalArgumentException unless the key has {@value #KEY_BYTES} bytes
   */
  public HandleCodec(ClusterId cluster, int keyNumber, byte[] key) {
    if (key.length != KEY_BYTES) {
      throw new IllegalArgumentException(
          "a key for handles has " + KEY_BYTES + " bytes, got " + key.length);
    }
    this.cluster = HexFormat.of().parseHex(cluster.value());
    this.clusterHalf = ByteBuffer.wrap(this.cluster).getLong();
    this.keyNumber = keyNumber;
    this.key = key.clone();
  }

  public byte[] encode(int export, NodeId file) {
    byte[] handle =
        ByteBuffer.allocate(BYTES)
            .put(VERSION)
            .put((byte) 0)
            .putShort((short) keyNumber)
            .putInt(export)
            .putLong(clusterHalf)
            .putLong(file.volume().value())
            .putLong(file.object().value())
            .array();
    System.arraycopy(mac(handle), 0, handle, SIGNED_BYTES, Hmac.WIRE_BYTES);
    return handle;
  }

  /**
   * Reads a handle and checks its MAC.
   *
   * @throws FileException BAD_HANDLE unless a gateway of this cluster made it
   */
  public Named decode(byte[] handle) throws FileException {
    if (handle.length != BYTES) {
      throw bad("a handle has " + BYTES + " bytes, got " + handle.length);
    }
    ByteBuffer in = ByteBuffer.wrap(handle);
    if (in.get() != VERSION || in.get() != 0 || (in.getShort() & 0xffff) != keyNumber) {
      throw bad("a handle of another version or key");
    }
    int export = in.getInt();
    if (in.getLong() != clusterHalf) {
      throw bad("a handle of another cluster");
    }
    NodeId file = NodeId.of(in.getLong(), in.getLong());
    byte[] mac = Arrays.copyOfRange(handle, SIGNED_BYTES, BYTES);
    if (!Hmac.same(mac, Arrays.copyOf(mac(handle), Hmac.WIRE_BYTES))) {
      throw bad("a handle that no gateway made");
    }
    return new Named(export, file);
  }

  private byte[] mac(byte[] handle) {
    return Hmac.sha256(key, LABEL, cluster, Arrays.copyOf(handle, SIGNED_BYTES));
  }

  private static FileException bad(String message) {
    return new FileException(FileError.BAD_HANDLE, message);
  }
}
