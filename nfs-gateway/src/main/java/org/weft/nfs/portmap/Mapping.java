package org.weft.nfs.portmap;

import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * mapping, RFC 1833 section 3.1.
 *
 * @param protocol an IP protocol's number
 * @param port unsigned
 */
record Mapping(int program, int version, int protocol, int port) {
  static final int TCP = 6;
  static final int UDP = 17;

  static Mapping read(XdrReader in) throws MalformedXdrException {
    return new Mapping(in.int32(), in.int32(), in.int32(), in.int32());
  }

  void write(XdrWriter out) {
    out.int32(program).int32(version).int32(protocol).int32(port);
  }
}
