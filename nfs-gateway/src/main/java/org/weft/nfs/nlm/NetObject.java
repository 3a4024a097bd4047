package org.weft.nfs.nlm;

import java.util.Arrays;
import java.util.HexFormat;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** netobj: bytes that only their maker understands: a cookie, a handle, an owner. Immutable. */
public final class NetObject {
  /** MAXNETOBJ_SZ. */
  public static final int MAX_BYTES = 1_024;

  private final byte[] bytes;

  /**
   * @throws IllegalArgumentException if there are more than {@value #MAX_BYTES} bytes
   */
  public NetObject(byte[] bytes) {
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "at most " + MAX_BYTES + " bytes are sent, got " + bytes.length);
    }
    this.bytes = bytes.clone();
  }

  public static NetObject read(XdrReader in) throws MalformedXdrException {
    return new NetObject(in.opaque(MAX_BYTES));
  }

  public void write(XdrWriter out) {
    out.opaque(bytes);
  }

  public byte[] bytes() {
    return bytes.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NetObject that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes);
  }
}
