package org.weft.nfs.oncrpc;

import java.util.ArrayList;
import java.util.List;

/**
 * The user that a call says it comes from: RFC 5531 sections 8.2, 10.1 (AUTH_NONE) and appendix A.
 */
public sealed interface RpcCredential permits RpcCredential.None, RpcCredential.Sys {
  /** AUTH_NONE: says nothing. */
  record None() implements RpcCredential {}

  /**
   * AUTH_SYS, appendix A. None of it is proven.
   *
   * @param stamp an arbitrary number of the caller's
   * @param machineName as the caller calls itself, at most 255 bytes
   * @param uid unsigned
   * @param gid unsigned, of the first group
   * @param gids of more groups, at most 16
   */
  record Sys(int stamp, String machineName, int uid, int gid, List<Integer> gids)
      implements RpcCredential {
    public Sys {
      gids = List.copyOf(gids);
    }
  }

  int NONE_FLAVOR = 0;
  int SYS_FLAVOR = 1;

  /** The longest body of a credential or verifier. */
  int MAX_BODY_BYTES = 400;

  /** The longest name of a machine. */
  int MAX_NAME_BYTES = 255;

  /** The most groups beside the first. */
  int MAX_GIDS = 16;

  /** Reads the body of an AUTH_SYS credential. */
  static Sys readSys(XdrReader in) throws MalformedXdrException {
    int stamp = in.int32();
    String machine = in.string(MAX_NAME_BYTES);
    int uid = in.int32();
    int gid = in.int32();
    int count = in.count(MAX_GIDS);
    List<Integer> gids = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      gids.add(in.int32());
    }
    if (in.remaining() != 0) {
      throw new MalformedXdrException(
          "an AUTH_SYS credential has " + in.remaining() + " bytes too many");
    }
    return new Sys(stamp, machine, uid, gid, gids);
  }

  /** Writes flavor and body. */
  default void write(XdrWriter out) {
    if (this instanceof Sys sys) {
      byte[] body =
          XdrWriter.bytes(
              into -> {
                into.int32(sys.stamp).string(sys.machineName).int32(sys.uid).int32(sys.gid);
                into.int32(sys.gids.size());
                sys.gids.forEach(into::int32);
              });
      out.int32(SYS_FLAVOR).opaque(body);
    } else {
      out.int32(NONE_FLAVOR).int32(0);
    }
  }
}
