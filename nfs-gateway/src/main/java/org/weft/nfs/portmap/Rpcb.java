package org.weft.nfs.portmap;

import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * rpcb, RFC 1833 section 2.1.
 *
 * @param networkId such as "tcp"
 * @param address in the universal form
 * @param owner of the registration
 */
record Rpcb(int program, int version, String networkId, String address, String owner) {
  private static final int MAX_BYTES = 1_024;

  static Rpcb read(XdrReader in) throws MalformedXdrException {
    return new Rpcb(
        in.int32(), in.int32(), in.string(MAX_BYTES), in.string(MAX_BYTES), in.string(MAX_BYTES));
  }

  void write(XdrWriter out) {
    out.int32(program).int32(version).string(networkId).string(address).string(owner);
  }
}
